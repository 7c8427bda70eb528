import BLEWire
import Testing

struct SoleAdvertisingReportTests {
    private struct Content: Hashable {
        let type: UInt8
        let device: DeviceAddress
        let data: [UInt8]
        let rssi: Int8
    }

    private func inOneStep(_ packet: [UInt8]) -> Content? {
        guard let report = HCI.SoleAdvertisingReport(packet.span) else { return nil }
        return Content(
            type: report.eventType, device: report.device, data: [UInt8](report.data), rssi: report.rssi)
    }

    /// The same packet in the steps that the host takes for all others; nil unless it has one report.
    private func inSteps(_ packet: [UInt8]) -> Content? {
        guard packet.first == 0x04,
            let event = try? HCI.EventPacket(decoding: packet.span.extracting(droppingFirst: 1)),
            event.code == .leMeta, let meta = try? HCI.LEMetaEvent(decoding: event.parameters),
            meta.subeventCode == .advertisingReport,
            var reports = try? HCI.LEAdvertisingReport(decoding: meta.parameters), reports.count == 1,
            let report = reports.next()
        else { return nil }
        return Content(
            type: report.eventType.rawValue, device: report.address.asDevice, data: [UInt8](report.data),
            rssi: report.rssi)
    }

    @Test func theViewReadsWhatTheDecodersRead() {
        var random = SeededRandom(seed: 1)
        var found = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...33, using: &random)
            var packet: [UInt8] = [0x04, 0x3E, UInt8(12 + count), 0x02, 1, .random(in: 0...5, using: &random)]
            packet.append(.random(in: 0...4, using: &random))
            packet += (0..<6).map { _ in UInt8.random(in: 0...255, using: &random) } + [UInt8(count)]
            packet += (0...count).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Damages half of the packets: an octet of the header, or the length.
            switch Int.random(in: 0..<4, using: &random) {
            case 0: packet[Int.random(in: 0..<14, using: &random)] = .random(in: 0...40, using: &random)
            case 1: packet.removeLast(Int.random(in: 1...packet.count, using: &random))
            default: break
            }
            let expected = inSteps(packet)
            if expected != nil { found += 1 }
            #expect(inOneStep(packet) == expected, "\(packet)")
        }
        #expect(found > 5_000)
    }
}
