/// Codecs of the packets that carry most of the data of a link. They read and write a whole packet at once, with the same result as the
/// codecs of its layers.
extension H4 {
    /// A whole PDU of the attribute channel in one ACL packet: type, ACL header, L2CAP header, PDU.
    @usableFromInline
    package struct AttributePacket: ~Escapable {
        @usableFromInline package let connectionHandle: UInt16
        /// At least one octet: the opcode, then the fields.
        @usableFromInline package let pdu: Span<UInt8>

        /// Returns nil for any other packet, and for one with an invalid length.
        @inlinable
        @_lifetime(copy bytes)
        package init?(decoding bytes: Span<UInt8>) {
            let count = bytes.count
            guard count >= 10, bytes[0] == PacketType.acl.rawValue,
                // The lowest bit of the boundary flag is set in a continuing fragment.
                bytes[2] & 0x10 == 0, Self.number(bytes[3], bytes[4]) == count - 5,
                Self.number(bytes[5], bytes[6]) == count - 9,
                bytes[7] == UInt8(truncatingIfNeeded: L2CAP.ChannelIdentifier.attribute.rawValue), bytes[8] == 0
            else { return nil }
            connectionHandle = UInt16(bytes[1]) | UInt16(bytes[2] & 0x0F) << 8
            pdu = bytes.extracting(droppingFirst: 9)
        }

        @inlinable
        static func number(_ low: UInt8, _ high: UInt8) -> Int { Int(low) | Int(high) << 8 }

        /// The octets of the L2CAP frame, with its header.
        @inlinable package var frameCount: Int { L2CAP.headerCount + pdu.count }

        /// The PDU if it is a notification, otherwise nil.
        package var notification: ATT.HandleValueNotification? {
            @_lifetime(copy self)
            get {
                guard pdu.count >= 3, pdu[0] == ATT.HandleValueNotification.opcode.rawValue else { return nil }
                return ATT.HandleValueNotification(
                    handle: UInt16(pdu[1]) | UInt16(pdu[2]) << 8, value: pdu.extracting(droppingFirst: 3))
            }
        }
    }

    /// Number Of Completed Packets with one entry (Vol 4, Part E, 7.7.19). Returns nil for any other packet, and for one with an invalid
    /// length.
    package static func soleCompletion(decoding bytes: Span<UInt8>) -> HCI.CompletedPackets? {
        // Type, code, length, number of entries; handle, count.
        guard bytes.count == 8, bytes[0] == PacketType.event.rawValue,
            bytes[1] == HCI.EventCode.numberOfCompletedPackets.rawValue, bytes[2] == 5, bytes[3] == 1
        else { return nil }
        return HCI.CompletedPackets(
            connectionHandle: UInt16(bytes[4]) | UInt16(bytes[5] & 0x0F) << 8,
            count: UInt16(bytes[6]) | UInt16(bytes[7]) << 8)
    }

    /// The octets before the data of an ACL packet: type, handle with boundary, length. `handle` has 12 bits and `count` 16.
    package static func header(
        _ handle: UInt16, _ boundary: HCI.ACLHeader.Boundary = .firstNonFlushable, count: Int
    ) -> [5 of UInt8] {
        let first = handle & 0x0FFF | UInt16(boundary.rawValue) << 12
        return [
            PacketType.acl.rawValue, UInt8(truncatingIfNeeded: first), UInt8(truncatingIfNeeded: first >> 8),
            UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8),
        ]
    }

    /// The octets before the payload of an L2CAP frame in its first ACL packet.
    ///
    /// - Parameters:
    ///   - count: The octets of data in the packet, with the header of the frame.
    ///   - length: The octets of the whole payload.
    package static func header(
        _ handle: UInt16, count: Int, frame length: Int, _ channel: L2CAP.ChannelIdentifier
    ) -> [9 of UInt8] {
        let acl = header(handle, count: count)
        let frame = L2CAP.header(length, channel)
        return [acl[0], acl[1], acl[2], acl[3], acl[4], frame[0], frame[1], frame[2], frame[3]]
    }

    /// The octets before the value of an attribute PDU in one ACL packet.
    ///
    /// - Parameter valueCount: The octets of the value; the frame has seven more.
    package static func header(
        _ handle: UInt16, _ opcode: ATT.Opcode, attribute: UInt16, valueCount: Int
    ) -> [12 of UInt8] {
        let acl = header(handle, count: valueCount + 7)
        let pdu = L2CAP.header(opcode, attribute: attribute, valueCount: valueCount)
        return [
            acl[0], acl[1], acl[2], acl[3], acl[4], pdu[0], pdu[1], pdu[2], pdu[3], pdu[4], pdu[5], pdu[6],
        ]
    }
}

extension L2CAP {
    /// The header of a frame. `length` has 16 bits.
    package static func header(_ length: Int, _ channel: ChannelIdentifier) -> [4 of UInt8] {
        [
            UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8),
            UInt8(truncatingIfNeeded: channel.rawValue), UInt8(truncatingIfNeeded: channel.rawValue >> 8),
        ]
    }

    /// The octets before the value of an attribute PDU in its frame.
    package static func header(_ opcode: ATT.Opcode, attribute: UInt16, valueCount: Int) -> [7 of UInt8] {
        let frame = header(valueCount + 3, .attribute)
        return [
            frame[0], frame[1], frame[2], frame[3], opcode.rawValue, UInt8(truncatingIfNeeded: attribute),
            UInt8(truncatingIfNeeded: attribute >> 8),
        ]
    }

    /// The octets of a frame with its header, from the first two octets of the header.
    package static func frameCount(_ first: UInt8, _ second: UInt8) -> Int {
        headerCount + (Int(first) | Int(second) << 8)
    }
}
