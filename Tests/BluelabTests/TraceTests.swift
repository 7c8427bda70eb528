import BLEVirtualRadio
import BLEWire
import Testing

@testable import bluelab

struct TraceTests {
    private func ll(_ octets: [UInt8]) -> String { LLText.describe(octets.span) }
    private func l2cap(_ octets: [UInt8]) -> String { L2CAPText.describe(octets.span) }
    private func hci(_ octets: [UInt8], _ direction: HCIDirection = .toHost) -> String {
        HCITracer.describe(
            octets.span, direction: direction, time: Instant(nanoseconds: 1_234_567_000), device: "Phone")
    }

    @Test func packetsAreNamedAsInTheSpecification() {
        #expect(ll([0x02, 0x13]) == "LL_TERMINATE_IND reason 13")
        #expect(
            ll([0x14, 0xFB, 0x00, 0x48, 0x08, 0x1B, 0x00, 0x48, 0x01]) == "LL_LENGTH_REQ receives 251, sends 27 octets")
        #expect(
            ll([0x03, 0x90, 0x78, 0x56, 0x34, 0x12, 0xEF, 0xCD, 0xAB, 0x74, 0x24] + [UInt8](repeating: 0, count: 12))
                == "LL_ENC_REQ EDIV 2474, Rand ABCDEF1234567890")
        #expect(
            [0x05, 0x06, 0x0A, 0x0B].map { ll([$0]) } == [
                "LL_START_ENC_REQ", "LL_START_ENC_RSP", "LL_PAUSE_ENC_REQ", "LL_PAUSE_ENC_RSP",
            ])
        #expect(l2cap([0x03, 0x00, 0x04, 0x00, 0x02, 0xF2, 0x01]) == "ATT Exchange MTU Request  498")
        #expect(
            l2cap([0x04, 0x00, 0x04, 0x00, 0x1B, 0x0C, 0x00, 0x4A]) == "ATT Handle Value Notification  handle 000C = 4A"
        )
        #expect(
            l2cap([0x05, 0x00, 0x04, 0x00, 0x01, 0x12, 0x0E, 0x00, 0x03])
                == "ATT Error Response  Write Request, handle 000E: Write Not Permitted")
        #expect(hci([0x01, 0x03, 0x0C, 0x00], .toController) == "  1.234567  HCI     Phone      >  Reset")
    }

    @Test func arbitraryOctetsDoNotTrapTheTrace() {
        var random = SeededRandom(seed: 11)
        for round in 0..<20_000 {
            var octets = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = ll(octets)
            // A true header lets the rest through to the decoders above.
            octets.insert(contentsOf: [UInt8(octets.count), 0, round % 2 == 0 ? 4 : 5, 0], at: 0)
            _ = l2cap(octets)
            _ = hci(octets)
            if octets.count > 2 { _ = hci([4, octets[1], UInt8(octets.count)] + octets) }
        }
    }
}
