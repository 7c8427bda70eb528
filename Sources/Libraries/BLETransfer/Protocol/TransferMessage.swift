import BLEWire

/// A control message. Documentation/Transfer.md shows the octets.
package enum TransferMessage: Hashable, Sendable {
    /// The version of the protocol that this code speaks.
    package static let version: UInt8 = 1

    /// Sender: this is the file.
    case offer(version: UInt8, TransferOffer)
    /// Receiver: it has `offset` octets, whose digest is `digest`, and accepts `window` octets beyond an acknowledged offset.
    case accept(offset: Int, window: Int, digest: [UInt8])
    /// Sender: the receiver's octets are not the beginning of this file; discard them.
    case restart
    /// Receiver: all octets before `offset` are stored.
    case acknowledge(offset: Int)
    /// Receiver: octets are missing; send again from `offset` on.
    case resend(offset: Int)
    /// Sender: it has sent the octets before `offset`; what has arrived?
    case check(offset: Int)
    /// Both: the transfer ends.
    case end(TransferReason)

    package enum Kind {
        static let offer: UInt8 = 1
        static let accept: UInt8 = 2
        static let restart: UInt8 = 3
        static let acknowledge: UInt8 = 4
        static let resend: UInt8 = 5
        static let check: UInt8 = 6
        static let end: UInt8 = 7
        /// Octets of the file, on a channel only.
        package static let data: UInt8 = 8
    }

    /// The longest encoding in octets: an offer with the longest name.
    package static let longest = 2 + 4 + TransferOffer.digestCount + TransferOffer.longestName

    /// Decodes a message without its length. Returns nil if the type is unknown or the length is wrong.
    package init?(_ octets: some Sequence<UInt8>) {
        let octets = Array(octets)
        guard let message = try? Self(decoding: octets.span) else { return nil }
        self = message
    }

    private init(decoding octets: Span<UInt8>) throws {
        var rest = octets
        switch try rest.readUInt8() {
        case Kind.offer:
            let version = try rest.readUInt8()
            let size = try rest.readUInt32()
            let digest = try Self.digest(&rest)
            let name = String(copying: try UTF8Span(validating: rest.readRest()))
            self = .offer(version: version, try TransferOffer(name: name, size: Int(size), digest: digest))
        case Kind.accept:
            self = .accept(
                offset: Int(try rest.readUInt32()), window: Int(try rest.readUInt32()), digest: try Self.digest(&rest))
        case Kind.restart: self = .restart
        case Kind.acknowledge: self = .acknowledge(offset: Int(try rest.readUInt32()))
        case Kind.resend: self = .resend(offset: Int(try rest.readUInt32()))
        case Kind.check: self = .check(offset: Int(try rest.readUInt32()))
        case Kind.end: self = .end(TransferReason(rawValue: try rest.readUInt8()))
        default: throw DecodeError.unexpectedType
        }
        try rest.finish()
    }

    private static func digest(_ rest: inout Span<UInt8>) throws -> [UInt8] {
        var digest: [UInt8] = []
        digest.append(try rest.readBytes(TransferOffer.digestCount))
        return digest
    }

    /// The octets of the message without its length.
    package var octets: [UInt8] {
        switch self {
        case .offer(let version, let offer):
            [Kind.offer, version] + Self.octets(offer.size) + offer.digest + Array(offer.name.utf8)
        case .accept(let offset, let window, let digest):
            [Kind.accept] + Self.octets(offset) + Self.octets(window) + digest
        case .restart: [Kind.restart]
        case .acknowledge(let offset): [Kind.acknowledge] + Self.octets(offset)
        case .resend(let offset): [Kind.resend] + Self.octets(offset)
        case .check(let offset): [Kind.check] + Self.octets(offset)
        case .end(let reason): [Kind.end, reason.rawValue]
        }
    }

    /// The octets of the message after their count, as a control stream carries them.
    package var frame: [UInt8] {
        let octets = octets
        return [UInt8(truncatingIfNeeded: octets.count), UInt8(truncatingIfNeeded: octets.count >> 8)] + octets
    }

    /// An offset as four octets, the least significant first.
    package static func octets(_ offset: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) }
    }
}
