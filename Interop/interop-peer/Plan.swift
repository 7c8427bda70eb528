import CoreBluetooth

/// The values that both sides of an interoperability run expect. Interop/plan.py is the Python version.
enum Plan {
    static let name = "ocb-interop"

    static var service: CBUUID { uuid("0000") }
    /// Read, write.
    static var long: CBUUID { uuid("0001") }
    /// Write without response.
    static var command: CBUUID { uuid("0002") }
    /// Read: the concatenation of all received write commands.
    static var account: CBUUID { uuid("0003") }
    static var notify: CBUUID { uuid("0004") }
    static var indicate: CBUUID { uuid("0005") }
    /// A writable descriptor of `long`, on Bumble's server only.
    static var notepad: CBUUID { uuid("00D1") }

    static var properties: [CBUUID: CBCharacteristicProperties] {
        [long: [.read, .write], command: .writeWithoutResponse, account: .read, notify: .notify, indicate: .indicate]
    }
    static let description = "a long value"

    // Longer than every negotiated ATT_MTU, so that the peers read and write them in parts.
    static let readValue = Data((0..<512).map { UInt8(truncatingIfNeeded: 7 * $0 + 3) })
    static let writeValue = Data((0..<writeLength).map { UInt8(truncatingIfNeeded: 13 * $0 + 5) })
    /// For servers that accept less than the specification's 512 octets.
    private static let writeLength =
        ProcessInfo.processInfo.environment["INTEROP_WRITE_LENGTH"].flatMap { Int($0) } ?? 512
    static let descriptorValue = Data("written".utf8)
    static let commands = values(8, of: 16, times: 31)
    static let notifications = values(20, of: 20, times: 17)
    static let indications = values(5, of: 20, times: 29)

    // The topic database: an included service, the smallest ATT_MTU, and a service that the server adds during a connection.
    static var includedService: CBUUID { CBUUID(string: "181A") }
    static var includedCharacteristic: CBUUID { CBUUID(string: "2A6E") }
    static let includedValue = Data([0x55, 0x08])
    static var lateService: CBUUID { uuid("0010") }
    static var lateCharacteristic: CBUUID { uuid("0011") }
    static let lateValue = Data("late".utf8)
    static let smallestMTU = 23
    /// The server adds the late service when a client writes this to `command`.
    static let change = Data("change".utf8)

    // The topic figures: a server with many services, whose characteristics count.
    static let figuresName = "ocb-figures"
    static let figuresServices = 20
    static var figures: CBUUID { uuid("0040") }
    /// Read.
    static var sample: CBUUID { uuid("0041") }
    /// Write without response: numbered values.
    static var counted: CBUUID { uuid("0042") }
    /// Read: the values that `counted` has received, and those of them in order, in four octets each.
    static var tally: CBUUID { uuid("0043") }
    /// Notify: numbered values.
    static var stream: CBUUID { uuid("0044") }
    /// Write without response: the number of values that `stream` is to have sent (four octets), and the number of the last received (four octets).
    static var demand: CBUUID { uuid("0045") }
    /// The other services of the server, each with two values to read.
    static func filler(_ number: Int) -> CBUUID { uuid(String(format: "%04X", 0x0100 + number)) }
    static let figuresLength = 20
    /// The values that `stream` sends ahead of what the client has received. The queues on their way hold more.
    static let figuresAhead: UInt32 = 128

    private static func uuid(_ part: String) -> CBUUID { CBUUID(string: "7E57\(part)-0C0B-4B1E-8000-0123456789AB") }

    private static func values(_ count: Int, of octets: Int, times factor: Int) -> [Data] {
        (0..<count).map { number in Data((0..<octets).map { UInt8(truncatingIfNeeded: factor * number + $0) }) }
    }
}
