import BLEWire

/// The queued frames of one lane of a link in `ACLTransmitter`.
struct ACLFrameQueue {
    /// Whole L2CAP frames, one after another. The octets before `head` have been sent.
    var octets: [UInt8] = []
    var head = 0
    var pending: Int { octets.count - head }

    /// The length of the frame at the head, with its header.
    var frameLength: Int { L2CAP.frameCount(octets[head], octets[head + 1]) }

    /// Appends the rest of a frame whose first octets are already sent.
    mutating func append(rest: Span<UInt8>) { octets.append(rest) }

    mutating func append(_ payload: Span<UInt8>, length: UInt16, _ channel: L2CAP.ChannelIdentifier) {
        octets.append(L2CAP.header(Int(length), channel), payload)
    }

    /// Appends an attribute PDU of an opcode, a handle and a value.
    mutating func append(opcode: ATT.Opcode, handle: UInt16, _ value: Span<UInt8>) {
        octets.append(L2CAP.header(opcode, attribute: handle, valueCount: value.count), value)
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
