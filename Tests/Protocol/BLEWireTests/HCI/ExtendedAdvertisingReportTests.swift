import BLEWire
import Testing

struct ExtendedAdvertisingReportTests {
    private static let report =
        "13 00 01 0A F4 F3 F2 F1 F0 01 00 FF 7F CE 00 00 00 00 00 00 00 00 00 03 02 01 06"

    @Test func extendedReportsRoundTripAndRejectWrongLengths() {
        checkPDU(HCI.ExtendedAdvertisingReport.self, Self.report)
        checkPDU(HCI.LEExtendedAdvertisingReport.self, "02" + Self.report + Self.report)
    }

    @Test func anExtendedReportOfALegacyPDUHasTheLegacyFields() throws {
        let octets = octets("01" + Self.report)
        var event = try HCI.LEExtendedAdvertisingReport(decoding: octets.span)
        var seen = 0
        while let report = event.next() {
            seen += 1
            #expect(report.address.description == "F0:F1:F2:F3:F4:0A")
            #expect(report.address.kind == .random)
            #expect(report.rssi == -50)
            #expect(report.txPower == 127)
            #expect([UInt8](report.data) == [0x02, 0x01, 0x06])
            #expect(report.eventType.isComplete)
        }
        #expect(seen == 1)
    }

    @Test func eventTypesMapToTheLegacyPackets() {
        func kind(_ raw: UInt16) -> HCI.AdvertisingEventType {
            HCI.ExtendedAdvertisingEventType(rawValue: raw).legacyKind
        }
        #expect(kind(0x13) == .connectableUndirected)
        #expect(kind(0x15) == .connectableDirected)
        #expect(kind(0x12) == .scannableUndirected)
        #expect(kind(0x10) == .nonconnectableUndirected)
        #expect(kind(0x1B) == .scanResponse)
        #expect(kind(0x1A) == .scanResponse)
        #expect(kind(0x01) == .connectableUndirected, "without the legacy bit, as Bumble's controller says it")
        #expect(!HCI.ExtendedAdvertisingEventType(rawValue: 0x33).isComplete)
    }
}
