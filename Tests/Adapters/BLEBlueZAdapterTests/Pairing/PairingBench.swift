import BLEAdapter
import BLESecurity
import BLEWire
import BlueZBench
import BusBench
import Logging
import SystemBus
import TestDoubles

@testable import BLEBlueZAdapter

/// `BLESecurity` has a type of this name, too.
typealias PairingRole = BLEBlueZAdapter.PairingRole

/// Identifiers that are the addresses.
struct PlainIdentification: PeerIdentification {
    func identifier(for address: DeviceAddress) -> PeerIdentifier {
        PeerIdentifier(high: UInt64(address.kind.rawValue) + 100, low: address.value)
    }
    func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        guard let kind = UInt8(exactly: identifier.high &- 100) else { return nil }
        return DeviceAddress(kind: DeviceAddress.Kind(rawValue: kind), value: identifier.low)
    }
}

/// The events of a session, as texts.
final class PairingLog: PairingObserver, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    private(set) var lines: [String] = []
    private(set) var questions: [PairingQuestionNumber] = []

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    func asked(_ request: AgentRequest, number: PairingQuestionNumber, by peer: PeerRecord) {
        questions.append(number)
        switch request {
        case .accept(let proposal):
            lines.append("accept \(proposal.model) \(proposal.replaces.map { "\($0.level)" } ?? "-")?")
        case .compare(let value): lines.append("compare \(value.digits)? \(peer.name ?? "-")")
        case .enterPasskey: lines.append("passkey?")
        case .display(let passkey): lines.append("display \(passkey.digits)")
        }
    }
    func dismissed(_ number: PairingQuestionNumber) {
        lines.append("dismissed \(questions.firstIndex(of: number).map { "\($0)" } ?? "?")")
    }
    func keyPressed(_ kind: SMP.KeypressNotification.Kind, by peer: PeerIdentifier) {
        lines.append("key \(kind.rawValue)")
    }
    func pairingCompleted(_ peer: PeerRecord, _ result: Result<LinkSecurity, PairingProcedureError>) {
        switch result {
        case .success(let security):
            let secure = security.isSecureConnections ? " SC" : ""
            lines.append("paired \(security.level) \(security.keySize)\(secure)")
        case .failure(let failure): lines.append("failed \(failure)")
        }
    }
    func bondAdded(_ bond: BondRecord) { lines.append("bond \(bond.security.level)") }
    func bondRemoved(_ peer: PeerIdentifier) { lines.append("no bond") }
}

/// A role on a bus in memory, with a double of bluetoothd.
final class PairingBench {
    static let adapter = "/org/bluez/hci0"

    let scheduler = ManualScheduler()
    let broker: MemoryBroker
    let bluez: ScriptedBlueZ
    let bus: BusConnection
    let role: PairingRole
    let logger = LineLog()
    private var objects = BlueZObjects()
    private let identification = PlainIdentification()

    init(version: Int = 87) {
        broker = MemoryBroker(scheduler)
        bluez = ScriptedBlueZ(broker, version: version)
        bus = broker.connect()
        bluez.addAdapter()
        bluez.start()
        role = PairingRole(
            scheduler, RemoteSnapshot(identification), Logger(label: "test") { [logger] _ in logger })
        bus.subscribe(BusMatch(sender: "org.bluez")) { [weak self] signal in
            guard let self, let change = BusObjectChange(signal) else { return }
            for change in objects.apply(change) { role.apply(change, objects) }
        }
        scheduler.run()
    }

    /// Reads the objects of bluetoothd, as the adapter does, and begins.
    func begin() {
        bus.call("org.bluez", "/", BlueZ.objectManager, "GetManagedObjects") { [weak self] result in
            guard let self, let all = try? result.get().body.first?.managedObjects else { return }
            objects.replace(all)
            role.begin(on: bus, adapter: Self.adapter, objects)
        }
        scheduler.run()
    }

    func open() -> (any PairingSession, PairingLog) {
        let log = PairingLog()
        let session = role.open(observer: log)
        scheduler.run()
        return (session, log)
    }

    /// A connected device.
    func device(_ address: String = "C0:00:00:00:00:01", _ change: (inout ScriptedDevice) -> Void = { _ in }) -> String
    {
        var device = ScriptedDevice(address, name: "lamp")
        change(&device)
        let path = bluez.addDevice(device)
        bluez.connectIncoming(path)
        run()
        return path
    }

    func peer(_ path: String) -> PeerIdentifier {
        guard let device = BlueZDevice(path, bluez.deviceProperties(path)) else {
            preconditionFailure("no device \(path)")
        }
        return identification.identifier(for: device.address)
    }

    func run(_ span: TimeSpan = .seconds(1)) { scheduler.run(for: span) }
}

extension ScriptedBlueZ {
    fileprivate func deviceProperties(_ path: String) -> BusProperties {
        var properties: BusProperties = [:]
        for name in ["Address", "AddressType"] { properties[name] = property(path, Self.device, name) }
        return properties
    }
}

/// Keeps the lines of a log.
final class LineLog: LogHandler, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    private(set) var lines: [String] = []
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.append("\(event.message)") }
}
