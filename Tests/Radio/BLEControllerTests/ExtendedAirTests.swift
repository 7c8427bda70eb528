import BLEWire
import Testing

@testable import BLEController

/// Extended advertising on the air (Vol 6, Part B, 4.4.2): the PDUs, their fields and their times.
struct ExtendedAirTests {
    private let bench = Bench()
    private let host: RawHost
    private let air: AirRecord

    init() {
        host = bench.addHost()
        air = AirRecord(bench)
    }

    private static func octets(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) } }

    /// The packets of each event: ADV_EXT_INDs, then the secondary PDUs.
    private var events: [[AirAdvertisement]] {
        var events: [[AirAdvertisement]] = []
        for packet in air.packets {
            if packet.isPrimary, events.last?.last?.isPrimary != true { events.append([]) }
            if !events.isEmpty { events[events.count - 1].append(packet) }
        }
        return events
    }

    // MARK: Fields

    /// Without data and answers there is no AUX_ADV_IND (Vol 6, Part B, 2.3.1.5).
    @Test func aSetWithoutDataHasOnlyPrimaryPDUs() throws {
        let peer = DeviceAddress(kind: .random, value: 0xC000_0000_0077)
        for properties in [[], .directed, [.directed, .includesTxPower]] as [HCI.AdvertisingEventProperties] {
            host.advertiseExtended(bench, properties) { $0.peerAddress = peer }
            air.removeAll()
            bench.run(for: .seconds(1))
            host.disable(bench)
            #expect(air.primary.count >= 27 && air.secondary.isEmpty)
            #expect(Array(air.packets.map(\.channel).prefix(6)) == [37, 38, 39, 37, 38, 39])
            for packet in air.packets {
                #expect(packet.type == .extended && packet.mode == LL.AdvertisingMode.none && packet.phy == .oneM)
                #expect(packet.advertiser == host.address.value && packet.isSenderRandom)
                #expect(packet.target == (properties.contains(.directed) ? peer.value : nil))
                #expect(packet.isTargetRandom == properties.contains(.directed))
                #expect(packet.txPower == (properties.contains(.includesTxPower) ? 0 : nil))
                #expect(packet.dataInfo == nil && packet.pointer == nil && packet.data.isEmpty)
            }
        }
    }

    /// The table of the fields of ADV_EXT_IND and AUX_ADV_IND (Vol 6, Part B, 2.3.1.5 and 2.3.1.6).
    @Test(
        arguments: [
            [], .connectable, .scannable, .directed, .anonymous, .includesTxPower, [.connectable, .directed],
            [.scannable, .directed], [.anonymous, .directed],
        ] as [HCI.AdvertisingEventProperties])
    func thePropertiesDecideAboutTheFields(properties: HCI.AdvertisingEventProperties) throws {
        let peer = DeviceAddress(kind: .public, value: 0x77)
        let isScannable = properties.contains(.scannable)
        let data: [UInt8] = isScannable ? [] : [2, 1, 6]
        #expect(
            host.advertiseExtended(bench, properties, handle: 5, data: data, response: isScannable ? [1] : []) {
                $0.peerAddress = peer
            } == .success)
        bench.run(for: .seconds(1))
        let mode: LL.AdvertisingMode =
            properties.contains(.connectable) ? .connectable : isScannable ? .scannable : .none
        #expect(air.primary.count >= 27 && air.secondary.count * 3 == air.primary.count)
        let dataInfo = try #require(air.packets.first?.dataInfo)
        #expect(dataInfo.setID == 5)
        for packet in air.primary {
            #expect(packet.type == .extended && packet.mode == mode && packet.dataInfo == dataInfo)
            #expect(packet.advertiser == nil && packet.target == nil && packet.txPower == nil && packet.data.isEmpty)
            #expect(!packet.isSenderRandom && !packet.isTargetRandom && packet.pointer != nil)
        }
        for packet in air.secondary {
            #expect(packet.type == .extended && packet.mode == mode && packet.dataInfo == dataInfo)
            #expect(packet.advertiser == (properties.contains(.anonymous) ? nil : host.address.value))
            #expect(packet.isSenderRandom == !properties.contains(.anonymous) && !packet.isTargetRandom)
            #expect(packet.target == (properties.contains(.directed) ? peer.value : nil))
            #expect(packet.txPower == (properties.contains(.includesTxPower) ? 0 : nil))
            #expect(packet.data == data && packet.pointer == nil)
        }
    }

    /// An anonymous set without data needs AUX_ADV_IND as well, because ADV_EXT_IND alone has an address.
    @Test func anAnonymousSetNeverHasAnAddress() {
        host.advertiseExtended(bench, .anonymous)
        bench.run(for: .seconds(1))
        #expect(!air.secondary.isEmpty && air.packets.allSatisfy { $0.advertiser == nil })
    }

    // MARK: Pointers

    static let phys: [(HCI.PHY, HCI.PHY)] = [
        (.le1M, .le1M), (.le1M, .le2M), (.le1M, .leCoded), (.leCoded, .le1M), (.leCoded, .le2M), (.leCoded, .leCoded),
    ]

    /// Each AuxPtr names the PDU that follows: its channel, its PHY, and its start within one unit after the offset, at least T_MAFS after the end of
    /// the PDU with the pointer (Vol 6, Part B, 2.3.4.5 and 4.1.2). LL/DDI/ADV/BV-18-C and the following: chains of all lengths.
    @Test(arguments: phys, [1, 235, 236, 245, 246, 493, 494, 497, 1650])
    func eachPointerNamesAPDU(phys: (HCI.PHY, HCI.PHY), count: Int) throws {
        let data = Self.octets(count)
        let (primary, secondary) = phys
        for map in [7, 5, 2, 1] as [UInt8] {
            #expect(
                host.advertiseExtended(bench, [], interval: 0x140, data: data) {
                    ($0.primaryPHY, $0.secondaryPHY) = (primary, secondary)
                    $0.primaryChannelMap = .init(rawValue: map)
                } == .success)
            air.removeAll()
            bench.run(for: .milliseconds(650))
            host.disable(bench)
            bench.run(for: .milliseconds(300))
            let events = events
            #expect(events.count == 3 || events.count == 4)
            for event in events.dropLast() {
                let first = event.filter(\.isPrimary)
                #expect(first.map(\.channel) == (37..<40).filter { map >> ($0 - 37) & 1 != 0 })
                #expect(first.allSatisfy { $0.phy == (primary == .leCoded ? .codedS8 : .oneM) })
                let auxiliary = try #require(event.first { !$0.isPrimary })
                #expect(auxiliary.phy == (secondary == .le2M ? .twoM : secondary == .leCoded ? .codedS8 : .oneM))
                for packet in first { #expect(air.named(by: packet)?.start == auxiliary.start) }
                #expect(air.wholeData(from: auxiliary) == data)
                // As few PDUs as possible: at most 245 octets in AUX_ADV_IND, and 248 in each one that another one follows.
                #expect(event.count - first.count == (count <= 245 ? 1 : 1 + (count - 242 + 244) / 248))
            }
        }
    }

    /// The chain's PDUs have ADI and no address (Vol 6, Part B, 2.3.1.8).
    @Test func chainsHaveTheADIAndNoAddress() {
        host.advertiseExtended(bench, .includesTxPower, data: Self.octets(700))
        bench.run(for: .seconds(1))
        for event in events.dropLast() {
            for packet in event.drop(while: \.isPrimary).dropFirst() {
                #expect(packet.type == .extended && packet.mode == LL.AdvertisingMode.none)
                #expect(packet.advertiser == nil && packet.txPower == nil && !packet.isSenderRandom)
                #expect(packet.dataInfo == event[0].dataInfo)
            }
        }
    }

    /// All 37 secondary channels take part, and only those that the host has not excluded (Vol 4, Part E, 7.8.19).
    @Test func theSecondaryChannelsChange() {
        host.advertiseExtended(bench, [], interval: 0x20, data: Self.octets(400))
        bench.run(for: .seconds(10))
        #expect(Set(air.secondary.map(\.channel)) == Set(0..<37))
        let map = HCI.ChannelMap(rawValue: 0b1011 << 20)
        #expect(host.status(bench, of: HCI.LESetHostChannelClassification(channelMap: map)) == .success)
        // The event in progress keeps its channels.
        bench.run(for: .milliseconds(40))
        air.removeAll()
        bench.run(for: .seconds(2))
        #expect(Set(air.secondary.map(\.channel)) == [20, 21, 23])
        for packet in air.packets.dropLast(3) where packet.pointer != nil { #expect(air.named(by: packet) != nil) }
    }

    @Test func aChangedChannelMapLeavesTheEventInProgressAlone() {
        host.advertiseExtended(bench, [], data: Self.octets(1650))
        #expect(bench.run(atMost: .seconds(1)) { air.secondary.count == 2 })
        #expect(
            host.status(bench, of: HCI.LESetHostChannelClassification(channelMap: .init(rawValue: 3))) == .success)
        // So does new data.
        #expect(host.setData(bench, [9]) == .success)
        bench.run(for: .milliseconds(50))
        #expect(events.count == 1)
        #expect(events.first?.first { !$0.isPrimary }.flatMap { air.wholeData(from: $0) } == Self.octets(1650))
        air.removeAll()
        bench.run(for: .seconds(1))
        #expect(air.secondary.allSatisfy { $0.data == [9] && $0.channel < 2 } && !air.secondary.isEmpty)
    }

    // MARK: Events

    @Test func eventsKeepTheirIntervalAndUpToTenMilliseconds() {
        host.advertiseExtended(bench, .connectable, interval: 0xA0)
        bench.run(for: .seconds(20))
        let starts = air.primary.filter { $0.channel == 37 }.map { $0.start.nanoseconds / 1000 }
        let gaps = zip(starts.dropFirst(), starts).map { $0 - $1 }
        #expect(gaps.count > 180 && gaps.allSatisfy { (100_000...110_000).contains($0) } && Set(gaps).count > 150)
    }

    /// New data has another DID (Vol 6, Part B, 4.4.2.11). It has 12 bits. HCI/DDI/BV: the operation "unchanged" changes it, too.
    @Test func theDIDChangesWithTheDataAndWraps() throws {
        host.advertiseExtended(bench, [], interval: 0x20, data: [1])
        func next() -> UInt16? {
            air.removeAll()
            _ = bench.run(atMost: .seconds(1)) { air.secondary.count == 1 }
            #expect(Set(air.packets.map(\.dataInfo)).count == 1)
            return air.packets.first?.dataInfo?.dataID
        }
        let first = try #require(next())
        #expect(next() == first)
        host.setData(bench, [1])
        let second = try #require(next())
        #expect(second != first)
        host.setData(bench, [], .unchanged)
        let third = try #require(next())
        #expect(third != second && third != first)
        for _ in 0..<0x0FFE { host.setData(bench, [1]) }
        let last = try #require(next())
        #expect(last == (third &- 2) & 0x0FFF)
        host.setData(bench, [2])
        #expect(next() == (third &- 1) & 0x0FFF)
        host.setData(bench, [3])
        #expect(next() == third)
    }

    /// The legacy types by extended commands (Vol 4, Part E, 7.8.53).
    @Test func legacyPDUsOfExtendedCommands() {
        let types: [(HCI.AdvertisingEventProperties, LL.AdvertisingPDUType)] = [
            ([.connectable, .scannable, .legacy], .advInd), ([.connectable, .directed, .legacy], .advDirectInd),
            ([.scannable, .legacy], .advScanInd), (.legacy, .advNonconnInd),
            ([.connectable, .directed, .highDutyCycle, .legacy], .advDirectInd),
        ]
        for (handle, (properties, type)) in zip(UInt8(0)..., types) {
            host.advertiseExtended(bench, properties, handle: handle, enables: false)
            #expect(host.enable(bench, [handle], duration: 100) == .success)
            air.removeAll()
            bench.run(for: .milliseconds(900))
            #expect(air.packets.count >= 24 && air.packets.allSatisfy { $0.type == type && $0.isPrimary })
            // At most 3.75 ms between the events.
            #expect((air.packets.count > 700) == properties.contains(.highDutyCycle))
            host.disable(bench)
        }
    }
}
