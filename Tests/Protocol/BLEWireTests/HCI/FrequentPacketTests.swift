import BLEWire
import Testing

/// The codecs of frequent packets against those of each layer.
struct FrequentPacketTests {
    /// Packets of both kinds with faults in any octet and length, and random octets.
    private static func packets(_ body: (Span<UInt8>) throws -> Void) rethrows {
        var random = SeededRandom(seed: 31)
        func number() -> UInt64 { random.next() }
        for round in 0..<40_000 {
            var packet: [UInt8] = []
            switch number() % 4 {
            case 0: for _ in 0..<number() % 16 { packet.append(UInt8(truncatingIfNeeded: number())) }
            case 1: packet = [4, 0x13, 5, 1, 0x40, UInt8(truncatingIfNeeded: number()), 3, 1]
            default:
                let count = Int(number() % 300)
                let opcode: UInt8 = number() % 2 == 0 ? 0x1B : UInt8(truncatingIfNeeded: number())
                packet = [2, 0x40, UInt8(truncatingIfNeeded: number()), 0, 0, 0, 0, 4, 0, opcode, 3, 0]
                for _ in 0..<count { packet.append(UInt8(truncatingIfNeeded: number())) }
                if number() % 4 == 0 { packet.removeLast(min(packet.count - 9, Int(number() % 4))) }
                packet[3] = UInt8(truncatingIfNeeded: packet.count - 5)
                packet[4] = UInt8(truncatingIfNeeded: (packet.count - 5) >> 8)
                packet[5] = UInt8(truncatingIfNeeded: packet.count - 9)
                packet[6] = UInt8(truncatingIfNeeded: (packet.count - 9) >> 8)
            }
            if round % 3 == 0, !packet.isEmpty {
                let index = Int(number() % UInt64(min(packet.count, 12)))
                packet[index] ^= 1 << UInt8(number() % 8)
            }
            if round % 7 == 0 { packet.append(0) }
            if round % 11 == 0, !packet.isEmpty { packet.removeLast() }
            try body(packet.span)
        }
    }

    private struct Attribute: Equatable {
        var connection: UInt16
        var pdu: [UInt8]
        var handle: UInt16?
        var value: [UInt8]?
    }

    private static func ordinaryAttribute(_ packet: Span<UInt8>) -> Attribute? {
        guard case .acl(let acl)? = try? H4.Packet(decoding: packet), acl.boundary.isFirst,
            let frame = try? L2CAP.Frame(decoding: acl.data), frame.channel == .attribute, !frame.payload.isEmpty
        else { return nil }
        var attribute = Attribute(connection: acl.connectionHandle, pdu: [UInt8](frame.payload))
        if frame.payload[0] == ATT.HandleValueNotification.opcode.rawValue,
            let pdu = try? ATT.HandleValueNotification(decoding: frame.payload.extracting(droppingFirst: 1))
        {
            attribute.handle = pdu.handle
            attribute.value = [UInt8](pdu.value)
        }
        return attribute
    }

    private static func frequentAttribute(_ packet: Span<UInt8>) -> Attribute? {
        guard let frequent = H4.AttributePacket(decoding: packet) else { return nil }
        var attribute = Attribute(connection: frequent.connectionHandle, pdu: [UInt8](frequent.pdu))
        if let notification = frequent.notification {
            attribute.handle = notification.handle
            attribute.value = [UInt8](notification.value)
        }
        return attribute
    }

    private static func ordinaryCompletion(_ packet: Span<UInt8>) -> HCI.CompletedPackets? {
        guard case .event(let event)? = try? H4.Packet(decoding: packet), event.code == .numberOfCompletedPackets,
            var list = try? HCI.NumberOfCompletedPackets(decoding: event.parameters), list.entries.count == 1
        else { return nil }
        return list.entries.next()
    }

    @Test func decodeAsTheLayersDo() {
        var found = (attributes: 0, notifications: 0, completions: 0)
        Self.packets { packet in
            let attribute = Self.ordinaryAttribute(packet)
            #expect(Self.frequentAttribute(packet) == attribute, "\([UInt8](packet))")
            let completion = Self.ordinaryCompletion(packet)
            #expect(H4.soleCompletion(decoding: packet) == completion, "\([UInt8](packet))")
            if attribute != nil { found.attributes += 1 }
            if attribute?.handle != nil { found.notifications += 1 }
            if completion != nil { found.completions += 1 }
        }
        #expect(found.attributes > 4_000 && found.notifications > 2_000 && found.completions > 4_000)
        #expect(found.attributes > found.notifications)
    }

    @Test(arguments: [0, 1, 20, 244, 252, 253, 512, 65_000])
    func encodeAsTheLayersDo(count: Int) throws {
        let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for handle: UInt16 in [0, 1, 0x0ABC, 0x0FFF] {
            var pdu: [UInt8] = []
            try pdu.append(attribute: ATT.HandleValueNotification(handle: 0x1234, value: value.span))
            var frame: [UInt8] = []
            try frame.append(addingCapacity: 4 + pdu.count) { (output: inout OutputSpan<UInt8>) throws(EncodeError) in
                try L2CAP.Frame(channel: .attribute, payload: pdu.span).encode(into: &output)
            }
            var packet: [UInt8] = []
            try packet.append(
                acl: HCI.ACLPacket(connectionHandle: handle, boundary: .firstNonFlushable, data: frame.span))
            let whole = H4.header(handle, .handleValueNotification, attribute: 0x1234, valueCount: count)
            #expect([UInt8](whole.span) + value == packet)
            let first = H4.header(handle, count: frame.count, frame: pdu.count, .attribute)
            #expect([UInt8](first.span) + pdu == packet)
            #expect([UInt8](H4.header(handle, count: frame.count).span) + frame == packet)
            #expect([UInt8](L2CAP.header(pdu.count, .attribute).span) + pdu == frame)
            let inFrame = L2CAP.header(.handleValueNotification, attribute: 0x1234, valueCount: count)
            #expect([UInt8](inFrame.span) + value == frame)
            #expect(L2CAP.frameCount(frame[0], frame[1]) == frame.count)
            var continuing: [UInt8] = []
            try continuing.append(
                acl: HCI.ACLPacket(connectionHandle: handle, boundary: .continuing, data: value.span))
            #expect([UInt8](H4.header(handle, .continuing, count: count).span) + value == continuing)
        }
    }
}
