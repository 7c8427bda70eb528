import BLEController
import BLEWire
import Dispatch
import Synchronization

/// A virtual radio with our hosts on it, in virtual time: what stands behind a world, and behind `virtual` as a controller.
package final class VirtualStage: Sendable {
    package let engine: VirtualTimeEngine
    private let scene: Confined<RadioScene>
    private let memberCount = Mutex(0)

    package init(
        seed: UInt64, configuration: RadioConfiguration, pace: VirtualTimeEngine.Pace, freezesDuringCallbacks: Bool = true
    ) {
        engine = VirtualTimeEngine(pace: pace, freezesDuringCallbacks: freezesDuringCallbacks)
        let scene = RadioScene(seed: seed, configuration: configuration)
        self.scene = Confined(scene)
        engine.install(self.scene)
    }

    /// Ends everything; nothing happens here any more.
    package func close() { engine.close() }

    /// Carries `change` out on the scene before time goes on.
    package func change(_ change: @escaping @Sendable (RadioScene) -> Void) {
        let scene = self.scene
        engine.submit { change(scene.object) }
    }

    /// Adds a device with a host of our own, which powers on at once.
    package func addDevice(named name: String, seed: UInt64, at position: Position) -> VirtualMember {
        fatalError()
    }

    package func move(_ member: VirtualMember, to position: Position) {
        change { $0.move(member.number, to: position) }
    }

    package func remove(_ member: VirtualMember) {
        change { $0.remove(member.number) }
    }
}

/// A device on a stage.
package final class VirtualMember: Sendable {
    package let adapter: HostAdapter
    /// Its place among the devices of the stage, from 0.
    package let number: Int

    init(adapter: HostAdapter, number: Int) {
        self.adapter = adapter
        self.number = number
    }
}
