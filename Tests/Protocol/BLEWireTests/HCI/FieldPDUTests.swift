import BLEWire
import Testing

/// The PDUs whose coding `Scripts/generate-pdus` writes.
struct FieldPDUTests {
    @Test func everyTruncationOfAPDUOfFieldsThrowsTruncated() {
        func check<P: FieldPDU>(_ type: P.Type) {
            for count in 0..<P.octetCount {
                #expect(throws: DecodeError.truncated, "\(type) of \(count) octets") {
                    _ = try P(decoding: [UInt8](repeating: 0, count: count).span)
                }
            }
        }
        for type in fieldPDUs { check(type) }
    }

    @Test func octetsAfterTheLastFieldThrowTrailingBytes() {
        func check<P: FieldPDU>(_ type: P.Type) {
            for surplus in 1...3 {
                #expect(throws: DecodeError.trailingBytes, "\(type) with \(surplus) octets too many") {
                    _ = try P(decoding: [UInt8](repeating: 0, count: P.octetCount + surplus).span)
                }
            }
        }
        for type in fieldPDUs { check(type) }
    }

    /// Each pattern decodes to other values in neighbouring fields, if the type accepts it: a Boolean accepts 0 and 1 only, and
    /// the length before advertising data is at most 31.
    @Test func aPDUOfFieldsEncodesAsManyOctetsAsItCountsAndDecodes() {
        func check<P: FieldPDU>(_ type: P.Type) {
            let patterns: [[UInt8]] = [
                (0..<P.octetCount).map { UInt8(truncatingIfNeeded: 1 + $0) },
                (0..<P.octetCount).map { UInt8(truncatingIfNeeded: 31 - $0) },
                (0..<P.octetCount).map { UInt8(($0 + 1) % 2) },
                (0..<P.octetCount).map { UInt8($0 % 2) },
            ]
            var accepted = 0
            for pattern in patterns {
                guard let pdu = try? P(decoding: pattern.span), (try? encoded(pdu)) == pattern else { continue }
                accepted += 1
                #expect(pdu.encodedCount == P.octetCount, "\(type)")
                checkPDU(type, pattern, .fixed, mutations: 100)
            }
            #expect(accepted > 0, "\(type) encodes no pattern as it decoded it")
        }
        for type in fieldPDUs { check(type) }
    }

    @Test func theListHasCommandsReturnParametersEventsAndControlPDUs() {
        let names = Set(fieldPDUs.map { "\($0)" })
        for name in [
            "LESetScanParameters", "ReturnParameters", "ConnectionReturn", "LEConnectionComplete", "LengthReq",
        ] {
            #expect(names.contains(name))
        }
    }

    @Test func theDefaultOfAFieldIsTheDefaultOfTheParameter() throws {
        let command = HCI.LESetScanParameters(window: 0x0008)
        #expect(try encoded(command) == octets("00 10 00 08 00 00 00"))
        #expect(HCI.Disconnect(connectionHandle: 1).reason == .remoteUserTerminatedConnection)
    }

    /// The upper four bits of a connection handle are flags or reserved (Vol 4, Part E, 5.4.2).
    @Test func aConnectionHandleHasTwelveBits() throws {
        #expect(try HCI.LEReadChannelMap(decoding: octets("01 FE").span).connectionHandle == 0x0E01)
    }
}
