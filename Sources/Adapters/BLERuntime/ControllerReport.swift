import BLEAdapter
import Logging

/// Where the failures of a controller go: to the log of the program, or to a tool that shows them itself.
package final class ControllerReport: Sendable {
    private struct Content {
        var isShownByProgram = false
        var latest: ControllerError?
    }

    /// The report of the adapter that `BLUETOOTH_CONTROLLER` selects.
    package static let ofProcess = ControllerReport()

    private let content = Lock(Content())

    package init() {}

    /// Keeps failures out of the log. Call it before the first manager is created.
    package func takeOver() { content.withLock { $0.isShownByProgram = true } }

    /// Why the controller cannot be used at present: the failure that came last, before the state of the adapter that it leads to. Nil
    /// once the adapter is powered on.
    package var latest: ControllerError? { content.withLock { $0.latest } }

    func add(_ failure: ControllerError) {
        let isShown = content.withLock { content in
            content.latest = failure
            return content.isShownByProgram
        }
        guard !isShown else { return }
        LibraryLog.logger().log(level: failure.kind == .beingReset ? .warning : .error, "\(failure)")
    }

    /// The adapter is powered on.
    func clear() { content.withLock { $0.latest = nil } }
}
