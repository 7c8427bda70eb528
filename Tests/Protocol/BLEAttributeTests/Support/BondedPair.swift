import BLECrypto
import BLEWire
import Testing

@testable import BLEAttribute

/// A client and a server that are bonded: links come and go, and both sides keep their octets.
final class BondedPair {
    var database: AttributeDatabase
    private(set) var pair: Pair
    /// What the stores of both sides hold.
    var clientState: [UInt8]?
    var cache: [UInt8]?
    let service: AddedService
    /// A value with notifications, indications and a descriptor.
    var value: AddedCharacteristic { service.characteristics[0] }
    /// A value whose updates require encryption.
    var secret: AddedCharacteristic { service.characteristics[1] }

    init(crypto: (any CryptoProvider)? = SwiftCryptoProvider()) throws {
        database = AttributeDatabase(deviceName: Array("Band".utf8), crypto: crypto)
        let included = try database.added(ServiceDefinition(uuid(0x180F), isPrimary: false))
        service = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [
                    CharacteristicDefinition(
                        uuid(0x36F5), 0x3E, 3, descriptors: [DescriptorDefinition(uuid: uuid(0x2901), value: [0x41])]),
                    CharacteristicDefinition(uuid(0x36F6), 0x302, 5),
                    CharacteristicDefinition(ClientServerTests.long, 0x02, 1),
                ]), included: [included.range])
        _ = try database.added(
            ServiceDefinition(ClientServerTests.long, [CharacteristicDefinition(uuid(0x36F5), 2, 1)]))
        pair = Pair(database, suspendsForSecurity: true)
    }

    /// Begins a new link, which is not encrypted yet.
    func connect() {
        pair.onClient { $0.close(output: &$1) }
        collect()
        let now = pair.now
        pair = Pair(database, suspendsForSecurity: true)
        pair.now = now
        pair.serverSecurity = .keyAvailable
        pair.values[value.valueHandle] = [1]
        pair.values[secret.valueHandle] = [2]
    }

    /// Encrypts the link with the bond, and restores what both sides keep.
    func encrypt(client: Bool = true, server: Bool = true) {
        setSecurity(.encrypted)
        if server {
            pair.onServer {
                $0.restoreClient(
                    clientState, database: database, security: .encrypted, at: pair.now, output: &$1)
            }
        }
        if client { pair.onClient { $0.useAttributeCache(cache, at: pair.now, output: &$1) } }
        collect()
    }

    func setSecurity(_ security: LinkSecurity) {
        pair.serverSecurity = security
        pair.onServer { $0.securityChanged(to: security, database: database, output: &$1) }
    }

    func reconnect() {
        connect()
        encrypt()
    }

    /// Lets the program pause, so that tasks of the host run.
    func pause() {
        pair.now += .seconds(1)
        pair.onClient { $0.handleTimeout(at: pair.now, output: &$1) }
        collect()
    }

    @discardableResult
    func run(_ operation: GATTOperation) -> Result<GATTResult, GATTError>? {
        let result = pair.run(operation)
        collect()
        return result
    }

    /// The PDUs of the client during `body`.
    func traffic(_ body: () throws -> Void) rethrows -> [[UInt8]] {
        let before = pair.toServer.count
        try body()
        return Array(pair.toServer[before...])
    }

    /// The PDUs of the client for an operation.
    func sent(_ operation: GATTOperation) -> [[UInt8]] { traffic { run(operation) } }

    /// Changes the database, also of the link.
    func change(_ body: (inout AttributeDatabase) throws -> HandleRange) rethrows {
        let range = try body(&database)
        pair.database = database
        pair.onServer {
            $0.removed(range, output: &$1)
            $0.databaseChanged(database, security: pair.serverSecurity, output: &$1)
            $0.indicateServicesChanged(range, database: database, at: pair.now, output: &$1)
        }
        collect()
    }

    func add(_ service: UInt16 = 0xFEE9) throws {
        try change { try $0.added(ServiceDefinition(uuid(service), [.init(uuid(0x36F9), 0x12, 1)])).range }
    }

    func notify(_ handle: UInt16) -> Bool {
        guard pair.server.clientConfiguration(ofValueHandle: handle) & 1 != 0 else { return false }
        pair.onServer { $0.notify(handle: handle, value: [9].span, output: &$1) }
        return true
    }

    /// Stores what both sides report.
    func collect() {
        for case .clientStateChanged(let octets) in pair.serverEvents { clientState = octets }
        for case .attributeCacheChanged(let octets) in pair.clientEvents { cache = octets }
    }

    /// The ranges of Service Changed that the client has got on this link.
    var changes: [HandleRange] {
        pair.clientEvents.compactMap { if case .servicesChanged(let range) = $0 { range } else { nil } }
    }

    var subscriptions: [UInt16] {
        pair.serverEvents.compactMap {
            if case .subscriptionChanged(let handle, let bits) = $0, bits != 0 { handle } else { nil }
        }
    }

    func subscribe(_ characteristic: AddedCharacteristic, end: UInt16, _ mode: GATTOperation.NotifyMode = .notification)
        -> GATTOperation
    { .setNotify(valueHandle: characteristic.valueHandle, end: end, mode: mode) }

    func enableServiceChanged() {
        pair.run { $0.enableServiceChanged(id: $1, at: $2, output: &$3) }
        pause()
    }
}
