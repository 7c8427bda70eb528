import BLESimulator
import CoreBluetooth
import Crypto
import Devices
import TestConditions
import Testing

/// A phone with a provisioner: it finds a lamp by its service, provisions it, connects to its proxy, and switches it.
private final class MeshPhone {
    let world: World
    let queue = DispatchQueue(label: "phone")
    /// Read while the world stands still.
    var provisioner: MeshProvisioner
    private(set) var link: TestPhone
    private var reassembly = ProxyReassembly()
    private let hardware: VirtualDevice

    init(_ world: World) throws {
        self.world = world
        provisioner = try MeshProvisioner()
        hardware = world.addDevice("phone")
        link = TestPhone(MeshLamp.provisioningService, queue: queue)
    }

    /// Connects to a device with the service, and waits until it is ready.
    func connect(_ service: CBUUID) async -> Bool {
        link = TestPhone(service, queue: queue)
        reassembly = ProxyReassembly()
        link.onValue = { [unowned self] _, value in
            guard let message = reassembly.receive(value) else { return }
            send(provisioner.receive(message))
        }
        hardware.run { link.start() }
        return await world.run(timeout: .seconds(60)) { [link] in link.isReady }
    }

    /// Sends messages, also in parts of 20 octets.
    func send(_ messages: [ProxyPDU]) {
        for message in messages {
            let isProvisioning = message.kind == .provisioning
            for part in message.parts(20) {
                link.stream(part, to: isProvisioning ? MeshLamp.provisioningIn : MeshLamp.proxyIn)
            }
        }
    }

    /// Sends messages, and waits for a step of the provisioner.
    func request(_ make: (inout MeshProvisioner) -> [ProxyPDU]) async -> MeshProvisioner.Step? {
        let count = provisioner.steps.count
        queue.sync { send(make(&provisioner)) }
        await world.run(timeout: .seconds(30)) { [unowned self] in provisioner.steps.count > count }
        return provisioner.steps.count > count ? provisioner.steps[count] : nil
    }

    func disconnect() async {
        queue.sync { link.disconnect() }
        await world.run(timeout: .seconds(30)) { [link] in !link.isReady }
        await world.run(for: .seconds(1))
    }
}

@Suite(.timeLimit(.minutes(10)))
struct MeshWorldTests {
    private let world = World(seed: 18)
    private let queue = DispatchQueue(label: "lamp")
    private let identifier = UUID(uuidString: "70CF7C97-32A3-45B6-9149-4810D2E9CBF4")!

    private func makeLamp(_ switches: Collected<Bool>) -> MeshLamp {
        var seed: UInt8 = 0x20
        let lamp = MeshLamp(name: "Lamp", identifier: identifier, queue: queue) {
            seed += 1
            let octets = [UInt8](repeating: seed, count: 32)
            // check-tests: trap: 32 octets below the order of the curve are a key.
            return .init(key: try! .init(rawRepresentation: octets), random: Array(octets.prefix(16)))
        }
        lamp.onSwitch = { switches.add($0) }
        world.addDevice("lamp", at: Position(x: 2)).run { lamp.start() }
        return lamp
    }

    @Test func aLampIsProvisionedConfiguredAndSwitched() async throws {
        let switches = Collected<Bool>()
        let lamp = makeLamp(switches)
        let phone = try MeshPhone(world)
        try #require(await phone.connect(MeshLamp.provisioningService))
        #expect(await phone.request { $0.invite() } == .provisioned)
        await phone.disconnect()
        try #require(await phone.connect(MeshLamp.proxyService))
        await world.run(for: .seconds(1))
        #expect(phone.provisioner.beacon == phone.provisioner.stack.network.beacon(ivIndex: 0x1234_5678))
        #expect(await phone.request { $0.setFilter([0, 0]) } == .filtered(type: 0, count: 0))
        #expect(
            await phone.request { $0.requestComposition() }
                == .composition(hex("ffff 0100 0100 4000 0200 0000 02 00 0000 0010")))
        #expect(await phone.request { $0.addKey() } == .keyAdded(0))
        #expect(await phone.request { $0.bind() } == .bound(0))
        #expect(await phone.request { $0.turn(true) } == .state(true))
        #expect(await phone.request { $0.turn(false) } == .state(false))
        #expect(await phone.request { $0.turn(true) } == .state(true))
        #expect(switches.all == [true, false, true])
        #expect(queue.sync { lamp.isOn })
    }

    @Test func aLampThatWasResetIsProvisionedAgain() async throws {
        let switches = Collected<Bool>()
        let lamp = makeLamp(switches)
        let phone = try MeshPhone(world)
        for round: UInt8 in 1...2 {
            // Another provisioner: the sequence numbers of the node begin again, and the first provisioner knows the address.
            phone.provisioner = try MeshProvisioner(seed: round)
            try #require(await phone.connect(MeshLamp.provisioningService))
            #expect(await phone.request { $0.invite() } == .provisioned)
            await phone.disconnect()
            #expect(queue.sync { lamp.isProvisioned })
            try #require(await phone.connect(MeshLamp.proxyService))
            #expect(await phone.request { $0.send([0x80, 0x49]) } == .reset)
            await phone.disconnect()
            #expect(queue.sync { !lamp.isProvisioned })
        }
    }

    /// The link ends after the exchange of public keys. The next one begins anew, with other secrets.
    @Test func aProvisioningThatWasCutBeginsAnew() async throws {
        let lamp = makeLamp(Collected<Bool>())
        let phone = try MeshPhone(world)
        try #require(await phone.connect(MeshLamp.provisioningService))
        let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: [UInt8](repeating: 9, count: 32)).publicKey
        let values = Collected<[UInt8]>()
        phone.link.onValue = { values.add($1) }
        phone.queue.sync {
            for pdu: [UInt8] in [[0, 0], [2, 0, 0, 0, 0, 0], [3] + key.rawRepresentation] {
                phone.send([ProxyPDU(.provisioning, pdu)])
            }
        }
        await world.run(for: .seconds(2))
        var reassembly = ProxyReassembly()
        let answers = values.all.compactMap { reassembly.receive($0)?.octets.first }
        #expect(answers == [1, 3], "capabilities and public key")
        await phone.disconnect()
        try #require(await phone.connect(MeshLamp.provisioningService))
        #expect(await phone.request { $0.invite() } == .provisioned)
        #expect(queue.sync { lamp.isProvisioned })
    }

    /// Records the service data of the lamp.
    private final class Watcher: NSObject, CBCentralManagerDelegate {
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
            let data = advertisementData[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data]
            guard let value = data?.values.first, self.data.all.last != value else { return }
            self.data.add(value)
        }
    }

    @Test func theAdvertisementHasTheDeviceUUIDAndLaterTheNetworkID() async throws {
        let lamp = makeLamp(Collected<Bool>())
        let watcher = Watcher()
        world.addDevice("watcher", at: Position(y: 1)).run { watcher.start() }
        await world.run(timeout: .seconds(30)) { watcher.data.all.count == 1 }
        let phone = try MeshPhone(world)
        try #require(await phone.connect(MeshLamp.provisioningService))
        #expect(await phone.request { $0.invite() } == .provisioned)
        await phone.disconnect()
        await world.run(timeout: .seconds(30)) { watcher.data.all.count == 2 }
        #expect(
            watcher.data.all == [
                Data(hex("70CF7C9732A345B691494810D2E9CBF4 0000")), Data(hex("00 3ecaff672f673370")),
            ])
        withExtendedLifetime(lamp) {}
    }
}
