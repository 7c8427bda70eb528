import BLESimulator
import CoreBluetooth
import Testing

/// Ordinary delegate classes: not Sendable, no lock, delegate methods on the main queue, as in the README.
private final class OrdinaryBand: NSObject, CBPeripheralManagerDelegate {
    var manager: CBPeripheralManager!

    override init() {
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Band"])
    }
}

private final class OrdinaryPhone: NSObject, CBCentralManagerDelegate {
    var manager: CBCentralManager!
    var names: [String] = []

    init(queue: DispatchQueue? = nil) {
        super.init()
        manager = CBCentralManager(delegate: self, queue: queue)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        names.append(peripheral.name ?? "no name")
    }
}

/// `World.run(timeout:isolation:until:)` evaluates its condition where the condition's captures may be read.
struct OrdinaryDelegateTests {
    @Test func aConditionMayReadAnOrdinaryDelegate() async {
        let world = World(seed: 1)
        let band = world.addDevice("band", at: Position(x: 2)).run { OrdinaryBand() }
        let phone = world.addDevice("phone").run { OrdinaryPhone() }
        let found = await world.run(timeout: .seconds(10)) { phone.names.contains("Band") }
        #expect(found)
        #expect(phone.names == ["Band"])
        #expect(world.now < .seconds(1))
        withExtendedLifetime(band) {}
    }

    @MainActor @Test func aConditionOfTheMainActorIsEvaluatedThere() async {
        let world = World(seed: 1)
        let band = world.addDevice("band", at: Position(x: 2)).run { OrdinaryBand() }
        let phone = world.addDevice("phone").run { OrdinaryPhone() }
        var times = 0
        let found = await world.run(timeout: .seconds(10)) {
            MainActor.assertIsolated()
            times += 1
            return phone.names.contains("Band")
        }
        #expect(found)
        #expect(times > 1)
        #expect(world.now < .seconds(1))
        let before = times
        #expect(
            await !world.run(timeout: .milliseconds(50)) {
                times += 1; return false
            })
        #expect(times > before)
        withExtendedLifetime(band) {}
    }

    private actor Bench {
        private var isFound = false

        func run() async -> Bool {
            let world = World(seed: 1)
            let band = world.addDevice("band", at: Position(x: 2)).run { OrdinaryBand() }
            let phone = world.addDevice("phone").run { OrdinaryPhone(queue: DispatchQueue(label: "phone")) }
            let found = await world.run(timeout: .seconds(10)) {
                self.assertIsolated()
                self.isFound = phone.names.contains("Band")
                return self.isFound
            }
            withExtendedLifetime(band) {}
            return found && isFound
        }
    }

    @Test func aConditionOfAnActorIsEvaluatedThere() async {
        #expect(await Bench().run())
    }

    /// The run must neither hang nor leave the world standing still.
    @MainActor @Test func aRunOfAnActorEndsWithItsTask() async {
        let world = World(seed: 1, pace: .multiple(0.001))
        let task = Task { @MainActor in await world.run(timeout: .seconds(3600)) { false } }
        task.cancel()
        #expect(await !task.value)
        await world.run(for: .microseconds(1))
        #expect(world.now >= .microseconds(1))
        #expect(world.now < .seconds(3600))
    }

    @Test func aPlainThreadEvaluatesTheConditionItself() async {
        let times = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let world = World(seed: 1)
                let band = world.addDevice("band", at: Position(x: 2)).run { OrdinaryBand() }
                let phone = world.addDevice("phone").run { OrdinaryPhone() }
                let thread = Thread.current
                var times = 0
                let found = world.runBlocking(timeout: .seconds(10)) {
                    if Thread.current === thread { times += 1 }
                    return phone.names.contains("Band")
                }
                withExtendedLifetime(band) {}
                continuation.resume(returning: found ? times : 0)
            }
        }
        #expect(times > 1)
    }
}
