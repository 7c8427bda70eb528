internal import BLEAdapter
internal import BLEWire
public import Foundation

/// Which train a ``PeriodicScanner`` receives: the one of a device that announces it, with a given set or with any.
public struct PeriodicTarget: Hashable, Sendable {
    enum Device: Hashable, Sendable {
        case named(String)
        case identified(UUID)
        /// The 48 bits of the address.
        case address(UInt64)
    }

    let device: Device
    /// The Advertising SID; nil for any.
    let set: UInt8?

    private init(_ device: Device, _ set: Int?) throws(PeriodicError) {
        guard (0...15).contains(set ?? 0) else { throw .set(set ?? 0) }
        self.device = device
        self.set = set.map { UInt8($0) }
    }

    /// A train of a device with a name, in any of its advertisements.
    ///
    /// - Parameters:
    ///   - name: The name, as `CBPeripheral.name` has it.
    ///   - set: The number of the advertising set, 0 to 15; nil for any.
    public static func named(_ name: String, set: Int? = nil) throws(PeriodicError) -> PeriodicTarget {
        try PeriodicTarget(.named(name), set)
    }

    /// A train of a device.
    ///
    /// - Parameters:
    ///   - identifier: The `identifier` of a `CBPeripheral`.
    ///   - set: The number of the advertising set, 0 to 15; nil for any.
    public static func device(_ identifier: UUID, set: Int? = nil) throws(PeriodicError) -> PeriodicTarget {
        try PeriodicTarget(.identified(identifier), set)
    }

    /// A train of the device with an address, public or random.
    ///
    /// - Parameters:
    ///   - text: The address, such as `C0:11:22:33:44:55`.
    ///   - set: The number of the advertising set, 0 to 15; nil for any.
    public static func address(_ text: String, set: Int? = nil) throws(PeriodicError) -> PeriodicTarget {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let octets = parts.compactMap { $0.count == 2 && $0.allSatisfy(\.isHexDigit) ? UInt8($0, radix: 16) : nil }
        guard parts.count == 6, octets.count == 6 else { throw .address(text) }
        return try PeriodicTarget(.address(octets.reduce(0) { $0 << 8 | UInt64($1) }), set)
    }

    /// Returns what to request for the train that an advertisement announces; nil if it announces none or another one.
    func request(for content: DiscoveryContent, _ options: PeriodicScanner.Options) -> PeriodicSyncRequest? {
        guard let form = content.form, form.periodicInterval > 0, form.sid <= 15, let address = content.address,
            set == nil || set == form.sid
        else { return nil }
        let isDevice =
            switch device {
            case .named(let name): content.name == name
            case .identified(let identifier): content.identifier == PeerIdentifier(identifier)
            case .address(let value): address.value == value
            }
        guard isDevice else { return nil }
        return PeriodicSyncRequest(
            address: address, sid: form.sid, skip: UInt16(options.skip), timeout: options.timeoutUnits)
    }
}

extension PeerIdentifier {
    init(_ uuid: UUID) {
        let halves = withUnsafeBytes(of: uuid.uuid) { octets in
            (octets.loadUnaligned(as: UInt64.self), octets.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
    }

    var uuid: UUID {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
