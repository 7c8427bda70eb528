import BLEAdapter
import BLEWire
import Dispatch

/// The executor of one host on a virtual radio. All hosts share the queue and the clock of one engine.
package final class VirtualTimeExecutor<Owner: ExecutorOwner>: AdapterExecutor {
    private let engine: VirtualTimeEngine
    private let network: ExecutorIsolated<VirtualRadioNetwork>
    private let slot: Int

    package init(_ runtime: VirtualRadioRuntime, slot: Int) {
        engine = runtime.engine
        network = runtime.network
        self.slot = slot
    }

    package var now: Instant { engine.now }
    package var clock: AnyObject { engine }

    package func submit(to owner: ExecutorIsolated<Owner>, _ call: @escaping @Sendable (Owner) -> Void) {
        engine.submit {
            call(owner.object)
            owner.object.flush()
        }
    }

    package func schedule(_ owner: Owner, at deadline: Instant?) { network.object.setDeadline(slot, to: deadline) }

    package func scheduleCallback(_ block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        engine.scheduleCallback(block, on: queue)
    }

    package func startCallback(_ start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) {
        engine.startCallback(start)
    }

    package func makeQueueClock() -> QueueClock {
        let engine = engine
        let origin = engine.currentTime
        return QueueClock(
            elapsed: { Duration(engine.currentTime - origin) },
            call: { engine.schedule(at: origin + TimeSpan($0), on: $1, $2) })
    }
}
