import BLEController
import BLEAdapter
import BLEWire
import Dispatch

/// A virtual radio in virtual time: the engine and the network for a world, a shared radio or the controller `virtual`.
package final class VirtualRadioRuntime: Sendable {
    package let engine: VirtualTimeEngine
    package let network: ExecutorIsolated<VirtualRadioNetwork>
    private let slotNumbers = SlotNumbers()

    /// - Parameter threads: The number of threads that compute the receptions of beacons.
    package init(
        seed: UInt64, configuration: RadioConfiguration, pace: VirtualTimeEngine.Pace,
        freezesDuringCallbacks: Bool = true, threads: Int = 1
    ) {
        engine = VirtualTimeEngine(pace: pace, freezesDuringCallbacks: freezesDuringCallbacks)
        let network = VirtualRadioNetwork(seed: seed, configuration: configuration, slotNumbers: slotNumbers)
        if threads > 1 {
            let pool = RadioThreads(count: threads)
            network.radio.threads = BeaconThreads(count: threads) { count, body in pool.run(count, body) }
        }
        self.network = ExecutorIsolated(network)
        engine.install(self.network)
    }

    /// Ends all runs and all connections. The radio then does nothing more.
    package func close() {
        engine.close()
        let network = self.network
        // Runs after the blocks that `engine.close` put on the queue.
        engine.queue.async { network.object.close() }
    }

    /// Runs `change` on the network before time passes. May be called on any thread.
    package func change(_ change: @escaping @Sendable (VirtualRadioNetwork) -> Void) {
        let network = self.network
        engine.submit { change(network.object) }
    }

    /// Calls `body` with the network on the engine's queue, and waits for it. An engine that does not run answers at once.
    ///
    /// - Precondition: The caller is not inside a callback, a condition or an observer of this engine.
    package func inspect<Result>(_ body: (VirtualRadioNetwork) -> Result) -> Result {
        precondition(
            !engine.isHeldByCaller,
            "The state of a world was read inside a delegate callback, a condition or an observer of the same world. Return first, and "
                + "read it from the test or a thread of its own.")
        let network = self.network
        return engine.queue.sync { body(network.object) }
    }

    /// Returns a slot for a device that keeps it after its removal. May be called on any thread.
    package func nextSlot() -> Int { slotNumbers.next() }

    /// Adds a controller to the radio, with the host that `make` creates.
    package func addHost(
        _ slot: Int, _ configuration: ControllerConfiguration = ControllerConfiguration(), at position: RadioPosition,
        make: @escaping @Sendable () -> any HCIHost
    ) {
        change { $0.add(slot, configuration, at: position, make: make) }
    }
}
