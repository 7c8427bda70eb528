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

    /// The same packet in the steps that the host takes for all others; nil unless it has one report of a legacy packet.
    private func inSteps(_ packet: [UInt8]) -> Content? {
        guard packet.first == 0x04,
            let event = try? HCI.EventPacket(decoding: packet.span.extracting(droppingFirst: 1)),
            event.code == .leMeta, let meta = try? HCI.LEMetaEvent(decoding: event.parameters)
        else { return nil }
        if meta.subeventCode == .advertisingReport {
            guard var reports = try? HCI.LEAdvertisingReport(decoding: meta.parameters), reports.count == 1,
                let report = reports.next()
            else { return nil }
            return Content(
                type: report.eventType.rawValue, device: report.address.asDevice, data: [UInt8](report.data),
                rssi: report.rssi)
        }
        // The legacy packets of Vol 4, Part E, 7.7.65.13.
        guard meta.subeventCode == .extendedAdvertisingReport,
            var reports = try? HCI.LEExtendedAdvertisingReport(decoding: meta.parameters), reports.count == 1,
            let report = reports.next(),
            [0x13, 0x15, 0x12, 0x10, 0x1A, 0x1B].contains(report.eventType.rawValue), report.data.count <= 31,
            report.address.kind != .anonymous
        else { return nil }
        return Content(
            type: report.eventType.legacyKind.rawValue, device: report.address.asDevice, data: [UInt8](report.data),
            rssi: report.rssi)
    }

    @Test(arguments: [false, true]) func theViewReadsWhatTheDecodersRead(isExtended: Bool) {
        var random = SeededRandom(seed: 1)
        var found = 0
        for _ in 0..<20_000 {
            func octets(_ count: Int) -> [UInt8] {
                (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            let count = Int.random(in: 0...33, using: &random)
            var packet: [UInt8]
            if isExtended {
                let types: [UInt8] = [0x13, 0x15, 0x12, 0x10, 0x1A, 0x1B, 0x33, 0x01]
                let type = types.randomElement(using: &random) ?? 0
                packet = [0x04, 0x3E, UInt8(26 + count), 0x0D, 1, type, 0, .random(in: 0...4, using: &random)]
                packet +=
                    octets(6) + [1, 0, 0xFF, 127] + octets(1) + [0, 0] + octets(7) + [UInt8(count)] + octets(count)
            } else {
                packet = [0x04, 0x3E, UInt8(12 + count), 0x02, 1, .random(in: 0...5, using: &random)]
                packet.append(.random(in: 0...4, using: &random))
                packet += octets(6) + [UInt8(count)] + octets(count + 1)
            }
            // Damages half of the packets: an octet of the header, or the length.
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                packet[Int.random(in: 0..<min(30, packet.count), using: &random)] = .random(in: 0...40, using: &random)
            case 1: packet.removeLast(Int.random(in: 1...packet.count, using: &random))
            default: break
            }
            let expected = inSteps(packet)
            if expected != nil { found += 1 }
            #expect(inOneStep(packet) == expected, "\(packet)")
        }
        #expect(found > 5_000)
    }

    @Test func anAnonymousReportIsNone() {
        var packet: [UInt8] = [0x04, 0x3E, 26, 0x0D, 1, 0x10, 0, 0, 1, 2, 3, 4, 5, 6, 1, 0, 0xFF, 127, 0xD8]
        packet += [UInt8](repeating: 0, count: 10)
        #expect(inOneStep(packet) != nil)
        packet[7] = 0xFF
        #expect(inOneStep(packet) == nil)
    }
}
