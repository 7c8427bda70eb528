/// A message of D-Bus (D-Bus Specification, "Message format").
package struct BusMessage: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        case call = 1
        case reply = 2
        case error = 3
        case signal = 4
    }

    /// The longest message that this module reads; the specification allows 128 MiB.
    static let longest = 1 << 20
    static let headerLength = 16

    package var kind: Kind
    package var serial: UInt32
    package var path: String?
    package var interface: String?
    package var member: String?
    package var errorName: String?
    package var replySerial: UInt32?
    package var destination: String?
    package var body: [BusValue] = []

    init(_ kind: Kind, serial: UInt32) {
        self.kind = kind
        self.serial = serial
    }

    var encoded: [UInt8] {
        var content = BusWriter()
        for value in body { content.value(value) }
        var fields: [BusValue] = []
        func add(_ code: UInt8, _ value: BusValue?) {
            if let value { fields.append(.structure([.byte(code), .variant(value)])) }
        }
        add(1, path.map { .path($0) })
        add(2, interface.map { .string($0) })
        add(3, member.map { .string($0) })
        add(4, errorName.map { .string($0) })
        add(5, replySerial.map { .uint32($0) })
        add(6, destination.map { .string($0) })
        if !body.isEmpty { add(8, .signature(body.map(\.signature).joined())) }
        var writer = BusWriter()
        for octet in [0x6C, kind.rawValue, 0, 1] as [UInt8] { writer.value(.byte(octet)) }
        writer.number(UInt32(content.octets.count))
        writer.number(serial)
        writer.value(.array("(yv)", fields))
        writer.align(8)
        return writer.octets + content.octets
    }

    /// The length of the message that begins with these octets; nil if there are fewer than 16.
    static func length(of octets: [UInt8]) throws(BusError) -> Int? {
        guard octets.count >= headerLength else { return nil }
        guard octets[0] == 0x6C || octets[0] == 0x42, octets[3] == 1 else { throw .invalid }
        var reader = BusReader(octets, isBig: octets[0] == 0x42, position: 4)
        let body = Int(try reader.number(UInt32.self))
        _ = try reader.number(UInt32.self)
        let fields = Int(try reader.number(UInt32.self))
        let length = (headerLength + fields + 7) / 8 * 8 + body
        guard length <= longest else { throw .tooLong }
        return length
    }

    /// Decodes one whole message.
    init(decoding octets: [UInt8]) throws(BusError) {
        guard let length = try Self.length(of: octets), length <= octets.count else { throw .truncated }
        var reader = BusReader(octets, isBig: octets[0] == 0x42)
        guard let kind = Kind(rawValue: octets[1]) else { throw .invalid }
        let header = try reader.values("yyyyuua(yv)")
        guard case .uint32(let serial) = header[5], let fields = header[6].elements else { throw .invalid }
        self.init(kind, serial: serial)
        var signature = ""
        for field in fields {
            guard case .structure(let parts) = field, parts.count == 2, case .byte(let code) = parts[0],
                case .variant(let value) = parts[1]
            else { throw .invalid }
            switch (code, value) {
            case (1, .path(let text)): path = text
            case (2, .string(let text)): interface = text
            case (3, .string(let text)): member = text
            case (4, .string(let text)): errorName = text
            case (5, .uint32(let number)): replySerial = number
            case (6, .string(let text)): destination = text
            case (8, .signature(let text)): signature = text
            default: break
            }
        }
        try reader.align(8)
        body = try reader.values(signature)
    }
}
