/// Splits a stream of octets into whole H4 packets.
///
/// A packet that lies whole in the octets of one read is passed on in place, without a copy. Only the start of an
/// unfinished packet is kept, so the longest packet bounds the memory. H4 does not mark the start of a packet: octets
/// that cannot start a packet are skipped and counted.
package struct H4Framer: Sendable {
    /// The receiving side, which decides the packet types that can arrive.
    package enum Reader: Sendable {
        /// A host receives events and data.
        case host
        /// A controller receives commands and data.
        case controller
    }

    /// The number of skipped octets. A growing number indicates a broken stream.
    package private(set) var skippedOctets = 0

    private let reader: Reader
    private let maximumDataLength: Int
    /// The start of an unfinished packet.
    private var partial: [UInt8] = []
    /// Whether the preceding octet was skipped. The framer then applies stricter checks to a packet.
    private var isLost = false
    /// The time of the latest octets; nil if the caller did not pass it.
    private var lastRead: Instant?

    /// The longest pause within a packet. After it, octets of the packet were lost and it cannot be completed.
    package static let longestPause = TimeSpan.seconds(1)

    /// A data packet with more than `maximumDataLength` octets counts as invalid. A stray length must not consume the
    /// packets after it.
    package init(reader: Reader, maximumDataLength: Int = 4096) {
        self.reader = reader
        self.maximumDataLength = maximumDataLength
        partial.reserveCapacity(512)
    }

    /// The number of stored octets of an unfinished packet.
    package var pendingOctets: Int { partial.count }

    /// Takes received octets and calls `packet` with every whole packet, in order, with its type octet.
    package mutating func receive(_ bytes: Span<UInt8>, packet: (Span<UInt8>) -> Void) {
        var rest = bytes
        if !partial.isEmpty { completePartial(from: &rest, packet) }
        var start = 0
        while start < rest.count {
            switch measure(rest.extracting(droppingFirst: start)) {
            case .whole(let count):
                isLost = false
                packet(rest.extracting(start..<start + count))
                start += count
            case .incomplete:
                partial.append(rest.extracting(droppingFirst: start))
                return
            case .garbage:
                skip()
                start += 1
            }
        }
    }

    /// Does the same for a line that can lose octets. Octets after a long pause within a packet do not belong to that
    /// packet. Whole packets after its first octet are not lost.
    ///
    /// - Parameter now: The time; nil for a line that loses no octets.
    package mutating func receive(_ bytes: Span<UInt8>, at now: Instant?, packet: (Span<UInt8>) -> Void) {
        if !partial.isEmpty, let now, let lastRead, now - lastRead >= Self.longestPause {
            while !partial.isEmpty {
                skip()
                partial.removeFirst()
                completePartial(packet)
            }
        }
        lastRead = now
        receive(bytes, packet: packet)
    }

    private mutating func completePartial(_ packet: (Span<UInt8>) -> Void) {
        var nothing = Span<UInt8>()
        completePartial(from: &nothing, packet)
    }

    /// Drops an unfinished packet. The transport was reopened.
    package mutating func reset() {
        partial.empty()
        isLost = false
        lastRead = nil
    }

    private enum Measure {
        case whole(Int)
        /// The framer needs at least this many octets to decide.
        case incomplete(Int)
        case garbage
    }

    /// Moves octets from `rest` to the unfinished packet until it is complete or `rest` is empty.
    @_lifetime(rest: copy rest)
    private mutating func completePartial(from rest: inout Span<UInt8>, _ packet: (Span<UInt8>) -> Void) {
        while !partial.isEmpty {
            switch measure(partial.span) {
            case .incomplete(let needed):
                guard !rest.isEmpty else { return }
                let count = min(rest.count, max(1, needed - partial.count))
                partial.append(rest.extracting(first: count))
                rest = rest.extracting(droppingFirst: count)
            case .whole(let count):
                isLost = false
                packet(partial.span.extracting(first: count))
                partial.removeSubrange(0..<count)
            case .garbage:
                skip()
                partial.removeFirst()
            }
        }
    }

    private mutating func skip() {
        skippedOctets &+= 1
        isLost = true
    }

    /// Examines the start of `bytes`, which must not be empty.
    @inline(__always)
    private func measure(_ bytes: Span<UInt8>) -> Measure {
        guard let headerLength = headerLength(of: bytes[0]) else { return .garbage }
        guard bytes.count >= headerLength else { return .incomplete(headerLength) }
        let dataLength =
            switch H4.PacketType(rawValue: bytes[0]) {
            case .acl: Int(bytes[3]) | Int(bytes[4]) << 8
            case .iso: Int(bytes[3]) | Int(bytes[4] & 0x3F) << 8
            case .event: Int(bytes[2])
            default: Int(bytes[3])
            }
        guard dataLength <= maximumDataLength else { return .garbage }
        let certainty = isLost ? certainty(of: bytes, dataLength) : .sure
        guard certainty != .none else { return .garbage }
        let count = headerLength + dataLength
        guard bytes.count >= count else { return .incomplete(count) }
        if certainty == .possible, bytes.count > count, self.headerLength(of: bytes[count]) == nil { return .garbage }
        return .whole(count)
    }

    private enum Certainty {
        /// No such packet exists.
        case none
        /// The octets are a packet if another one may follow.
        case possible
        case sure
    }

    /// The certainty that a header starts a packet. Without this check, the framer could read a stream of equal packets
    /// at a wrong position forever.
    private func certainty(of bytes: Span<UInt8>, _ dataLength: Int) -> Certainty {
        switch H4.PacketType(rawValue: bytes[0]) {
        case .event: certainty(ofEvent: HCI.EventCode(rawValue: bytes[1]), dataLength)
        case .command:
            HCI.Opcode(rawValue: UInt16(bytes[1]) | UInt16(bytes[2]) << 8).supportedCommandBit == nil
                ? .possible : .sure
        // Boundary 3, broadcast 2 and 3, and handles above 0x0EFF are reserved. LE data is never empty.
        case .acl:
            bytes[2] & 0x30 == 0x30 || bytes[2] & 0x80 != 0 || bytes[2] & 0x0F == 0x0F || dataLength == 0
                ? .none : .possible
        // This stack has no synchronous or isochronous links.
        default: .none
        }
    }

    /// The lengths that the events of an LE controller have (Vol 4, Part E, 7.7).
    private func certainty(ofEvent code: HCI.EventCode, _ length: Int) -> Certainty {
        let fits =
            switch code {
            case .disconnectionComplete, .encryptionChange, .commandStatus: length == 4
            case .readRemoteVersionInformationComplete: length == 8
            case .commandComplete: length >= 3
            case .hardwareError, .dataBufferOverflow: length == 1
            case .numberOfCompletedPackets: length % 4 == 1
            case .encryptionKeyRefreshComplete: length == 3
            case .leMeta: length >= 2
            case .authenticatedPayloadTimeoutExpired: length == 2
            case .encryptionChangeV2: length == 5
            default: false
            }
        if code == .vendorSpecific { return .possible }
        return fits ? .sure : .none
    }

    /// The number of octets up to and including the length field; nil if no packet for this reader has this type.
    private func headerLength(of type: UInt8) -> Int? {
        switch (H4.PacketType(rawValue: type), reader) {
        case (.acl, _), (.iso, _): 5
        case (.synchronous, _): 4
        case (.command, .controller): 4
        case (.event, .host): 3
        default: nil
        }
    }
}
