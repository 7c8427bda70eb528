import BLEAdapter

/// Where the failures of a controller go: to the log of the program, or to a tool that shows them itself.
package final class ControllerReport: Sendable {
    private struct Content {
        var isShownByProgram = false
        var latest: ControllerFailure?
    }

    /// The report of the adapter that `BLUETOOTH_CONTROLLER` selects.
    package static let ofProcess = ControllerReport()

    private let content = Lock(Content())

    package init() {}

    /// Keeps failures out of the log. Call it before the first manager is created.
    package func takeOver() { content.withLock { $0.isShownByProgram = true } }

    /// The failure that came last, before the state of the adapter that it leads to.
    package var latest: ControllerFailure? { content.withLock { $0.latest } }

    func add(_ failure: ControllerFailure) {
        let isShown = content.withLock { content in
            content.latest = failure
            return content.isShownByProgram
        }
        if !isShown { LibraryLog.logger().error("\(failure)") }
    }
}
