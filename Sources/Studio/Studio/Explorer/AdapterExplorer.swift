import BLEAdapter
import BLERuntime
import Dispatch
import StudioExplorer
import Phrases

/// The explorer on the machine's adapter, in real time.
package final class AdapterExplorer: Sendable {
    /// The identifier in topics and commands.
    package static let identifier = "adapter"

    private let queue = DispatchQueue(label: "studio.explorer")
    private let explorer: Explorer

    /// - Parameters:
    ///   - name: The words that select the controller, as in `BLUETOOTH_CONTROLLER`.
    ///   - adapter: The adapter that they select.
    package init(_ name: String, on adapter: any BluetoothAdapter, _ directory: ExplorerDirectory) {
        let start = ContinuousClock.now
        explorer = Explorer(
            name: name, on: adapter, queue: queue, clock: { Int64((ContinuousClock.now - start) / .nanoseconds(1)) },
            changed: { directory.changed(Self.identifier) })
        var advice: Phrase?
        if case .none(let failure) = ControllerChoice(name) { advice = ControllerProblems.phrase(failure.sentence) }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        directory.add(explorer, Self.identifier, isAdapter: true, advice: advice)
        timer.schedule(deadline: .now(), repeating: .nanoseconds(Int(Explorer.tickInterval)))
        timer.setEventHandler { [weak self, timer] in
            guard let self else { return timer.cancel() }
            explorer.tick()
        }
        timer.activate()
    }

    /// Ends the scan and the links.
    package func close() { queue.sync { explorer.close() } }
}
