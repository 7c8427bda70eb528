import BLEWire
import Testing

struct L2CAPTests {
    @Test func framesRoundTrip() throws {
        checkPDU(L2CAP.Frame.self, "03 00 04 00 0A 03 00", .fixed)
        checkPDU(L2CAP.Frame.self, "00 00 05 00", .fixed)
        let packet = octets("03 00 04 00 0A 03 00")
        let frame = try L2CAP.Frame(decoding: packet.span)
        #expect(frame.channel == .attribute)
        #expect(frame.payload.count == 3)
    }

    @Test func signallingPacketsRoundTrip() {
        checkPDU(L2CAP.SignalPacket.self, "12 01 08 00 06 00 0C 00 00 00 C8 00", .fixed)
        checkPDU(L2CAP.CommandReject.self, "00 00")
        checkPDU(L2CAP.CommandReject.self, "01 00 17 00")
        checkPDU(L2CAP.CommandReject.self, "02 00 40 00 41 00")
        checkPDU(L2CAP.DisconnectionRequest.self, "40 00 41 00", .fixed)
        checkPDU(L2CAP.DisconnectionResponse.self, "40 00 41 00", .fixed)
        checkPDU(L2CAP.ConnectionParameterUpdateRequest.self, "06 00 0C 00 00 00 C8 00", .fixed)
        checkPDU(L2CAP.ConnectionParameterUpdateResponse.self, "01 00", .fixed)
        checkPDU(L2CAP.CreditBasedConnectionRequest.self, "80 00 40 00 F7 00 F7 00 0A 00", .fixed)
        checkPDU(L2CAP.CreditBasedConnectionResponse.self, "41 00 F7 00 F7 00 0A 00 00 00", .fixed)
        checkPDU(L2CAP.FlowControlCredit.self, "40 00 05 00", .fixed)
        checkPDU(L2CAP.EnhancedConnectionRequest.self, "27 00 64 00 66 00 0A 00 40 00 41 00")
        checkPDU(L2CAP.EnhancedConnectionResponse.self, "64 00 66 00 0A 00 04 00 41 00 00 00")
        checkPDU(L2CAP.EnhancedConnectionResponse.self, "00 00 00 00 00 00 02 00")
        checkPDU(L2CAP.EnhancedReconfigureRequest.self, "64 00 66 00 40 00")
        checkPDU(L2CAP.EnhancedReconfigureResponse.self, "03 00", .fixed)
    }

    @Test func enhancedSignalsHaveOneToFiveChannels() {
        let head = octets("27 00 64 00 66 00 0A 00")
        for count in [0, 6] {
            let request = head + [UInt8](repeating: 0x40, count: 2 * count)
            #expect(throws: DecodeError.invalidLength) { try L2CAP.EnhancedConnectionRequest(decoding: request.span) }
            let change = octets("64 00 66 00") + [UInt8](repeating: 0x40, count: 2 * count)
            #expect(throws: DecodeError.invalidLength) { try L2CAP.EnhancedReconfigureRequest(decoding: change.span) }
        }
        let odd = head + [0x40]
        #expect(throws: DecodeError.invalidLength) { try L2CAP.EnhancedConnectionRequest(decoding: odd.span) }
        #expect(throws: DecodeError.invalidLength) { try L2CAP.EnhancedConnectionResponse(decoding: odd.span) }
        var packet: [UInt8] = []
        let ends = [L2CAP.ChannelIdentifier](repeating: .null, count: 6)
        #expect(throws: EncodeError.fieldTooLong) {
            try packet.append(
                signal: L2CAP.EnhancedReconfigureRequest(mtu: 64, mps: 64, channels: ends), identifier: 1)
        }
        #expect(packet.isEmpty)
    }

    @Test func aSignallingPacketHasCodeIdentifierAndLength() throws {
        var packet: [UInt8] = []
        try packet.append(
            signal: L2CAP.ConnectionParameterUpdateRequest(
                intervalMinimum: 6, intervalMaximum: 12, latency: 0, timeout: 200), identifier: 7)
        #expect(packet == octets("12 07 08 00 06 00 0C 00 00 00 C8 00"))
    }

    @Test func anOversizedRejectIsRefusedWithoutOutput() {
        let data: [UInt8] = [1, 2, 3, 4, 5]
        var packet: [UInt8] = [0xAA]
        #expect(throws: EncodeError.fieldTooLong) {
            try packet.append(
                signal: L2CAP.CommandReject(reason: .notUnderstood, data: data.span), identifier: 1)
        }
        #expect(packet == [0xAA])
    }

    @Test func responseCodesAreRecognised() {
        #expect(L2CAP.SignalCode.commandReject.isResponse)
        #expect(!L2CAP.SignalCode.connectionParameterUpdateRequest.isResponse)
        #expect(!L2CAP.SignalCode(rawValue: 0x7F).isResponse)
    }
}
