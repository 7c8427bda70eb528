internal import BLESecurity
internal import BLEWire
import Foundation

/// What one device tells another over a channel that an attacker cannot read or alter, such as NFC or a QR code. With it the
/// devices authenticate each other without a user.
///
/// With LE Secure Connections, one direction suffices: a device that has the other's data authenticates it. If both have data, each
/// authenticates the other. A device that has no data is authenticated by its knowledge of the random value, so the channel
/// must also be secret then.
///
/// ```swift
/// // On the lock: data for the sticker or the display.
/// PairingManager().makeOutOfBandData { data in
///     guard let data, let random = data.random, let confirm = data.confirm else { return }
///     print((random + confirm).base64EncodedString())
/// }
/// ```
///
/// On the phone:
///
/// ```swift
/// func open(_ lock: CBPeripheral, scanned: Data, with pairing: PairingManager) {
///     guard let data = OutOfBandData(random: scanned.prefix(16), confirm: scanned.suffix(16)) else { return }
///     pairing.setOutOfBandData(data, of: lock.identifier)
///     pairing.pair(lock.identifier, minimum: .secureConnections) { result in
///         if case .failure(let error) = result { print(error.localizedDescription) }
///     }
/// }
/// ```
///
/// Values have 16 octets, the least significant first, as in the AD structures of an out-of-band data block (Core Specification
/// Supplement, Part A, 1.6 and 1.8). Descriptions hide them.
public struct OutOfBandData: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The kind of pairing for which data is made.
    public enum Kind: Hashable, Sendable {
        /// LE Secure Connections: a commitment to a public key, and a random value.
        case secureConnections
        /// Legacy pairing, which devices before Bluetooth 4.2 use: a temporary key that both devices set.
        case legacy
    }

    let content: Content

    // Mirrors the block of the Security Manager, whose type is internal to the package.
    enum Content: Hashable, Sendable {
        case secureConnections(random: UInt128, confirm: UInt128)
        case legacy(UInt128)
    }

    /// Creates the data of LE Secure Connections (Vol 3, Part H, 2.3.5.6.4).
    ///
    /// - Parameters:
    ///   - random: LE Secure Connections Random Value (AD type 0x23).
    ///   - confirm: LE Secure Connections Confirmation Value (AD type 0x22).
    /// - Returns: Nil if a value does not have 16 octets.
    public init?(random: Data, confirm: Data) {
        guard let random = Self.number(random), let confirm = Self.number(confirm) else { return nil }
        content = .secureConnections(random: random, confirm: confirm)
    }

    /// Creates the data of legacy pairing (Vol 3, Part H, 2.3.5.4).
    ///
    /// - Parameter temporaryKey: Security Manager TK Value (AD type 0x10).
    /// - Returns: Nil if the key does not have 16 octets, or is zero: that is the key of just works, which every device knows.
    public init?(temporaryKey: Data) {
        guard let key = Self.number(temporaryKey), key != 0 else { return nil }
        content = .legacy(key)
    }

    /// The kind of pairing that uses the data.
    public var kind: Kind { if case .legacy = content { .legacy } else { .secureConnections } }

    /// The random value of LE Secure Connections; nil in data of legacy pairing.
    public var random: Data? {
        if case .secureConnections(let random, _) = content { Self.octets(random) } else { nil }
    }

    /// The confirmation value of LE Secure Connections; nil in data of legacy pairing.
    public var confirm: Data? {
        if case .secureConnections(_, let confirm) = content { Self.octets(confirm) } else { nil }
    }

    /// The temporary key of legacy pairing; nil in data of LE Secure Connections.
    public var temporaryKey: Data? { if case .legacy(let key) = content { Self.octets(key) } else { nil } }

    /// The kind of the data without its values.
    public var description: String { "OutOfBandData(\(kind), redacted)" }
    /// The kind of the data without its values.
    public var debugDescription: String { description }
    /// A mirror without the values.
    public var customMirror: Mirror { Mirror(self, children: []) }

    init(_ block: OutOfBandBlock) {
        content =
            switch block {
            case .secureConnections(let data):
                .secureConnections(random: data.random.value, confirm: data.commitment)
            case .legacy(let key): .legacy(key.value)
            }
    }

    var securityBlock: OutOfBandBlock {
        switch content {
        case .secureConnections(let random, let confirm):
            .secureConnections(.init(random: OutOfBandRandom(value: random), commitment: confirm))
        case .legacy(let key): .legacy(TemporaryKey(value: key))
        }
    }

    private static func number(_ octets: Data) -> UInt128? {
        octets.count == 16 ? octets.reversed().reduce(0) { $0 << 8 | UInt128($1) } : nil
    }

    private static func octets(_ number: UInt128) -> Data {
        Data((0..<16).map { UInt8(truncatingIfNeeded: number >> UInt128(8 * $0)) })
    }
}

extension OutOfBandBlock.Kind {
    init(_ kind: OutOfBandData.Kind) {
        self = kind == .legacy ? .legacy : .secureConnections
    }
}
