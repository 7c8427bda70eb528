import BLEVirtualRadio
import BLEWire
import Testing

@testable import bluelab

struct TraceTests {
    private func hci(_ octets: [UInt8], _ direction: HCIDirection = .toHost) -> String {
        HCITracer.describe(
            octets.span, direction: direction, time: Instant(nanoseconds: 1_234_567_000), device: "Phone")
    }

    @Test func aPacketOfAHostIsALineWithTimeDeviceAndDirection() {
        #expect(hci([0x01, 0x03, 0x0C, 0x00], .toController) == "  1.234567  HCI     Phone      >  Reset")
        #expect(hci([0x02, 0x40, 0x20, 0x02, 0x00, 0x01, 0x02]).hasSuffix("  <  ACL handle 0040, 2 octets"))
    }
}
