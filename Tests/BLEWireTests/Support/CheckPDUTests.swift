import BLEWire
import Testing

@Test func checkPDUAcceptsTheUUIDCodec() {
    checkPDU(BluetoothUUID.self, "0D 18")
    checkPDU(BluetoothUUID.self, "FB 34 9B 5F 80 00 00 80 00 10 00 00 0D 18 00 00")
}

/// A codec with one fault of each kind, to show that the check finds it.
private struct Faulty: PDU {
    nonisolated(unsafe) static var fault = 0
    var value: UInt16
    init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        value = try bytes.readUInt16()
        if Self.fault == 1 { value ^= 1 }
        if Self.fault != 2 { try bytes.finish() }
    }
    var encodedCount: Int { Self.fault == 3 ? 3 : 2 }
    func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        if Self.fault == 4 {
            throw .fieldTooLong
        }
        try output.write(value)
    }
}

@Suite(.serialized) struct CheckPDUFindsFaults {
    @Test(arguments: 1...4) func eachFaultIsFound(fault: Int) {
        Faulty.fault = fault
        withKnownIssue { checkPDU(Faulty.self, "34 12", .fixed, mutations: 100) }
        Faulty.fault = 0
        checkPDU(Faulty.self, "34 12", .fixed, mutations: 100)
    }
}
