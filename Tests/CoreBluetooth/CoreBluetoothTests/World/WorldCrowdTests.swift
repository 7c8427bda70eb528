import BLEAdapter
import BLESimulator
import CoreBluetooth
import Testing

/// Many centrals that scan and connect at the same time. A CONNECT_IND that collides with another packet establishes no link, so an attempt of the
/// controller fails six connection intervals later with Connection Failed to be Established (Vol 6, Part B, 4.5). The host repeats it.
@Suite(.timeLimit(.minutes(10)))
struct WorldCrowdTests {
    @Test(arguments: [1, 2] as [UInt64]) func everyConnectionOfACrowdIsEstablished(seed: UInt64) async {
        let world = World(seed: seed)
        let (count, rounds) = (64, 5)
        var attempts: [LostAttempts] = []
        var programs: [AnyObject] = []
        var phones: [CrowdPhone] = []
        for number in 0..<count {
            let place = Position(x: Double(number % 6), y: Double(number / 6))
            let (phone, gadget) = (
                world.addDevice("Phone \(number)", at: place), world.addDevice("Gadget \(number)", at: place)
            )
            let lost = LostAttempts()
            attempts.append(lost)
            phone.observeHCIPackets { packet in
                // Disconnection Complete (Vol 4, Part E, 7.7.5), and LE Read Remote Features Complete (7.7.65.4), which ends no lost attempt well.
                switch (packet.octets.prefix(2), packet.octets.dropFirst(3).first) {
                case ([4, 5], _): if packet.octets.last == 0x3E { lost.add() }
                case ([4, 0x3E], 4): if packet.octets.dropFirst(4).first == 0 { lost.end() }
                default: break
                }
            }
            programs.append(CrowdGadget("Gadget \(number)", on: gadget))
            phones.append(CrowdPhone("Gadget \(number)", rounds: rounds, on: phone))
        }
        await world.run(timeout: .seconds(240)) { phones.allSatisfy(\.isDone) }
        #expect(phones.allSatisfy { $0.isDone })
        #expect(phones.flatMap { $0.failures }.isEmpty)
        #expect(phones.allSatisfy { $0.connections == rounds })
        // Five in a row take less than two seconds.
        #expect(attempts.contains { $0.most >= 5 })
        withExtendedLifetime(programs) {}
    }
}

/// The attempts of one host that established no link.
private final class LostAttempts: Sendable {
    private let counts = Lock((inARow: 0, most: 0, total: 0))
    func add() {
        counts.withLock {
            $0.inARow += 1
            $0.total += 1
            $0.most = max($0.most, $0.inARow)
        }
    }
    func end() { counts.withLock { $0.inARow = 0 } }
    var most: Int { counts.withLock { $0.most } }
    var total: Int { counts.withLock { $0.total } }
}

private final class CrowdGadget: NSObject, CBPeripheralManagerDelegate {
    private var manager: CBPeripheralManager!
    private let name: String

    init(_ name: String, on device: VirtualDevice) {
        self.name = name
        super.init()
        manager = device.run { CBPeripheralManager(delegate: self, queue: DispatchQueue(label: name)) }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
    }
}

/// Scans all the time, and connects and disconnects in turns.
private final class CrowdPhone: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    // `@unchecked Sendable`: the test reads while the world stands still.

    private var manager: CBCentralManager!
    private let name: String
    private let rounds: Int
    private var gadget: CBPeripheral?
    private(set) var connections = 0
    private(set) var failures: [String] = []
    private(set) var isDone = false

    init(_ name: String, rounds: Int, on device: VirtualDevice) {
        self.name = name
        self.rounds = rounds
        super.init()
        manager = device.run { CBCentralManager(delegate: self, queue: DispatchQueue(label: name)) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard gadget == nil, advertisementData[CBAdvertisementDataLocalNameKey] as? String == name else { return }
        gadget = peripheral
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        connections += 1
        central.cancelPeripheralConnection(peripheral)
    }

    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        failures.append("\(name): \(error.map { "\($0)" } ?? "no error")")
        isDone = true
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        if connections < rounds { central.connect(peripheral) } else { isDone = true }
    }
}
