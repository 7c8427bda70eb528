/// Cuts a stream of octets into whole H4 packets.
///
/// A packet that lies whole in the octets of one read is handed out where it lies, without a copy; only the start of a
/// packet whose end has not come yet is kept, so the memory is bounded by the longest packet allowed. H4 has no mark for
/// the start of a packet: octets that cannot start one are skipped until some can, and counted.
package struct H4Framer: Sendable {
    /// The receiving side, which decides the packet types that can arrive.
    package enum Reader: Sendable {
        /// A host receives events and data.
        case host
        /// A controller receives commands and data.
        case controller
    }

    /// Octets skipped since the start. If it grows, the stream is broken.
    package private(set) var skippedOctets = 0

    private let reader: Reader
    private let maximumDataLength: Int
    /// The start of a packet whose end has not come yet.
    private var partial: [UInt8] = []
    /// Whether the last octet looked at was skipped: then a packet must be more convincing.
    private var isLost = false
    /// When the last octets came; nil if the caller did not pass it.
    private var lastRead: Instant?

    /// A packet that stands still for so long in its middle will not be finished: octets of it were lost.
    package static let longestPause = TimeSpan.seconds(1)

    /// `maximumDataLength`: data packets that say they are longer are garbage; a stray length must not swallow the
    /// packets after it.
    package init(reader: Reader, maximumDataLength: Int = 4096) {
        self.reader = reader
        self.maximumDataLength = maximumDataLength
        partial.reserveCapacity(512)
    }

    /// Octets of an unfinished packet that are kept.
    package var pendingOctets: Int { partial.count }

    /// Takes what was read and calls `packet` with every whole packet, its type octet first, in order.
    package mutating func receive(_ bytes: Span<UInt8>, packet: (Span<UInt8>) -> Void) {
        var rest = bytes
        completePartial(from: &rest, packet)
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

    /// The same, for a line that can lose octets: what comes after a long pause in the middle of a packet is not the rest of
    /// that packet. Whole packets behind its first octet are not lost.
    ///
    /// - Parameter now: nil for a line that loses nothing.
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

    /// Forgets an unfinished packet: the transport was opened anew.
    package mutating func reset() {
        partial.empty()
        isLost = false
        lastRead = nil
    }

    private enum Measure {
        case whole(Int)
        /// At least this many octets are needed to know more.
        case incomplete(Int)
        case garbage
    }

    /// Moves octets from `rest` to the unfinished packet until it is whole, or `rest` is empty.
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

    /// What `bytes`, which are not empty, start with.
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
        /// There is no such packet.
        case none
        /// It is one if another may follow it.
        case possible
        case sure
    }

    /// How much a header looks like one. Without this, a stream of equal packets can be read at a wrong place for ever.
    private func certainty(of bytes: Span<UInt8>, _ dataLength: Int) -> Certainty {
        switch H4.PacketType(rawValue: bytes[0]) {
        case .event: certainty(ofEvent: HCI.EventCode(rawValue: bytes[1]), dataLength)
        case .command:
            HCI.Opcode(rawValue: UInt16(bytes[1]) | UInt16(bytes[2]) << 8).supportedCommandBit == nil
                ? .possible : .sure
        // Boundary 3 and broadcast 2 and 3 are reserved, and so are handles above 0x0EFF; LE data is never empty.
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

    /// The octets up to and with the length field; nil if no packet that this reader gets starts so.
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
