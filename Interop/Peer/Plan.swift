import CoreBluetooth

/// What both sides of an interoperability run agree on. Interop/plan.py says the same in Python.
enum Plan {
    static let name = "ocb-interop"

    static var service: CBUUID { uuid("0000") }
    /// Read, write.
    static var long: CBUUID { uuid("0001") }
    /// Write without response.
    static var command: CBUUID { uuid("0002") }
    /// Read: all write commands that came, one after another.
    static var account: CBUUID { uuid("0003") }
    static var notify: CBUUID { uuid("0004") }
    static var indicate: CBUUID { uuid("0005") }
    /// A writable descriptor of `long`; only Bumble's server has one.
    static var notepad: CBUUID { uuid("00D1") }

    static var properties: [CBUUID: CBCharacteristicProperties] {
        [long: [.read, .write], command: .writeWithoutResponse, account: .read, notify: .notify, indicate: .indicate]
    }
    static let description = "a long value"

    // Longer than any ATT_MTU that is negotiated here, so that each is read and written in parts.
    static let readValue = Data((0..<512).map { UInt8(truncatingIfNeeded: 7 * $0 + 3) })
    static let writeValue = Data((0..<writeLength).map { UInt8(truncatingIfNeeded: 13 * $0 + 5) })
    /// For servers that take less than the specification's 512 octets.
    private static let writeLength =
        ProcessInfo.processInfo.environment["INTEROP_WRITE_LENGTH"].flatMap { Int($0) } ?? 512
    static let descriptorValue = Data("written".utf8)
    static let commands = values(8, of: 16, times: 31)
    static let notifications = values(20, of: 20, times: 17)
    static let indications = values(5, of: 20, times: 29)

    // A run about the database: an included service, the smallest ATT_MTU, and a service that comes while a client is connected.
    static var includedService: CBUUID { CBUUID(string: "181A") }
    static var includedCharacteristic: CBUUID { CBUUID(string: "2A6E") }
    static let includedValue = Data([0x55, 0x08])
    static var lateService: CBUUID { uuid("0010") }
    static var lateCharacteristic: CBUUID { uuid("0011") }
    static let lateValue = Data("late".utf8)
    static let smallestMTU = 23
    /// Written to `command`, makes the server add the late service.
    static let change = Data("change".utf8)

    private static func uuid(_ part: String) -> CBUUID { CBUUID(string: "7E57\(part)-0C0B-4B1E-8000-0123456789AB") }

    private static func values(_ count: Int, of octets: Int, times factor: Int) -> [Data] {
        (0..<count).map { number in Data((0..<octets).map { UInt8(truncatingIfNeeded: factor * number + $0) }) }
    }
}
