import BLEWire
import Testing

@Suite struct PacketTests {
    @Test func packetsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.CommandPacket.self, "0C 20 02 01 00", .fixed)
        checkPDU(HCI.EventPacket.self, "0E 04 01 03 0C 00", .fixed)
        checkPDU(HCI.ACLHeader.self, "40 20 07 00", .fixed)
        checkPDU(HCI.ACLPacket.self, "40 20 07 00 03 00 04 00 0A 01 00", .fixed)
        checkPDU(H4.Packet.self, "01 03 0C 00")
        checkPDU(H4.Packet.self, "02 40 20 07 00 03 00 04 00 0A 01 00")
        checkPDU(H4.Packet.self, "04 0E 04 01 03 0C 00")
        checkPDU(H4.Packet.self, "05 40 20 01 00 AA")
    }

    @Test func theACLHeaderContainsHandleAndFlags() throws {
        let header = try HCI.ACLHeader(decoding: octets("EF 5E FB 00").span)
        #expect(header == .init(connectionHandle: 0xEEF, boundary: .continuing, broadcast: 1, dataLength: 251))
        #expect(!header.boundary.isFirst && HCI.ACLHeader.Boundary.firstFlushable.isFirst)
        #expect(throws: EncodeError.fieldTooLong) {
            try encoded(HCI.ACLHeader(connectionHandle: 0x1000, boundary: .continuing, dataLength: 0))
        }
    }

    @Test func packetsAreEncodedAsSpecified() throws {
        func written(_ body: (inout [UInt8]) throws -> Void) throws -> String {
            var output: [UInt8] = [0xEE]
            try body(&output)
            return hex(output)
        }
        #expect(try written { try $0.append(command: HCI.Reset()) } == "EE 01 03 0C 00")
        #expect(
            try written { try $0.append(command: HCI.LESetScanEnable(enable: true, filterDuplicates: false)) }
                == "EE 01 0C 20 02 01 00")
        #expect(
            try written {
                try $0.append(
                    event: HCI.DisconnectionComplete(
                        status: .success, connectionHandle: 0x40, reason: .connectionTimeout))
            } == "EE 04 05 04 00 40 00 08")
        #expect(
            try written {
                try $0.append(
                    leEvent: HCI.LEPHYUpdateComplete(
                        status: .success, connectionHandle: 0x40, txPHY: .le2M, rxPHY: .le2M))
            } == "EE 04 3E 06 0C 00 40 00 02 02")
        #expect(
            try written {
                try $0.appendCommandComplete(
                    of: HCI.LEReadBufferSize.self,
                    returning: .init(status: .success, leACLDataPacketLength: 27, totalLEACLDataPackets: 64))
            } == "EE 04 0E 07 01 02 20 00 1B 00 40")
        #expect(
            try written { $0.appendCommandComplete(of: .reset, status: .success, packets: 2) }
                == "EE 04 0E 04 02 03 0C 00")
        #expect(
            try written { $0.appendCommandStatus(of: .leCreateConnection, status: .commandDisallowed) }
                == "EE 04 0F 04 0C 01 0D 20")
        #expect(
            try written { try $0.append(completedPackets: .init(connectionHandle: 0x40, count: 3)) }
                == "EE 04 13 05 01 40 00 03 00")
        #expect(
            try written {
                try $0.append(
                    aclHeader: .init(connectionHandle: 0x40, boundary: .firstNonFlushable, dataLength: 0x1B))
            } == "EE 02 40 00 1B 00")
        let data = octets("03 00 04 00 0A 01 00")
        #expect(
            try written {
                try $0.append(acl: .init(connectionHandle: 0x40, boundary: .firstFlushable, data: data.span))
            } == "EE 02 40 20 07 00 03 00 04 00 0A 01 00")
        let advertising = octets("02 01 06")
        #expect(
            try written {
                try $0.append(
                    advertisingReport: .init(
                        eventType: .connectableUndirected, address: .init(kind: .random, value: 0xC605_0403_0201),
                        data: advertising.span, rssi: -60))
            } == "EE 04 3E 0F 02 01 00 01 01 02 03 04 05 C6 03 02 01 06 C4")
    }

    @Test func oversizedContentIsRefusedWithoutOutput() throws {
        let long = [UInt8](repeating: 0, count: 256)
        var output: [UInt8] = [1, 2, 3]
        #expect(throws: EncodeError.fieldTooLong) {
            try output.append(event: HCI.CommandComplete(opcode: .reset, returnParameters: long.span))
        }
        #expect(throws: EncodeError.fieldTooLong) {
            try output.append(
                advertisingReport: .init(
                    eventType: .scanResponse, address: .init(kind: .public, value: 0), data: long.span, rssi: 0))
        }
        #expect(throws: EncodeError.fieldTooLong) {
            let entries = [HCI.CompletedPackets](repeating: .init(connectionHandle: 1, count: 1), count: 64)
            try output.append(completedPackets: entries.span)
        }
        #expect(throws: EncodeError.fieldTooLong) {
            try output.append(aclHeader: .init(connectionHandle: 0xFFFF, boundary: .continuing, dataLength: 0))
        }
        #expect(output == [1, 2, 3])
    }

    @Test func packetsAreDistinguishedByTheirType() throws {
        let command = octets("01 0C 20 02 01 00")
        guard case .command(let packet) = try H4.Packet(decoding: command.span) else {
            Issue.record("not a command")
            return
        }
        #expect(packet.opcode == .leSetScanEnable)
        #expect(try HCI.LESetScanEnable(decoding: packet.parameters).enable)
    }
}
