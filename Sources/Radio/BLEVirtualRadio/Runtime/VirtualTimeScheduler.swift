import BLEController
import BLEAdapter
import BLETransport
import BLEWire

/// A scheduler on the clock of a virtual radio, for programs beside its hosts.
///
/// It takes a slot of the network for its deadlines. The controller of the slot stays silent.
package final class VirtualTimeScheduler: SerialScheduler {
    private let engine: VirtualTimeEngine
    private let timers: ExecutorIsolated<TimerHost>

    package init(_ runtime: VirtualRadioRuntime) {
        engine = runtime.engine
        let slot = runtime.nextSlot()
        let timers = ExecutorIsolated(TimerHost(runtime.network.object, slot: slot))
        self.timers = timers
        runtime.addHost(slot, at: RadioPosition()) { timers.object }
    }

    package var now: Instant { engine.currentTime }

    package func submit(_ body: @escaping @Sendable () -> Void) { engine.submit(body) }

    package func submit(after delay: TimeSpan, _ body: @escaping @Sendable () -> Void) {
        let (engine, timers) = (engine, timers)
        engine.submit { timers.object.add(at: engine.now + delay, body) }
    }
}

/// Runs blocks at deadlines of the network. Used only on the engine's queue.
private final class TimerHost: HCIHost {
    private struct Entry {
        let deadline: Instant
        let body: @Sendable () -> Void
    }

    private unowned let network: VirtualRadioNetwork
    private let slot: Int
    /// In the order of the deadlines, and of the calls for one deadline.
    private var entries: [Entry] = []

    init(_ network: VirtualRadioNetwork, slot: Int) {
        self.network = network
        self.slot = slot
    }

    func add(at deadline: Instant, _ body: @escaping @Sendable () -> Void) {
        let index = entries.firstIndex { $0.deadline > deadline } ?? entries.endIndex
        entries.insert(Entry(deadline: deadline, body: body), at: index)
        network.setDeadline(slot, to: entries[0].deadline)
    }

    func handleTimeout() {
        let due = entries.prefix { $0.deadline <= network.radio.now }
        entries.removeFirst(due.count)
        for entry in due { entry.body() }
        network.setDeadline(slot, to: entries.first?.deadline)
    }

    func receive(_ packet: Span<UInt8>) {}
    func flush() {}
}
