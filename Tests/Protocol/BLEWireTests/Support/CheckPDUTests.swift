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
    @Test(arguments: [
        (1, "Faulty: 34 12 encodes to 35 12, not to 34 12"),
        (2, "Faulty: one octet too many was not refused"),
        (3, "Faulty: encodedCount is 3, but 2 octets were written"),
        (4, "Faulty: 34 12: fieldTooLong"),
    ])
    func eachFaultIsFound(fault: Int, finding: String) {
        Faulty.fault = fault
        let found = findings(Faulty.self, [0x34, 0x12], .fixed, mutations: 100)
        Faulty.fault = 0
        #expect(found.contains(finding), "\(found.prefix(5))")
        #expect(findings(Faulty.self, [0x34, 0x12], .fixed, mutations: 100).isEmpty)
    }
}
