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
    package init?(_ octets: some RandomAccessCollection<UInt8>) {
        var reader = MessageReader(octets)
        guard let kind = reader.octet() else { return nil }
        switch kind {
        case Kind.offer:
            guard let version = reader.octet() else { return nil }
            guard let size = reader.offset(), let digest = reader.octets(TransferOffer.digestCount),
                let name = String(validating: reader.rest(), as: UTF8.self),
                let offer = try? TransferOffer(name: name, size: size, digest: digest)
            else { return nil }
            self = .offer(version: version, offer)
        case Kind.accept:
            guard let offset = reader.offset(), let window = reader.offset(),
                let digest = reader.octets(TransferOffer.digestCount)
            else { return nil }
            self = .accept(offset: offset, window: window, digest: digest)
        case Kind.restart: self = .restart
        case Kind.acknowledge:
            guard let offset = reader.offset() else { return nil }
            self = .acknowledge(offset: offset)
        case Kind.resend:
            guard let offset = reader.offset() else { return nil }
            self = .resend(offset: offset)
        case Kind.check:
            guard let offset = reader.offset() else { return nil }
            self = .check(offset: offset)
        case Kind.end:
            guard let reason = reader.octet() else { return nil }
            self = .end(TransferReason(rawValue: reason))
        default: return nil
        }
        guard reader.isAtEnd else { return nil }
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

/// Reads the fields of a message. Each method returns nil if too few octets are left.
private struct MessageReader<Octets: RandomAccessCollection<UInt8>> {
    private var unread: Octets.SubSequence

    init(_ octets: Octets) { unread = octets[...] }

    var isAtEnd: Bool { unread.isEmpty }

    mutating func octet() -> UInt8? { unread.popFirst() }

    mutating func octets(_ count: Int) -> [UInt8]? {
        guard unread.count >= count else { return nil }
        defer { unread = unread.dropFirst(count) }
        return Array(unread.prefix(count))
    }

    mutating func offset() -> Int? {
        octets(4)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func rest() -> [UInt8] {
        defer { unread = unread.dropFirst(unread.count) }
        return Array(unread)
    }
}
