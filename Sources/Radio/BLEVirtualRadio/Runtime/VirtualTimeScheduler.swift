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
    private unowned let network: VirtualRadioNetwork
    private let slot: Int
    private var blocks = DeadlineList<@Sendable () -> Void>()

    init(_ network: VirtualRadioNetwork, slot: Int) {
        self.network = network
        self.slot = slot
    }

    func add(at deadline: Instant, _ body: @escaping @Sendable () -> Void) {
        blocks.add(body, at: deadline)
        network.setDeadline(slot, to: blocks.first)
    }

    func handleTimeout() {
        for body in blocks.take(through: network.radio.now) { body() }
        network.setDeadline(slot, to: blocks.first)
    }

    func receive(_ packet: Span<UInt8>) {}
    func flush() {}
}
