import BLEAdapter
import BLEController
import BLEHost
import BLEWire
import Dispatch
import Synchronization

/// A virtual radio with our hosts on it, in virtual time: what stands behind a world, and behind `virtual` as a controller.
package final class VirtualStage: Sendable {
    package let engine: VirtualTimeEngine
    private let scene: Confined<RadioScene>
    let door: SceneDoor
    private let numbers = MemberNumbers()

    package init(
        seed: UInt64, configuration: RadioConfiguration, pace: VirtualTimeEngine.Pace,
        freezesDuringCallbacks: Bool = true
    ) {
        engine = VirtualTimeEngine(pace: pace, freezesDuringCallbacks: freezesDuringCallbacks)
        scene = Confined(RadioScene(seed: seed, configuration: configuration, numbers: numbers))
        door = SceneDoor(scene.object)
        engine.install(scene)
    }

    /// Ends everything; nothing happens here any more.
    package func close() {
        // Hosts outside see their connections end, and do not wait for answers of nobody.
        let door = self.door
        engine.queue.async { door.endHosts { _ in true } }
        engine.close()
        // Behind what `close` has put there.
        engine.queue.async { door.close() }
    }

    /// Carries `change` out on the scene before time goes on.
    package func change(_ change: @escaping @Sendable (RadioScene) -> Void) {
        let scene = self.scene
        engine.submit { change(scene.object) }
    }

    /// Adds a device with a host of our own, which powers on at once.
    ///
    /// - Parameter store: what its host remembers; nil: nothing so far.
    package func addDevice(
        named name: String, seed: UInt64, at position: RadioPosition, store: DeviceStore? = nil
    ) -> VirtualMember {
        var random = SeededRandom(seed: seed)
        var configuration = HostConfiguration()
        configuration.deviceName = Array(name.utf8)
        var keySource = random.fork()
        let store = store ?? DeviceStore(key: StoreKey(using: &keySource))
        let number = nextNumber()
        let adapter = HostAdapter(
            executor: SceneExecutor(engine, door, number: number), configuration: configuration, store: store,
            random: random.fork())
        let door = self.door
        addMember(number, ControllerConfiguration(), at: position) {
            let core = adapter.onExecutor
            core.attach(RadioLink(door, number: number))
            return core
        }
        adapter.submit { _ in }
        return VirtualMember(adapter: adapter, number: number)
    }

    func nextNumber() -> Int { numbers.next() }

    /// Puts a controller on the air and gives it the member that `make` makes.
    func addMember(
        _ number: Int, _ configuration: ControllerConfiguration, at position: RadioPosition,
        make: @escaping @Sendable () -> any RadioMember
    ) {
        change { scene in scene.add(number, configuration, at: position, make: make) }
    }

    package func move(_ member: VirtualMember, to position: RadioPosition) { move(member.number, to: position) }

    package func move(_ number: Int, to position: RadioPosition) { change { $0.move(number, to: position) } }

    /// Adds an advertiser without a host, on the air at once. Returns its number.
    package func addAdvertiser(
        _ identity: AdvertiserIdentity, _ advertising: RawAdvertising, at position: RadioPosition
    ) -> Int {
        let number = nextNumber()
        change { $0.addAdvertiser(number, identity, advertising, at: position) }
        return number
    }

    /// Makes an advertiser without a host send something else.
    package func changeAdvertiser(_ number: Int, to advertising: RawAdvertising) {
        change { $0.change(number, to: advertising) }
    }

    /// Takes an advertiser without a host off the air.
    package func removeAdvertiser(_ number: Int) { change { $0.endGuest(number) } }

    /// Takes a device off the air, without a goodbye.
    package func remove(_ member: VirtualMember) {
        member.adapter.submit { $0.detach() }
    }
}

/// A device on a stage.
package final class VirtualMember: Sendable {
    package let adapter: HostAdapter
    /// Its place among the members of the stage, from 0.
    package let number: Int

    init(adapter: HostAdapter, number: Int) {
        self.adapter = adapter
        self.number = number
    }
}

extension HostCore: RadioMember {}
