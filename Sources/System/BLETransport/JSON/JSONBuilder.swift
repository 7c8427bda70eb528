import BLEWire

/// Builds the octets of one JSON object (RFC 8259). Texts of devices can hold anything: `JSONString` escapes them.
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
        JSONString.append(value, to: &octets)
    }

    /// An address as in its description: six octets as digits in upper case, with colons.
    package mutating func add(_ name: StaticString, _ address: DeviceAddress) { add(name, address.description) }

    package mutating func add(_ name: StaticString, _ value: some BinaryInteger) {
        add(name, json: value.description)
    }

    /// - Parameter value: A finite number. A whole number has no point.
    package mutating func add(_ name: StaticString, _ value: Double) {
        let isWhole = value.rounded() == value && abs(value) < 1e15
        add(name, json: isWhole ? String(Int(value)) : String(value))
    }

    package mutating func add(_ name: StaticString, _ value: Bool) { add(name, json: value ? "true" : "false") }

    package mutating func addNull(_ name: StaticString) { add(name, json: "null") }

    private mutating func add(_ name: StaticString, json: String) {
        begin(name)
        octets.append(contentsOf: json.utf8)
    }

    /// Octets as hexadecimal digits in lower case.
    package mutating func add(_ name: StaticString, hexadecimal value: [UInt8]) {
        begin(name)
        octets.append(UInt8(ascii: "\""))
        for octet in value { Hexadecimal.append(octet, to: &octets) }
        octets.append(UInt8(ascii: "\""))
    }

    package mutating func add(_ name: StaticString, object body: (inout JSONBuilder) -> Void) {
        begin(name)
        append(object: body)
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
        JSONString.append(value, to: &octets)
    }

    package mutating func addElement(object body: (inout JSONBuilder) -> Void) {
        separate()
        append(object: body)
    }

    private mutating func append(object body: (inout JSONBuilder) -> Void) {
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
}
