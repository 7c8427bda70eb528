import BLEWire
import Testing

/// Octets written by hand from Vol 3, Part F, 3.4, without the opcode.
struct ATTPDUTests {
    @Test func errorResponse() { checkPDU(ATT.ErrorResponse.self, "10 0100 0A", .fixed) }
    @Test func exchangeMTU() {
        checkPDU(ATT.ExchangeMTURequest.self, "F201", .fixed)
        checkPDU(ATT.ExchangeMTUResponse.self, "1700", .fixed)
    }
    @Test func findInformation() {
        checkPDU(ATT.FindInformationRequest.self, "0100 FFFF", .fixed)
        checkPDU(ATT.FindInformationResponse.self, "01 0100 0028 0200 0328")
        checkPDU(ATT.FindInformationResponse.self, "02 0300 FB349B5F8000008000100000F6360000")
    }
    @Test func findByTypeValue() {
        checkPDU(ATT.FindByTypeValueRequest.self, "0100 FFFF 0028 E7FE")
        checkPDU(ATT.FindByTypeValueResponse.self, "0100 0500 1000 FFFF")
    }
    @Test func readByType() {
        checkPDU(ATT.ReadByTypeRequest.self, "0100 FFFF 0328", .fixed)
        checkPDU(ATT.ReadByTypeRequest.self, "0100 FFFF FB349B5F8000008000100000F6360000")
        checkPDU(ATT.ReadByTypeResponse.self, "07 0200 02 0300 002A 0400 02 0500 012A")
    }
    @Test func read() {
        checkPDU(ATT.ReadRequest.self, "0300", .fixed)
        checkPDU(ATT.ReadResponse.self, "48656C6C6F")
        checkPDU(ATT.ReadBlobRequest.self, "0300 1600", .fixed)
        checkPDU(ATT.ReadBlobResponse.self, "6F")
    }
    @Test func readMultiple() {
        checkPDU(ATT.ReadMultipleRequest.self, "0300 0500")
        checkPDU(ATT.ReadMultipleResponse.self, "0102")
        checkPDU(ATT.ReadMultipleVariableRequest.self, "0300 0500 0700")
        checkPDU(ATT.ReadMultipleVariableResponse.self, "0100 01 0200 0203")
    }
    @Test func readByGroupType() {
        checkPDU(ATT.ReadByGroupTypeRequest.self, "0100 FFFF 0028", .fixed)
        checkPDU(ATT.ReadByGroupTypeResponse.self, "06 0100 0500 0018 0600 0900 0118")
    }
    @Test func write() {
        checkPDU(ATT.WriteRequest.self, "0300 0102")
        checkPDU(ATT.WriteResponse.self, "", .fixed)
        checkPDU(ATT.WriteCommand.self, "0300 0102")
        checkPDU(ATT.SignedWriteCommand.self, "0300 0102 01000000 1122334455667788")
    }
    @Test func preparedWrite() {
        checkPDU(ATT.PrepareWriteRequest.self, "0300 1200 0102")
        checkPDU(ATT.PrepareWriteResponse.self, "0300 1200 0102")
        checkPDU(ATT.ExecuteWriteRequest.self, "00", .fixed)
        checkPDU(ATT.ExecuteWriteRequest.self, "01", .fixed)
        checkPDU(ATT.ExecuteWriteResponse.self, "", .fixed)
    }
    @Test func shortPDUsHaveTheOctetsOfTheirPDUs() throws {
        func check<P: ATTPDU>(_ short: ATT.ShortPDU?, _ pdu: P) throws {
            var octets: [UInt8] = []
            try octets.append(attribute: pdu)
            #expect(short?.withOctets { [UInt8]($0) } == octets)
            let header: [2 of UInt8] = [0xAA, 0xBB]
            var array: [UInt8] = [1]
            array.append(header, try #require(short))
            #expect(array == [1, 0xAA, 0xBB] + octets)
        }
        let range = HandleRange(start: 0x1234, end: 0xFFFE)
        let exchange = ATT.ExchangeMTURequest(number: 0x01F2)
        try check(ATT.ShortPDU(exchange), exchange)
        let read = ATT.ReadRequest(handle: 0xABCD)
        try check(ATT.ShortPDU(read), read)
        let information = ATT.FindInformationRequest(range: range)
        try check(ATT.ShortPDU(information), information)
        let byType = ATT.ReadByTypeRequest(range: range, type: BluetoothUUID(UInt16(0x2803)))
        try check(ATT.ShortPDU(byType), byType)
        let byGroupType = ATT.ReadByGroupTypeRequest(range: range, type: BluetoothUUID(UInt16(0x2800)))
        try check(ATT.ShortPDU(byGroupType), byGroupType)
        let wide = BluetoothUUID(high: 0x0000_2803_0000_1000, low: 0x8000_0080_5F9B_34FB)
        #expect(ATT.ShortPDU(ATT.ReadByTypeRequest(range: range, type: wide)) == nil)
    }
    @Test func notificationAndIndication() {
        checkPDU(ATT.HandleValueNotification.self, "0300 AABB")
        checkPDU(ATT.HandleValueIndication.self, "0300 AABB")
        checkPDU(ATT.HandleValueConfirmation.self, "", .fixed)
        checkPDU(ATT.MultipleHandleValueNotification.self, "0300 0200 AABB 0500 0100 CC")
    }

    /// The opcodes of table 3.4.8, once more by hand.
    @Test func opcodesAreThoseOfTheSpecification() {
        func opcode<P: ATTPDU & ~Escapable>(_ type: P.Type) -> UInt8 { P.opcode.rawValue }
        #expect(opcode(ATT.ErrorResponse.self) == 0x01)
        #expect(opcode(ATT.ExchangeMTURequest.self) == 0x02)
        #expect(opcode(ATT.ExchangeMTUResponse.self) == 0x03)
        #expect(opcode(ATT.FindInformationRequest.self) == 0x04)
        #expect(opcode(ATT.FindInformationResponse.self) == 0x05)
        #expect(opcode(ATT.FindByTypeValueRequest.self) == 0x06)
        #expect(opcode(ATT.FindByTypeValueResponse.self) == 0x07)
        #expect(opcode(ATT.ReadByTypeRequest.self) == 0x08)
        #expect(opcode(ATT.ReadByTypeResponse.self) == 0x09)
        #expect(opcode(ATT.ReadRequest.self) == 0x0A)
        #expect(opcode(ATT.ReadResponse.self) == 0x0B)
        #expect(opcode(ATT.ReadBlobRequest.self) == 0x0C)
        #expect(opcode(ATT.ReadBlobResponse.self) == 0x0D)
        #expect(opcode(ATT.ReadMultipleRequest.self) == 0x0E)
        #expect(opcode(ATT.ReadMultipleResponse.self) == 0x0F)
        #expect(opcode(ATT.ReadByGroupTypeRequest.self) == 0x10)
        #expect(opcode(ATT.ReadByGroupTypeResponse.self) == 0x11)
        #expect(opcode(ATT.WriteRequest.self) == 0x12)
        #expect(opcode(ATT.WriteResponse.self) == 0x13)
        #expect(opcode(ATT.PrepareWriteRequest.self) == 0x16)
        #expect(opcode(ATT.PrepareWriteResponse.self) == 0x17)
        #expect(opcode(ATT.ExecuteWriteRequest.self) == 0x18)
        #expect(opcode(ATT.ExecuteWriteResponse.self) == 0x19)
        #expect(opcode(ATT.HandleValueNotification.self) == 0x1B)
        #expect(opcode(ATT.HandleValueIndication.self) == 0x1D)
        #expect(opcode(ATT.HandleValueConfirmation.self) == 0x1E)
        #expect(opcode(ATT.ReadMultipleVariableRequest.self) == 0x20)
        #expect(opcode(ATT.ReadMultipleVariableResponse.self) == 0x21)
        #expect(opcode(ATT.MultipleHandleValueNotification.self) == 0x23)
        #expect(opcode(ATT.WriteCommand.self) == 0x52)
        #expect(opcode(ATT.SignedWriteCommand.self) == 0xD2)
    }
}
