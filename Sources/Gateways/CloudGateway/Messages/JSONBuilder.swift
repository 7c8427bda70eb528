import BLEWire

/// Builds the octets of one JSON object (RFC 8259). Texts of devices can hold anything: control characters and quotes are escaped.
package struct JSONBuilder {
    package private(set) var octets: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// The octets of an object with the members that `body` adds.
    package static func object(_ body: (inout JSONBuilder) -> Void) -> [UInt8] {
        var builder = JSONBuilder()
        builder.octets.reserveCapacity(256)
        builder.open(UInt8(ascii: "{"))
        body(&builder)
        builder.close(UInt8(ascii: "}"))
        return builder.octets
    }

    // MARK: Members

    package mutating func add(_ name: StaticString, _ value: String) {
        begin(name)
        append(value)
    }

    /// Six octets as digits in upper case with colons, the same as the address's description.
    mutating func add(_ name: StaticString, _ address: DeviceAddress) {
        begin(name)
        octets.append(UInt8(ascii: "\""))
        for index in 0..<6 {
            if index > 0 { octets.append(UInt8(ascii: ":")) }
            let octet = UInt8(truncatingIfNeeded: address.value >> UInt64(40 - 8 * index))
            octets.append(Self.capitalDigit(octet >> 4))
            octets.append(Self.capitalDigit(octet & 15))
        }
        octets.append(UInt8(ascii: "\""))
        needsComma = true
    }

    package mutating func add(_ name: StaticString, _ value: some BinaryInteger) {
        begin(name)
        if let value = Int64(exactly: value) {
            append(decimal: value)
        } else {
            octets.append(contentsOf: String(value).utf8)
        }
        needsComma = true
    }

    package mutating func add(_ name: StaticString, _ value: Bool) {
        begin(name)
        octets.append(contentsOf: (value ? "true" : "false").utf8)
        needsComma = true
    }

    package mutating func addNull(_ name: StaticString) {
        begin(name)
        octets.append(contentsOf: "null".utf8)
        needsComma = true
    }

    /// Octets as hexadecimal digits in lower case.
    package mutating func add(_ name: StaticString, hexadecimal value: some Sequence<UInt8>) {
        begin(name)
        octets.append(UInt8(ascii: "\""))
        for octet in value {
            octets.append(Self.digit(octet >> 4))
            octets.append(Self.digit(octet & 15))
        }
        octets.append(UInt8(ascii: "\""))
        needsComma = true
    }

    package mutating func add(_ name: StaticString, object body: (inout JSONBuilder) -> Void) {
        begin(name)
        addElement(object: body)
    }

    package mutating func add(_ name: StaticString, list body: (inout JSONBuilder) -> Void) {
        begin(name)
        open(UInt8(ascii: "["))
        body(&self)
        close(UInt8(ascii: "]"))
    }

    /// Adds members that another builder made: `"a":1,"b":2`.
    package mutating func add(members: [UInt8]) {
        guard !members.isEmpty else { return }
        separate()
        octets.append(contentsOf: members)
    }

    // MARK: Elements of a list

    package mutating func addElement(_ value: String) {
        separate()
        append(value)
    }

    package mutating func addElement(object body: (inout JSONBuilder) -> Void) {
        separate()
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    // MARK: Parts

    private mutating func begin(_ name: StaticString) {
        separate()
        octets.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { octets.append(contentsOf: $0) }
        octets.append(UInt8(ascii: "\""))
        octets.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func separate() {
        if needsComma { octets.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ octet: UInt8) {
        octets.append(octet)
        needsComma = false
    }

    private mutating func close(_ octet: UInt8) {
        octets.append(octet)
        needsComma = true
    }

    private mutating func append(decimal value: Int64) {
        if value < 0 { octets.append(UInt8(ascii: "-")) }
        let start = octets.count
        var rest = value.magnitude
        repeat {
            octets.append(48 + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest != 0
        octets.withUnsafeMutableBufferPointer { octets in
            var digits = octets[start...]
            digits.reverse()
        }
    }

    private mutating func append(_ text: String) {
        octets.append(UInt8(ascii: "\""))
        defer {
            octets.append(UInt8(ascii: "\""))
            needsComma = true
        }
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            guard utf8.allSatisfy(Self.isPlain) else { return false }
            octets.append(contentsOf: utf8)
            return true
        }
        guard !isPlain else { return }
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                octets.append(UInt8(ascii: "\\"))
                octets.append(octet)
            case 0..<0x20, 0x7F:
                octets.append(contentsOf: [0x5C, 0x75, 0x30, 0x30, Self.digit(octet >> 4), Self.digit(octet & 15)])
            default: octets.append(octet)
            }
        }
    }

    private static func isPlain(_ octet: UInt8) -> Bool {
        octet >= 0x20 && octet != UInt8(ascii: "\"") && octet != UInt8(ascii: "\\") && octet != 0x7F
    }

    private static func capitalDigit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 55 + value }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
}
