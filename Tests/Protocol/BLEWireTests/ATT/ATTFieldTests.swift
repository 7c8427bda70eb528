import BLEWire
import Testing

/// What the fields mean, and what is refused.
struct ATTFieldTests {
    private func refusal<P: PDU & ~Escapable>(_ type: P.Type, _ text: String) -> DecodeError? {
        let octets = octets(text)
        do throws(DecodeError) {
            _ = try P(decoding: octets.span)
            return nil
        } catch {
            return error
        }
    }

    @Test func informationEntriesAreReadInPlace() throws {
        let short = octets("01 0100 0028 0200 0328")
        let response = try ATT.FindInformationResponse(decoding: short.span)
        #expect(response.count == 2)
        #expect(response[1] == DiscoveredDescriptor(uuid: BluetoothUUID(UInt16(0x2803)), handle: 2))
        let long = octets("02 0300 FB349B5F8000008000100000F6360000")
        #expect(try ATT.FindInformationResponse(decoding: long.span)[0].uuid == BluetoothUUID(UInt16(0x36F6)))
    }

    @Test func attributeDataIsReadInPlace() throws {
        let list = octets("07 0200 02 0300 002A 0400 12 0500 012A")
        let response = try ATT.ReadByTypeResponse(decoding: list.span)
        #expect(response.count == 2)
        #expect(response.handle(at: 1) == 4)
        #expect([UInt8](response.value(at: 1)) == octets("12 0500 012A"))
        let groups = octets("06 0100 0500 0018 0600 0900 0118")
        let group = try ATT.ReadByGroupTypeResponse(decoding: groups.span)
        #expect(group.count == 2)
        #expect(group.range(at: 1) == HandleRange(start: 6, end: 9))
        #expect([UInt8](group.value(at: 1)) == [0x01, 0x18])
        let handles = octets("0100 0500 1000 FFFF")
        #expect(try ATT.FindByTypeValueResponse(decoding: handles.span)[1] == HandleRange(start: 16, end: 0xFFFF))
    }

    @Test func emptyListsAndWrongLengthsAreRefused() {
        #expect(refusal(ATT.FindInformationResponse.self, "01") == .truncated)
        #expect(refusal(ATT.FindInformationResponse.self, "03 0100 0028") == .invalidValue)
        #expect(refusal(ATT.FindInformationResponse.self, "01 0100 00") == .invalidLength)
        #expect(refusal(ATT.FindByTypeValueResponse.self, "") == .truncated)
        #expect(refusal(ATT.FindByTypeValueResponse.self, "0100 05") == .invalidLength)
        #expect(refusal(ATT.ReadByTypeResponse.self, "07") == .truncated)
        #expect(refusal(ATT.ReadByTypeResponse.self, "00 0100") == .invalidLength)
        #expect(refusal(ATT.ReadByTypeResponse.self, "01 0100") == .invalidLength)
        #expect(refusal(ATT.ReadByTypeResponse.self, "07 0200 02 0300 00") == .invalidLength)
        #expect(refusal(ATT.ReadByGroupTypeResponse.self, "03 010002") == .invalidLength)
        #expect(refusal(ATT.ReadByGroupTypeResponse.self, "00 01") == .invalidLength)
        #expect(refusal(ATT.ReadByTypeRequest.self, "0100 FFFF 03280000") == .invalidLength)
        #expect(refusal(ATT.ReadMultipleRequest.self, "0100") == .truncated)
        #expect(refusal(ATT.ReadMultipleRequest.self, "0100 0200 03") == .invalidLength)
        #expect(refusal(ATT.ExecuteWriteRequest.self, "02") == .invalidValue)
        #expect(refusal(ATT.SignedWriteCommand.self, "0300 0102030405060708090A0B") == .truncated)
        for cut in ["", "03", "0300 0200 AA"] {
            #expect(refusal(ATT.MultipleHandleValueNotification.self, cut) == .invalidLength)
        }
    }

    /// One value alone is taken, and what precedes a cut value.
    @Test func whatIsWholeOfSeveralValuesIsTaken() throws {
        for octets in ["0300 0200 AABB", "0300 0200 AABB 0500 0200 CC", "0300 0200 AABB 05"].map(octets) {
            #expect(try ATT.MultipleHandleValueNotification(decoding: octets.span).octets.count == 6)
        }
    }

    @Test func typesOf32BitsAreWidened() throws {
        let request = ATT.ReadByTypeRequest(
            range: HandleRange(start: 1, end: 2), type: BluetoothUUID(UInt32(0x1234_5678)))
        #expect(try encoded(request) == octets("0100 0200 FB349B5F80000080 0010000078563412"))
    }

    @Test func multipleValuesAreReadOneByOne() throws {
        let octets = octets("0300 0200 AABB 0500 0000 0700 0100 CC")
        let packet = try ATT.MultipleHandleValueNotification(decoding: octets.span)
        var rest = packet.octets
        var handles: [UInt16] = []
        var values: [[UInt8]] = []
        while let next = ATT.MultipleHandleValueNotification.next(from: &rest) {
            handles.append(next.handle)
            values.append([UInt8](next.value))
        }
        #expect(handles == [3, 5, 7])
        #expect(values == [[0xAA, 0xBB], [], [0xCC]])

        let list: [UInt8] = [1, 0, 9, 4, 0, 7, 8]
        rest = try ATT.ReadMultipleVariableResponse(decoding: list.span).value
        var parts: [[UInt8]] = []
        while let next = ATT.ReadMultipleVariableResponse.next(from: &rest) { parts.append([UInt8](next)) }
        #expect(parts == [[9], [7, 8]], "the last may have been cut")
    }

    @Test func anOpcodeSelectsItsPacketType() throws {
        let notification: [UInt8] = [0x1B, 3, 0, 0xAA]
        guard case .notification(let value) = try ATT.Packet(decoding: notification.span) else {
            Issue.record("not a notification")
            return
        }
        #expect(value.handle == 3)
        #expect([UInt8](value.value) == [0xAA])
        let unknown: [UInt8] = [0x24, 0]
        #expect(throws: DecodeError.unexpectedType) { _ = try ATT.Packet(decoding: unknown.span) }
        #expect(throws: DecodeError.truncated) { _ = try ATT.Packet(decoding: [UInt8]().span) }
    }

    @Test func aPDUIsWrittenWithItsOpcode() throws {
        var bytes: [UInt8] = [0xEE]
        let value: [UInt8] = [1, 2]
        try bytes.append(attribute: ATT.WriteCommand(handle: 0x1234, value: value.span))
        #expect(bytes == [0xEE, 0x52, 0x34, 0x12, 1, 2])
        let long = [UInt8](repeating: 0, count: 256)
        #expect(throws: EncodeError.fieldTooLong) {
            try bytes.append(attribute: ATT.ReadByTypeResponse(length: 256, data: long.span))
        }
        #expect(bytes.count == 6, "a refused PDU leaves nothing behind")
    }

    @Test func codesHaveTheirNames() {
        #expect(ATT.ErrorCode.attributeNotFound.description == "Attribute Not Found")
        #expect(ATT.ErrorCode(rawValue: 0x85).description == "Application Error 0x85")
        #expect(ATT.ErrorCode(rawValue: 0x42).description == "Error 0x42")
        #expect(ATT.Opcode.readByGroupTypeRequest.description == "Read By Group Type Request")
        #expect(ATT.Opcode(rawValue: 0x24).description == "Opcode 0x24")
        #expect(ATT.Opcode.signedWriteCommand.isSigned && ATT.Opcode.signedWriteCommand.isCommand)
    }
}
