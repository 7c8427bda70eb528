import BLEWire
import Testing

@testable import BLEPacketDecoding

struct TextTests {
    private func ll(_ octets: [UInt8]) -> String { LLText.describe(octets.span).line }
    private func l2cap(_ octets: [UInt8]) -> PDUText { L2CAPText.describe(octets.span) }

    @Test func tracesNamePacketsAsTheSpecification() {
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
        #expect(ll([0x2B, 0x01]) == "control 2B  01")
        #expect(l2cap([0x03, 0x00, 0x04, 0x00, 0x02, 0xF2, 0x01]).line == "ATT Exchange MTU Request  498")
        #expect(
            l2cap([0x04, 0x00, 0x04, 0x00, 0x1B, 0x0C, 0x00, 0x4A]).line
                == "ATT Handle Value Notification  handle 000C = 4A")
        #expect(
            l2cap([0x05, 0x00, 0x04, 0x00, 0x01, 0x12, 0x0E, 0x00, 0x03]).line
                == "ATT Error Response  Write Request, handle 000E: Write Not Permitted")
        #expect(
            l2cap([0x06, 0x00, 0x05, 0x00, 0x13, 0x02, 0x02, 0x00, 0x00, 0x00]).line
                == "L2CAP signalling Connection Parameter Update Response, accepted")
        #expect(l2cap([0x02, 0x00, 0x06, 0x00, 0x05, 0x04]).line == "SMP  05 04")
    }

    @Test func namesAndParametersAreApart() {
        let read = l2cap([0x03, 0x00, 0x04, 0x00, 0x0A, 0x0C, 0x00])
        #expect(read.name == "ATT_READ_REQ")
        #expect(read.detail == "handle 000C")
        let failed = l2cap([0x02, 0x00, 0x06, 0x00, 0x05, 0x04])
        #expect(failed.name == "Pairing Failed")
        #expect(failed.detail == "Confirm Value Failed")
        let channel = l2cap([0x0E, 0, 5, 0, 0x14, 3, 10, 0, 0x80, 0, 0x40, 0, 0xF7, 0, 0xE7, 0, 10, 0])
        #expect(channel.name == "L2CAP_LE_CREDIT_BASED_CONNECTION_REQ")
        #expect(channel.detail == "PSM 0080, channel 0040, MTU 247, MPS 231, 10 credits")
        let channels = l2cap([16, 0, 5, 0, 0x17, 3, 12, 0, 0x27, 0, 100, 0, 102, 0, 10, 0, 0x40, 0, 0x41, 0])
        #expect(channels.name == "L2CAP_CREDIT_BASED_CONNECTION_REQ")
        #expect(channels.detail == "PSM 0027, channel 0040 0041, MTU 100, MPS 102, 10 credits")
        let some = l2cap([16, 0, 5, 0, 0x18, 3, 12, 0, 100, 0, 102, 0, 10, 0, 4, 0, 0x50, 0, 0, 0])
        #expect(some.detail == "refused: no resources, channel 0050 0000, MTU 100, MPS 102, 10 credits")
        #expect(l2cap([6, 0, 5, 0, 0x1A, 4, 2, 0, 1, 0]).detail == "smaller MTU")
    }

    @Test func arbitraryOctetsDoNotTrapTheTexts() {
        var random = SeededRandom(seed: 11)
        for round in 0..<20_000 {
            var octets = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = ll(octets)
            _ = AdvertisingText.describe(octets.span)
            // A true header lets the rest through to the decoders above.
            octets.insert(contentsOf: [UInt8(octets.count), 0, [4, 5, 6][round % 3], 0], at: 0)
            _ = l2cap(octets)
            _ = HCIText.line(octets.span)
            if octets.count > 2 { _ = HCIText.line(([4, octets[1], UInt8(octets.count)] + octets).span) }
        }
    }
}
