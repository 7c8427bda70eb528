import BLEWire

/// The queued frames of one lane of a link in `ACLTransmitter`.
struct ACLFrameQueue {
    /// Whole L2CAP frames, one after another. The octets before `head` have been sent.
    var octets: [UInt8] = []
    var head = 0
    var pending: Int { octets.count - head }

    /// The length of the frame at the head, with its header.
    var frameLength: Int { L2CAP.headerCount + (Int(octets[head]) | Int(octets[head + 1]) << 8) }

    /// Appends the rest of a frame whose first octets are already sent.
    mutating func append(rest: Span<UInt8>) { octets.append(rest) }

    mutating func append(_ payload: Span<UInt8>, length: UInt16, _ channel: L2CAP.ChannelIdentifier) {
        let header: [4 of UInt8] = [
            UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8),
            UInt8(truncatingIfNeeded: channel.rawValue), UInt8(truncatingIfNeeded: channel.rawValue >> 8),
        ]
        octets.append(header, payload)
    }

    /// Appends an attribute PDU of an opcode, a handle and a value.
    mutating func append(opcode: UInt8, handle: UInt16, _ value: Span<UInt8>) {
        let length = 3 + value.count
        let channel = L2CAP.ChannelIdentifier.attribute.rawValue
        let header: [7 of UInt8] = [
            UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8),
            UInt8(truncatingIfNeeded: channel), UInt8(truncatingIfNeeded: channel >> 8),
            opcode, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8),
        ]
        octets.append(header, value)
    }

    /// Moves octets from the head to `output`, after the header of their packet.
    ///
    /// - Parameter mark: The number of sent octets from which on it is worthwhile to move the rest.
    mutating func take(_ count: Int, after header: [5 of UInt8], into output: inout [UInt8], mark: Int) {
        output.append(header, octets.span.extracting(head..<head + count))
        head += count
        if head == octets.count {
            octets.empty()
            head = 0
        } else if head >= mark, head >= pending {
            octets.removeSubrange(..<head)
            head = 0
        }
    }

    mutating func removeAll(keepingAtMost limit: Int) {
        octets.removeAll(keepingCapacity: octets.capacity <= limit)
        head = 0
    }
}
