import BLETransport

/// Equal if it is the same open descriptor.
extension Descriptor: Hashable {
    package static func == (left: Descriptor, right: Descriptor) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A message of D-Bus (D-Bus Specification, "Message Format").
package struct BusMessage: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        case call = 1
        case reply = 2
        case error = 3
        case signal = 4
        /// A type that a later version may define. Such messages are ignored.
        case unknown = 255
    }

    /// The longest message that this module reads and writes, in octets; the specification allows 128 MiB. The list of the objects of some
    /// thousand devices fits.
    static let longest = 4 << 20
    /// The longest message that a bus passes (D-Bus Specification, "Message Format").
    static let longestOnBus = 128 << 20
    static let headerLength = 16
    /// NO_REPLY_EXPECTED.
    private static let noReplyFlag: UInt8 = 1

    package var kind: Kind
    package var serial: UInt32
    package var isReplyExpected = true
    package var path: String?
    package var interface: String?
    package var member: String?
    package var errorName: String?
    package var replySerial: UInt32?
    package var destination: String?
    /// The unique name of the sender, which the bus fills in.
    package var sender: String?
    package var body: [BusValue] = []
    /// The descriptors to which `BusValue.descriptor` refers. Each closes with its last reference.
    package var descriptors: [Descriptor] = []

    package init(_ kind: Kind, serial: UInt32 = 0) {
        self.kind = kind
        self.serial = serial
    }

    package static func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        descriptors: [Descriptor] = []
    ) -> BusMessage {
        var message = BusMessage(.call)
        (message.destination, message.path, message.interface) = (destination, path, interface)
        (message.member, message.body, message.descriptors) = (member, arguments, descriptors)
        return message
    }

    package static func signal(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) -> BusMessage {
        var message = BusMessage(.signal)
        (message.path, message.interface, message.member, message.body) = (path, interface, member, arguments)
        return message
    }

    /// The text of an error, which is its first argument by convention.
    package var errorText: String { body.first?.text ?? "" }

    // MARK: Coding

    /// Throws `invalid` if a name, a value or a required field has no valid form, `tooLong` above the limit.
    package func encoded() throws(BusError) -> [UInt8] {
        try check()
        let codes = Array(body.map(\.signature).joined().utf8)
        guard BusSignature.isValid(codes) else { throw .invalid }
        var content = BusWriter(descriptorCount: descriptors.count)
        for value in body { try content.value(value) }
        var writer = BusWriter()
        for octet in [0x6C, kind.rawValue, isReplyExpected ? 0 : Self.noReplyFlag, 1] as [UInt8] {
            try writer.value(.byte(octet))
        }
        writer.number(UInt32(truncatingIfNeeded: content.octets.count))
        writer.number(serial)
        try writer.value(.array("(yv)", fields(codes)))
        writer.align(8)
        guard writer.octets.count + content.octets.count <= Self.longest else { throw .tooLong }
        return writer.octets + content.octets
    }

    private func fields(_ codes: [UInt8]) -> [BusValue] {
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
        add(7, sender.map { .string($0) })
        if !codes.isEmpty { add(8, .signature(String(decoding: codes, as: UTF8.self))) }
        if !descriptors.isEmpty { add(9, .uint32(UInt32(descriptors.count))) }
        return fields
    }

    /// The octets of the header and of the whole message that begins with these octets; nil if there are fewer than 16.
    static func lengths(of octets: Span<UInt8>) throws(BusError) -> (header: Int, whole: Int)? {
        guard octets.count >= headerLength else { return nil }
        guard octets[0] == 0x6C || octets[0] == 0x42, octets[1] != 0, octets[3] == 1 else { throw .invalid }
        var reader = BusReader(octets, isBig: octets[0] == 0x42, position: 4)
        let body = UInt64(try reader.number(UInt32.self))
        _ = try reader.number(UInt32.self)
        let header = (UInt64(headerLength) + UInt64(try reader.number(UInt32.self)) + 7) / 8 * 8
        guard header <= UInt64(longest), header + body <= UInt64(longestOnBus) else { throw .tooLong }
        return (Int(header), Int(header + body))
    }

    /// The length of a message that this module reads.
    static func length(of octets: Span<UInt8>) throws(BusError) -> Int? {
        guard let lengths = try lengths(of: octets) else { return nil }
        guard lengths.whole <= longest else { throw .tooLong }
        return lengths.whole
    }

    /// The header of a message, with what is needed for its body.
    struct Header {
        var message: BusMessage
        let isBig: Bool
        var codes: [UInt8] = []
        var descriptorCount = 0
        /// Where the body begins.
        var end = 0

        /// Reads the header of a message whose header is complete. Unknown fields and flags are ignored, as the specification demands.
        init(decoding octets: Span<UInt8>) throws(BusError) {
            guard let lengths = try BusMessage.lengths(of: octets), lengths.header <= octets.count else {
                throw .truncated
            }
            isBig = octets[0] == 0x42
            message = BusMessage(Kind(rawValue: octets[1]) ?? .unknown)
            message.isReplyExpected = octets[2] & BusMessage.noReplyFlag == 0
            var reader = BusReader(octets, isBig: isBig, position: 8)
            message.serial = try reader.number(UInt32.self)
            let length = try reader.length()
            let last = reader.position + length
            var seen: UInt16 = 0
            while reader.position < last {
                try reader.align(8)
                let code = try reader.number(UInt8.self)
                guard code != 0 else { throw .invalid }
                if code < 16 {
                    guard seen & 1 << code == 0 else { throw .invalid }
                    seen |= 1 << code
                }
                try field(code, &reader)
            }
            guard reader.position == last else { throw .invalid }
            try reader.align(8)
            end = reader.position
            try message.check()
        }

        private mutating func field(_ code: UInt8, _ reader: inout BusReader) throws(BusError) {
            guard case .variant(let value)? = try reader.values([UInt8(ascii: "v")]).first else { throw .invalid }
            switch (code, value) {
            case (1, .path(let text)): message.path = text
            case (2, .string(let text)): message.interface = text
            case (3, .string(let text)): message.member = text
            case (4, .string(let text)): message.errorName = text
            case (5, .uint32(let number)): message.replySerial = number
            case (6, .string(let text)): message.destination = text
            case (7, .string(let text)): message.sender = text
            case (8, .signature(let text)): codes = Array(text.utf8)
            case (9, .uint32(let number)): descriptorCount = Int(clamping: number)
            case (1...9, _): throw .invalid
            default: break
            }
        }

        /// The message with its body. `descriptors` are those that the header announces.
        func whole(_ octets: Span<UInt8>, _ descriptors: [Descriptor]) throws(BusError) -> BusMessage {
            guard descriptors.count == descriptorCount else { throw .invalid }
            var message = message
            message.descriptors = descriptors
            var reader = BusReader(octets, isBig: isBig, position: end, descriptorCount: descriptorCount)
            message.body = try reader.values(codes)
            guard reader.isAtEnd else { throw .invalid }
            return message
        }
    }

    /// Decodes one whole message.
    init(decoding octets: Span<UInt8>, descriptors: [Descriptor] = []) throws(BusError) {
        self = try Header(decoding: octets).whole(octets, descriptors)
    }

    /// Throws `invalid` if a required field is missing or a field has no valid form ("Header Fields").
    private func check() throws(BusError) {
        guard serial != 0, replySerial != 0, path.map(BusNames.isPath) ?? true,
            interface.map(BusNames.isInterface) ?? true, member.map(BusNames.isMember) ?? true,
            errorName.map(BusNames.isInterface) ?? true, destination.map(BusNames.isBusName) ?? true,
            sender.map(BusNames.isBusName) ?? true,
            // Reserved for messages that a library makes for its own program.
            path != "/org/freedesktop/DBus/Local", interface != "org.freedesktop.DBus.Local"
        else { throw .invalid }
        let isComplete =
            switch kind {
            case .call: path != nil && member != nil
            case .reply: replySerial != nil
            case .error: replySerial != nil && errorName != nil
            case .signal: path != nil && interface != nil && member != nil
            case .unknown: true
            }
        guard isComplete else { throw .invalid }
    }
}
