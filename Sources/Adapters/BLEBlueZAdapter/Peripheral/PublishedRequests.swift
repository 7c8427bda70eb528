import BLEAdapter
import BLEWire
import SystemBus

/// The reads and writes that programs have not answered.
struct PublishedRequests {
    struct Request {
        let call: BusCall
        let session: Int
        let isRead: Bool
        let deadline: Instant
    }

    /// A client has one request at a time on each bearer (Vol 3, Part F, 3.3.2), and a bus carries 128 calls of bluetoothd at a time.
    static let limit = 64
    /// After this time bluetoothd answers the client itself (src/shared/gatt-db.c, ATTRIBUTE_TIMEOUT), and ignores what comes later.
    static let deadline = TimeSpan.seconds(5)

    private var pending: [RequestIdentifier: Request] = [:]
    private var count: UInt64 = 0
    /// A look at the deadlines is on its way.
    var isWatched = false

    /// An identifier for a write that needs no response.
    mutating func next() -> RequestIdentifier {
        count += 1
        return RequestIdentifier(rawValue: count)
    }

    /// Returns nil if too many wait.
    mutating func add(_ request: Request) -> RequestIdentifier? {
        guard pending.count < Self.limit else { return nil }
        let identifier = next()
        pending[identifier] = request
        return identifier
    }

    mutating func take(_ identifier: RequestIdentifier) -> Request? { pending.removeValue(forKey: identifier) }

    /// The earliest deadline.
    var deadline: Instant? { pending.values.map(\.deadline).min() }

    mutating func takeExpired(at now: Instant) -> [Request] { takeAll { $0.deadline <= now } }

    mutating func takeAll(where isMeant: (Request) -> Bool) -> [Request] {
        let keys = pending.filter { isMeant($0.value) }.keys.sorted { $0.rawValue < $1.rawValue }
        return keys.compactMap { take($0) }
    }

    /// The identifiers are not used again: a program may answer late.
    mutating func removeAll() { pending = [:] }
}

/// The errors of D-Bus that bluetoothd turns into errors of ATT (src/gatt-database.c, dbus_error_to_att_ecode).
enum RequestFailure {
    /// A name that bluetoothd does not know becomes Unlikely Error.
    static let unlikely = BusCallError.Name.failed
    private static let invalidValueLength: UInt8 = 0x0D

    /// The error for a code of ATT (Vol 3, Part F, 3.4.1.1). Codes that bluetoothd has no name for become Unlikely Error.
    static func error(_ code: UInt8) -> (name: String, text: String) {
        let text = "\(ATT.ErrorCode(rawValue: code))"
        return switch code {
        // By the request, one or the other.
        case 0x02, 0x03: (BlueZ.Failure.notPermitted, text)
        case 0x06: (BlueZ.Failure.notSupported, text)
        case 0x07: (BlueZ.Failure.invalidOffset, text)
        case 0x08: (BlueZ.Failure.notAuthorized, text)
        case invalidValueLength: (BlueZ.Failure.invalidValueLength, text)
        // Versions before 5.66 answer 0x80 for all of them.
        case 0x80...0x9F: (BlueZ.Failure.failed, "0x" + String(code, radix: 16))
        case 0xFD: ("org.bluez.Error.ImproperlyConfigured", text)
        case 0xFE: (BlueZ.Failure.inProgress, text)
        default: (unlikely, text)
        }
    }

    /// Whether the client gets this code.
    static func isExact(_ code: UInt8) -> Bool {
        code == 0x0E || error(code).name != unlikely
    }
}

/// What bluetoothd says about the client with each call (org.bluez.GattCharacteristic1, options).
struct AttributeOptions {
    let device: String
    let offset: Int
    let mtu: UInt64?
    /// A question whether a prepared write may be kept. No write yet.
    let isPrepareQuestion: Bool

    init(_ value: BusValue?) {
        let properties = value?.properties ?? [:]
        device = properties["device"]?.text ?? ""
        offset = Int(clamping: properties["offset"]?.number ?? 0)
        mtu = properties["mtu"]?.number
        isPrepareQuestion = properties["prepare-authorize"]?.flag == true
    }
}
