import BLEController
import BLEWire
import Testing

/// The codings of extended advertising on the Coded PHY: LE Set Extended Advertising Parameters [v2] (Vol 4, Part E, 7.8.53).
struct ExtendedCodingTests {
    private let bench = Bench()
    private let host: RawHost
    private let air: AirRecord

    init() {
        host = bench.addHost()
        air = AirRecord(bench)
    }

    /// Creates a set on the Coded PHY, or changes it, and enables it.
    private func advertise(
        _ properties: HCI.AdvertisingEventProperties = [], primary: UInt8, secondary: UInt8, data: [UInt8] = [],
        response: [UInt8] = [], _ change: (inout HCI.LESetExtendedAdvertisingParameters) -> Void = { _ in }
    ) -> HCI.ErrorCode? {
        var parameters = HCI.LESetExtendedAdvertisingParameters(
            advertisingHandle: 0, properties: properties, intervalMinimum: 0x200, intervalMaximum: 0x200,
            ownAddressType: .random, primaryPHY: .leCoded, secondaryPHY: .leCoded)
        change(&parameters)
        let status = host.status(
            bench,
            of: HCI.LESetExtendedAdvertisingParametersV2(
                parameters: parameters, primaryPHYOptions: .init(rawValue: primary),
                secondaryPHYOptions: .init(rawValue: secondary)))
        guard status == .success else { return status }
        host.send(HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: 0, address: host.address))
        if !data.isEmpty { #expect(host.setLongData(bench, data) == .success) }
        if !response.isEmpty { #expect(host.setLongData(bench, response, isResponse: true) == .success) }
        return host.enable(bench)
    }

    private static func phy(_ options: UInt8) -> LL.PHY { options == 1 || options == 3 ? .codedS2 : .codedS8 }

    /// The controller has both codings, so it does what the host prefers or requires. The pointers have the times of the coding.
    @Test(arguments: 0...4 as ClosedRange<UInt8>, 0...4 as ClosedRange<UInt8>)
    func theHostSelectsTheCodings(primary: UInt8, secondary: UInt8) {
        let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
        for _ in 0..<2 {
            #expect(advertise(primary: primary, secondary: secondary, data: data) == .success)
            air.removeAll()
            bench.run(for: .seconds(2))
            host.disable(bench)
            #expect(air.primary.count > 10 && air.primary.allSatisfy { $0.phy == Self.phy(primary) })
            #expect(air.secondary.count > 10 && air.secondary.allSatisfy { $0.phy == Self.phy(secondary) })
            let firsts = air.secondary.filter { $0.advertiser != nil }
            #expect(firsts.dropLast().allSatisfy { air.wholeData(from: $0) == data })
            #expect(air.primary.dropLast(3).allSatisfy { air.named(by: $0) != nil })
        }
        // Version 1 of the command selects no coding.
        #expect(
            host.advertiseExtended(bench, [], interval: 0x200) {
                ($0.primaryPHY, $0.secondaryPHY) = (.leCoded, .leCoded)
            } == .success)
        air.removeAll()
        bench.run(for: .seconds(1))
        #expect(!air.packets.isEmpty && air.packets.allSatisfy { $0.phy == .codedS8 })
    }

