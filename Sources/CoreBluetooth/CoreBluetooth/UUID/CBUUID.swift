internal import BLEAssignedNumbers
internal import BLEWire
import CoreFoundation
import Foundation

/// An immutable Bluetooth UUID of 16, 32 or 128 bits.
///
/// Two UUIDs are equal if their 128-bit forms are equal: `CBUUID(string: "180F")` equals `CBUUID(string:
/// "0000180F-0000-1000-8000-00805F9B34FB")`. ``data`` and ``uuidString`` preserve the original length.
open class CBUUID: NSObject, NSCopying {
    let value: BluetoothUUID

    init(value: BluetoothUUID) {
        self.value = value
        super.init()
    }

    /// Creates a UUID of 128 zero bits.
    public override convenience init() {
        self.init(value: BluetoothUUID(high: 0, low: 0))
    }

    /// Creates a UUID from text: 4 or 8 hexadecimal digits, or 32 digits with hyphens (8-4-4-4-12).
    ///
    /// - Parameter theString: The text, in upper or lower case. `0x` may precede 4 or 8 digits.
    ///
    /// An invalid text ends the program, as with an exception of Apple's framework. Use ``init(validating:)-(String)`` for
    /// untrusted text.
    public required convenience init(string theString: String) {
        guard let value = Self.value(theString) else {
            APIMisuse.trap("String \(theString) does not represent a valid UUID")
        }
        self.init(value: value)
    }

    /// Creates a UUID from 2, 4 or 16 octets, the most significant first.
    ///
    /// - Parameter theData: The octets. Another number of octets ends the program; see ``init(validating:)-(Data)``.
    public required convenience init(data theData: Data) {
        guard let value = BluetoothUUID(bigEndian: theData) else {
            APIMisuse.trap("Data \(theData as NSData) does not represent a valid UUID")
        }
        self.init(value: value)
    }

    /// Creates a 128-bit UUID from a Foundation UUID.
    ///
    /// - Parameter theUUID: The UUID.
    public required convenience init(nsuuid theUUID: UUID) {
        self.init(value: BluetoothUUID(theUUID))
    }

    /// Creates a 128-bit UUID from a CoreFoundation UUID. Deprecated since iOS 9: use ``init(nsuuid:)``.
    ///
    /// - Parameter theUUID: The UUID.
    public required convenience init(cfuuid theUUID: CFUUID) {
        let octets = CFUUIDGetUUIDBytes(theUUID)
        self.init(
            nsuuid: UUID(
                uuid: (
                    octets.byte0, octets.byte1, octets.byte2, octets.byte3, octets.byte4, octets.byte5, octets.byte6,
                    octets.byte7, octets.byte8, octets.byte9, octets.byte10, octets.byte11, octets.byte12,
                    octets.byte13, octets.byte14, octets.byte15
                )))
    }

    /// Creates a UUID from untrusted text; nil if the text is invalid. Linux only.
    ///
    /// - Parameter text: The text.
    public required convenience init?(validating text: String) {
        guard let value = Self.value(text) else { return nil }
        self.init(value: value)
    }

    private static func value(_ text: String) -> BluetoothUUID? {
        let hasPrefix = text.hasPrefix("0x") || text.hasPrefix("0X")
        guard let value = BluetoothUUID(hasPrefix ? String(text.dropFirst(2)) : text) else { return nil }
        return hasPrefix && value.octetCount == 16 ? nil : value
    }

    /// Creates a UUID from untrusted octets; nil if their number is invalid. Linux only.
    ///
    /// - Parameter data: 2, 4 or 16 octets, the most significant first.
    public required convenience init?(validating data: Data) {
        guard let value = BluetoothUUID(bigEndian: data) else { return nil }
        self.init(value: value)
    }

    /// The UUID in its original length: 2, 4 or 16 octets, the most significant first.
    open var data: Data { value.bigEndian }

    /// The UUID as upper-case text in its original length. Only a 128-bit UUID has hyphens.
    open var uuidString: String { value.description }

    /// The name that the Bluetooth SIG assigned, such as "Heart Rate", or ``uuidString``.
    open override var description: String {
        knownName ?? uuidString
    }

    private static let characteristicFormat = BluetoothUUID(UInt16(0x2904))
    private static let continuity = BluetoothUUID(high: 0xD061_1E78_BBB4_4591, low: 0xA5F8_4879_10AE_4366)

    private var knownName: String? {
        switch value {
        // Apple's framework prints an older name of this descriptor, and knows a name for its own service.
        case Self.characteristicFormat: "Characteristic Format"
        case Self.continuity: "Continuity"
        default: AssignedNumbers.name(of: value)
        }
    }

    /// Whether `object` is a UUID with the same 128-bit form.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CBUUID)?.value == value
    }

    /// The hash of the 128-bit form.
    open override var hash: Int { value.hashValue }

    /// Returns the object itself, because it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

extension BluetoothUUID {
    init(_ uuid: UUID) {
        self = withUnsafeBytes(of: uuid.uuid) { octets in
            let half = { (range: Range<Int>) in octets[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
            return BluetoothUUID(high: half(0..<8), low: half(8..<16))
        }
    }

    init?(bigEndian data: Data) {
        let half = { (octets: Data) in octets.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        switch data.count {
        case 2: self.init(UInt16(truncatingIfNeeded: half(data)))
        case 4: self.init(UInt32(truncatingIfNeeded: half(data)))
        case 16: self.init(high: half(data.prefix(8)), low: half(data.suffix(8)))
        default: return nil
        }
    }

    var bigEndian: Data {
        func octets(_ value: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        }
        switch octetCount {
        case 2, 4: return Data(octets(high >> 32, octetCount))
        default: return Data(octets(high, 8) + octets(low, 8))
        }
    }
}
