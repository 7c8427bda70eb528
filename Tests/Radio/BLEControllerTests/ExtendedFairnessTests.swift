import BLEWire
import Testing

@testable import BLEController

/// What one advertiser or setting must not take from others (Vol 6, Part B, 4.4.3).
struct ExtendedFairnessTests {
    private let info = LL.AdvertisingDataInfo(dataID: 0x123, setID: 7)
    private let bench = Bench()
    private let scanner: RawHost
    private let sender: RawAdvertiser

    init() {
        scanner = bench.addHost { $0.publicAddress = DeviceAddress(kind: .public, value: 0x11_2233_4455) }
        sender = RawAdvertiser(bench)
    }

    /// Chains that go on far ahead do not block the scanner, and none is reported as whole.
    @Test func farChainsDoNotBlockTheScanner() {
        let hostile = RawAdvertiser(bench)
        scanner.scanExtended()
        for round in 0..<2 {
            scanner.events.removeAll()
            let start = bench.radio.now + .milliseconds(5)
            for number in 0..<8 {
                let info = LL.AdvertisingDataInfo(dataID: UInt16(round), setID: UInt8(number))
                var next = RawAdvertiser.Link(pdu: RawPDU(info: info), offset: 0x1FFF, usesLongUnits: true)
                next.isSent = false
                hostile.advertise(
                    RawPDU(info: info),
                    [.init(pdu: RawPDU(advertiser: hostile.address, info: info, data: [1]), offset: 34), next],
                    at: start + .milliseconds(10 * number))
            }
            for number in 0..<100 {
                sender.advertise(
                    RawPDU(info: info), [.init(pdu: RawPDU(advertiser: sender.address, info: info, data: [2]))],
                    at: start + .milliseconds(100 + 20 * number))
            }
            bench.run(for: .seconds(4))
            let reports = scanner.extendedReports
            #expect(reports.filter { $0.address == sender.address }.map(\.status) == Array(repeating: 0, count: 100))
            #expect(reports.filter { $0.address == hostile.address }.map(\.status) == Array(repeating: 2, count: 8))
        }
    }

    /// LE Set Extended Scan Enable without parameters: the commands of the host decide about the reports (Vol 4, Part E, 7.7.65.13).
    @Test func theEnableCommandAloneScansForExtendedAdvertising() {
        let legacy = bench.addHost()
        legacy.advertise(interval: 0x20)
        scanner.send(HCI.LESetExtendedScanEnable(enable: true))
        for _ in 0..<20 {
            sender.advertise(
                RawPDU(info: info), [.init(pdu: RawPDU(advertiser: sender.address, info: info, data: [2]))],
                at: bench.radio.now + .milliseconds(1))
            bench.run(for: .milliseconds(33))
        }
        #expect(scanner.reports.isEmpty)
        #expect(Set(scanner.extendedReports.map(\.address)) == [sender.address, legacy.address])
    }

    /// A scan whose periods are one interval long uses all channels as well.
    @Test(arguments: [HCI.PHYMask.le1M, .leCoded]) func shortPeriodsUseAllChannels(phys: HCI.PHYMask) {
        scanner.scanExtended(on: phys, interval: 0xF0, window: 0xF0, duration: 15, period: 1)
        let start = bench.radio.now
        for number in 0..<150 {
            for channel: UInt8 in 37...39 {
                sender.send(
                    RawPDU(advertiser: sender.address, info: .init(dataID: 1, setID: channel & 0x0F)).octets,
                    at: start + .milliseconds(50 * number + 10 * Int(channel - 37)), on: channel,
                    phys == .le1M ? .oneM : .codedS8)
            }
        }
        var heard: [Set<UInt8>] = []
        for period in 1...6 {
            bench.run(until: start + .milliseconds(1280 * period - 10))
            heard.append(Set(scanner.extendedReports.map(\.sid)))
            scanner.events.removeAll()
        }
        #expect(heard == [[5], [6], [7], [5], [6], [7]])
    }
}
