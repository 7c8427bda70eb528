import BLEController
import BLEExecution
import BLEWire
import Dispatch

/// A virtual radio in virtual time: the engine and the network that a world, a shared radio and the controller `virtual` run on.
package final class VirtualRadioRuntime: Sendable {
    package let engine: VirtualTimeEngine
    package let network: ExecutorIsolated<VirtualRadioNetwork>
    private let slotNumbers = SlotNumbers()

    package init(
        seed: UInt64, configuration: RadioConfiguration, pace: VirtualTimeEngine.Pace,
        freezesDuringCallbacks: Bool = true
    ) {
        engine = VirtualTimeEngine(pace: pace, freezesDuringCallbacks: freezesDuringCallbacks)
        network = ExecutorIsolated(
            VirtualRadioNetwork(seed: seed, configuration: configuration, slotNumbers: slotNumbers))
        engine.install(network)
    }

    /// Ends all runs and all connections. Nothing happens on the radio after that.
    package func close() {
        engine.close()
        let network = self.network
        // After the blocks that `engine.close` put on the queue.
        engine.queue.async { network.object.close() }
    }

    /// Runs `change` on the network before time passes. From any thread.
    package func change(_ change: @escaping @Sendable (VirtualRadioNetwork) -> Void) {
        let network = self.network
        engine.submit { change(network.object) }
    }

    /// A slot for a device that keeps it after its removal. From any thread.
    package func nextSlot() -> Int { slotNumbers.next() }

    /// Puts a controller on the air, with the host that `make` makes.
    package func addHost(
        _ slot: Int, _ configuration: ControllerConfiguration = ControllerConfiguration(), at position: RadioPosition,
        make: @escaping @Sendable () -> any HCIHost
    ) {
        change { $0.add(slot, configuration, at: position, make: make) }
    }
}
