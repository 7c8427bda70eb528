import BLESimulator
import CoreBluetooth
import ImprovWiFi
import TestConditions
import Testing

/// A phone and a device on a virtual radio.
private final class Bench {
    let world: World
    let device: VirtualDevice
    let phone: VirtualDevice
    let deviceEvents = Collected<ImprovPeripheral.Event>()
    let phoneEvents = Collected<ImprovCentral.Event>()
    private(set) var peripheral: ImprovPeripheral!
    private(set) var central: ImprovCentral!

    init(requiresAuthorization: Bool = false, seed: UInt64 = 1, delay: Duration = .seconds(3)) {
        let world = World(seed: seed, environment: RadioEnvironment(packetLoss: 0))
        let clock = world.clock
        self.world = world
        device = world.addDevice("Lamp")
        phone = world.addDevice("Phone", at: Position(x: 1))
        let deviceQueue = DispatchQueue(label: "lamp")
        let phoneQueue = DispatchQueue(label: "phone")
        let (deviceEvents, phoneEvents) = (deviceEvents, phoneEvents)
        let networks = [
            SimulatedWiFi.Network(name: "home", password: "correct horse", signal: -40),
            SimulatedWiFi.Network(name: "café", password: "", signal: -70),
        ]
        peripheral = device.run {
            let peripheral = ImprovPeripheral(
                name: "Lamp", capabilities: [.identify, .networkScan],
                information: ImprovDeviceInformation(firmware: "lamp", version: "1.2", hardware: "x", name: "Lamp"),
                requiresAuthorization: requiresAuthorization,
                joiner: SimulatedWiFi(networks, delay: delay, queue: deviceQueue, clock: clock), queue: deviceQueue,
                clock: clock, onEvent: deviceEvents.add)
            peripheral.start()
            return peripheral
        }
        central = phone.run {
            let central = ImprovCentral(
                peer: .named("Lamp"), queue: phoneQueue, clock: clock, onEvent: phoneEvents.add)
            central.start()
            return central
        }
    }

    @discardableResult
    func run(_ limit: Duration = .seconds(60), until condition: @escaping ([ImprovCentral.Event]) -> Bool) async -> Bool
    {
        let events = phoneEvents
        return await world.run(timeout: limit) { condition(events.all) }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct ImprovWorldTests {
    // check-tests: trap: the arguments are constants or made by the test, and valid.
    private let home = try! WiFiCredentials(network: "home", password: "correct horse")

    @Test func aPhoneGivesALampItsNetwork() async {
        let bench = Bench()
        bench.central.identify()
        bench.central.requestInformation()
        bench.central.requestNetworks()
        bench.central.provision(home)
        #expect(await bench.run { $0.contains(.provisioned(["http://192.0.2.7/"])) })
        #expect(
            bench.phoneEvents.all == [
                .ready(.authorized, [.identify, .deviceInformation, .networkScan]), .identified,
                .information(
                    ImprovDeviceInformation(firmware: "lamp", version: "1.2", hardware: "x", name: "Lamp")),
                .networks([
                    VisibleNetwork(name: "home", signal: -40, security: "WPA2"),
                    VisibleNetwork(name: "café", signal: -70, security: "NO"),
                ]), .state(.provisioning), .state(.provisioned), .provisioned(["http://192.0.2.7/"]),
            ])
        #expect(bench.deviceEvents.all.contains(.identify))
        bench.central.disconnect()
        #expect(await bench.run { $0.last == .ended(nil) })
    }

    @Test func aWrongPasswordIsReportedAndTheRightOneWorksThen() async throws {
        let bench = Bench()
        bench.central.provision(try WiFiCredentials(network: "home", password: "wrong"))
        bench.central.provision(home)
        #expect(await bench.run { $0.contains(.provisioned(["http://192.0.2.7/"])) })
        #expect(bench.phoneEvents.all.contains(.commandFailed(.refused(.unableToConnect))))
    }

    @Test func anUnauthorizedDeviceRefusesUntilItsButtonIsPressed() async {
        let bench = Bench(requiresAuthorization: true)
        bench.central.provision(home)
        #expect(await bench.run { $0.contains(.commandFailed(.refused(.notAuthorized))) })
        bench.peripheral.authorize()
        #expect(await bench.run { $0.contains(.state(.authorized)) })
        bench.central.provision(home)
        #expect(await bench.run { $0.contains(.provisioned(["http://192.0.2.7/"])) })
    }

    /// A scanner of service data.
    private final class Watcher: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
        let data = Collected<Data>()
        private var manager: CBCentralManager?

        func start() { manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "watcher")) }
        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            guard central.state == .poweredOn else { return }
            central.scanForPeripherals(
                withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        }
        func centralManager(
            _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
            let data = advertisementData[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data]
            guard services.contains(CBUUID(string: "00467768-6228-2272-4663-277478268000")) else { return }
            if let value = data?[CBUUID(string: "4677")], self.data.all.last != value { self.data.add(value) }
        }
    }

    /// Clients of other makers look for the state and the capabilities in the service data.
    @Test func theAdvertisementHasTheStateAndTheCapabilities() async {
        let bench = Bench(requiresAuthorization: true)
        let watcher = Watcher()
        bench.world.addDevice("Watcher", at: Position(y: 1)).run { watcher.start() }
        #expect(await bench.run { _ in watcher.data.all.count == 1 })
        bench.peripheral.authorize()
        #expect(await bench.run { _ in watcher.data.all.count == 2 })
        bench.central.provision(home)
        #expect(await bench.run { _ in watcher.data.all.last?.first == 4 })
        let states = watcher.data.all.map { $0.first }
        #expect(states == [1, 2, 3, 4])
        // Identification, device information and scans: bits 0, 1 and 2.
        #expect(watcher.data.all.allSatisfy { $0.dropFirst() == Data([7, 0, 0, 0, 0]) })
        #expect(bench.deviceEvents.all.filter { $0 == .advertising }.count == 1)
    }

    @Test func anAuthorizationThatIsNotUsedEnds() async {
        let bench = Bench(requiresAuthorization: true)
        #expect(await bench.run { !$0.isEmpty })
        bench.peripheral.authorize()
        #expect(await bench.run { $0.contains(.state(.authorized)) })
        #expect(await bench.run(.seconds(70)) { $0.last == .state(.authorizationRequired) })
    }

    @Test func aNetworkThatDoesNotAnswerIsGivenUp() async {
        let bench = Bench(delay: .seconds(500))
        bench.central.provision(home)
        #expect(await bench.run { $0.contains(.commandFailed(.refused(.unableToConnect))) })
        #expect(bench.world.now < .seconds(40))
    }

    @Test func aClientWithoutADeviceEnds() async {
        let world = World(seed: 1)
        let events = Collected<ImprovCentral.Event>()
        let central = world.addDevice("Phone").run {
            let central = ImprovCentral(
                peer: .any, queue: DispatchQueue(label: "phone"), clock: world.clock, onEvent: events.add)
            central.start()
            return central
        }
        await world.run(timeout: .seconds(100)) { !events.all.isEmpty }
        #expect(events.all == [.ended(.noDevice)])
        withExtendedLifetime(central) {}
    }
}
