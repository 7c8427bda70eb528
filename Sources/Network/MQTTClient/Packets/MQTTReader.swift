import BLEWire

/// Reads the fields of a packet in their order (MQTT 5.0, 1.5). A field beyond the end is a violation.
struct MQTTReader: ~Escapable {
    private let octets: Span<UInt8>
    private var position = 0
    let type: MQTTPacketType

    @_lifetime(copy octets)
    init(_ octets: Span<UInt8>, of type: MQTTPacketType) {
        self.octets = octets
        self.type = type
    }

    /// The octets that are left.
    var count: Int { octets.count - position }

    func violation(_ what: String, _ code: MQTTProtocolError.Code = .malformedPacket) -> MQTTProtocolError {
        MQTTProtocolError(code, "\(type.name) with \(what)")
    }

    /// Takes octets. They are valid as long as those of the reader.
    @_lifetime(copy self)
    private mutating func take(_ count: Int) throws(MQTTProtocolError) -> Span<UInt8> {
        guard count >= 0, count <= self.count else { throw violation("a field beyond its end") }
        let taken = octets.extracting(position..<(position + count))
        position += count
        return taken
    }

    mutating func octet() throws(MQTTProtocolError) -> UInt8 { try take(1)[0] }

    /// 0 or 1.
    mutating func bit() throws(MQTTProtocolError) -> Bool {
        let octet = try octet()
        guard octet <= 1 else { throw violation("the value \(octet) where only 0 and 1 are allowed", .protocolError) }
        return octet == 1
    }

    mutating func number16() throws(MQTTProtocolError) -> UInt16 {
        let octets = try take(2)
        return UInt16(octets[0]) << 8 | UInt16(octets[1])
    }

    mutating func number32() throws(MQTTProtocolError) -> UInt32 {
        let high = try number16()
        return UInt32(high) << 16 | UInt32(try number16())
    }

    /// A variable byte integer, at most 268,435,455 (1.5.5).
    mutating func variable() throws(MQTTProtocolError) -> Int {
        guard let (value, length) = Self.variable(octets.extracting(droppingFirst: position)) else {
            throw violation(count < 4 ? "a field beyond its end" : "a number of more than four octets")
        }
        position += length
        return value
    }

    /// The variable byte integer at the front, and the number of its octets. Nil if its end is not among the first four octets.
    static func variable(_ octets: Span<UInt8>) -> (value: Int, count: Int)? {
        var value = 0
        for index in 0..<min(4, octets.count) {
            value |= Int(octets[index] & 0x7F) << (7 * index)
            if octets[index] & 0x80 == 0 { return (value, index + 1) }
        }
        return nil
    }

    /// A text: UTF-8 without U+0000 (1.5.4).
    mutating func text() throws(MQTTProtocolError) -> String {
        let octets = try take(Int(try number16()))
        do throws(UTF8.ValidationError) {
            let text = String(copying: try UTF8Span(validating: octets))
            if !text.utf8.contains(0) { return text }
        } catch {}
        throw violation("a text that is not UTF-8")
    }

    mutating func skipBinary() throws(MQTTProtocolError) { _ = try take(Int(try number16())) }

    /// A packet identifier, which is never 0 (2.2.1).
    mutating func identifier() throws(MQTTProtocolError) -> UInt16 {
        let identifier = try number16()
        guard identifier != 0 else { throw violation("the packet identifier 0", .protocolError) }
        return identifier
    }

    /// A reader of the next octets alone.
    @_lifetime(copy self)
    mutating func part(_ count: Int) throws(MQTTProtocolError) -> MQTTReader { MQTTReader(try take(count), of: type) }

    mutating func rest() throws(MQTTProtocolError) -> [UInt8] {
        var rest: [UInt8] = []
        rest.append(try take(count))
        return rest
    }

    func end() throws(MQTTProtocolError) {
        guard count == 0 else { throw violation("octets after its end") }
    }
}