    @Test func otherPHYsHaveNoCoding() {
        #expect(
            advertise(primary: 1, secondary: 3, data: [2, 1, 6]) {
                ($0.primaryPHY, $0.secondaryPHY) = (.le1M, .le2M)
            } == .success)
        bench.run(for: .seconds(1))
        #expect(!air.primary.isEmpty && air.primary.allSatisfy { $0.phy == .oneM })
        #expect(!air.secondary.isEmpty && air.secondary.allSatisfy { $0.phy == .twoM })
    }

    /// A reserved value, and a set that is on (7.8.53): the set does not change.
    @Test(arguments: [(5, 0), (0, 5), (255, 255)] as [(UInt8, UInt8)])
    func reservedOptionsAreInvalid(primary: UInt8, secondary: UInt8) {
        #expect(advertise(primary: primary, secondary: secondary) == .invalidHCICommandParameters)
        #expect(host.enable(bench) == .unknownAdvertisingIdentifier)
        #expect(advertise(primary: 0, secondary: 1, data: [1]) == .success)
        #expect(advertise(primary: primary, secondary: secondary) == .invalidHCICommandParameters)
        #expect(advertise(primary: 3, secondary: 3) == .commandDisallowed)
        air.removeAll()
        bench.run(for: .seconds(1))
        #expect(!air.primary.isEmpty && air.primary.allSatisfy { $0.phy == .codedS8 })
        #expect(!air.secondary.isEmpty && air.secondary.allSatisfy { $0.phy == .codedS2 })
    }

    /// A host that turns on the feature learns the coding from the reports: 3 is S=8 and 4 is S=2, otherwise 3 is both (7.7.65.13). The answer to
    /// AUX_SCAN_REQ has the coding of the set.
    @Test(arguments: [false, true], [(1, 2), (2, 1), (1, 1)] as [(UInt8, UInt8)])
    func reportsNameTheCodings(isOn: Bool, options: (primary: UInt8, secondary: UInt8)) {
        let scanner = bench.addHost()
        for isNowOn in [isOn, !isOn, isOn] {
            #expect(
                scanner.status(bench, of: HCI.LESetHostFeature(bitNumber: 41, isOn: isNowOn)) == .success)
            scanner.scanExtended(.active, on: .leCoded, interval: 0x10, window: 0x10)
            #expect(
                advertise(.scannable, primary: options.primary, secondary: options.secondary, response: [7, 8])
                    == .success)
            bench.run(for: .seconds(2))
            host.disable(bench)
            scanner.send(HCI.LESetExtendedScanEnable(enable: false))
            bench.deliver()
            func code(_ options: UInt8) -> UInt8 { isNowOn ? Self.phy(options).rawValue : 3 }
            let reports = scanner.extendedReports
            #expect(reports.contains { $0.data == [7, 8] && $0.type & 8 != 0 })
            #expect(
                reports.allSatisfy {
                    $0.primary == code(options.primary) && $0.secondary == code(options.secondary)
                }, "\(reports)")
            scanner.events.removeAll()
        }
    }

    @Test func aLinkBeginsWithEachCoding() {
        for (round, option) in ([1, 2, 3] as [UInt8]).enumerated() {
            let central = bench.addHost()
            #expect(advertise(.connectable, primary: option, secondary: option) == .success)
            central.connectExtended(to: host.address, on: .leCoded)
            #expect(
                bench.run(atMost: .seconds(5)) {
                    host.connections.count == round + 1 && central.connections.count == 1
                })
            bench.run(for: .seconds(1))
            #expect(central.disconnections.isEmpty && host.disconnections.isEmpty)
        }
    }

    /// The feature needs the Coded PHY. Peers do not learn it.
    @Test func aControllerWithoutTheCodedPHYHasNoCodings() {
        let plain = bench.addHost { $0.supportsCoded = false }
        for (device, isSupported) in [(host, true), (plain, false)] {
            let status = device.status(
                bench,
                of: HCI.LESetExtendedAdvertisingParametersV2(
                    parameters: .init(
                        advertisingHandle: 0, properties: [], intervalMinimum: 0x200, intervalMaximum: 0x200)))
            #expect(status == (isSupported ? .success : .unknownHCICommand))
            #expect(
                device.status(bench, of: HCI.LESetHostFeature(bitNumber: 41, isOn: true))
                    == (isSupported ? .success : .unsupportedFeatureOrParameterValue))
            device.send(HCI.LEReadLocalSupportedFeatures())
            device.send(HCI.ReadLocalSupportedCommands())
            bench.deliver()
            let features = device.events.last { $0[0] == 0x0E && $0[3] == 0x03 && $0[4] == 0x20 }
            #expect(features.map { $0[6 + 5] & 1 != 0 } == isSupported)
            let commands = device.events.last { $0[0] == 0x0E && $0[3] == 0x02 && $0[4] == 0x10 }
            #expect(commands.map { $0[6 + 46] & 4 != 0 } == isSupported)
        }
    }
}
