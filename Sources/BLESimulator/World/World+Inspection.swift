import BLEAdapter
import BLEController
import BLEVirtualRadio
import BLEWire

extension World {
    /// Adds an observer of every transmission, as `observeAir` does. Its second argument returns the slot of a controller's device.
    package func observeAir(
        _ observer: @escaping @Sendable (borrowing AirPacket, _ slot: (ControllerIdentifier) -> Int?) -> Void
    ) {
        radio.change { network in
            network.airObservers.append { [unowned network] (packet: borrowing AirPacket) in
                observer(packet, network.slot(of:))
            }
        }
    }

    /// Calls `body` with the radio's network on the world's queue, and waits for it. The world must not run: a world that stands still
    /// answers at once.
    ///
    /// - Precondition: The caller is not inside a callback of this world.
    package func inspect<Result>(_ body: (VirtualRadioNetwork) -> Result) -> Result {
        let network = radio.network
        return radio.engine.queue.sync { body(network.object) }
    }

    /// Advances virtual time up to and including a time since the start of the world, and blocks the thread. Ends early when
    /// `isInterrupted` returns true.
    ///
    /// At the end, everything that is due at the time reached is done. A run in several parts is therefore equal to a run in one part,
    /// and a call after the end happens at a defined place of the run.
    ///
    /// - Parameter isInterrupted: Called after each step on the world's queue, with the number of callbacks that the world has run. No
    ///   callback runs meanwhile, so it may read objects that callbacks change. It must be fast.
    @available(*, noasync)
    package func runBlocking(
        until time: Duration, interruptedBy isInterrupted: @escaping @Sendable (_ callbackCount: Int) -> Bool
    ) {
        let (engine, network) = (radio.engine, radio.network)
        let deadline = Instant.zero + TimeSpan(time)
        let end = BlockingMailbox<Bool>()
        if deadline > engine.currentTime {
            let interruption = VirtualTimeEngine.Condition.onEngineQueue { isInterrupted(engine.callbackCount) }
            engine.run(for: deadline - engine.currentTime, until: interruption, finish: { end.post($0) })
            _ = end.wait()
        }
        let settled = VirtualTimeEngine.Condition.onEngineQueue {
            network.object.nextDeadline.map { $0 > engine.now } ?? true
        }
        engine.run(for: nil, until: settled, finish: { end.post($0) })
        _ = end.wait()
    }
}
