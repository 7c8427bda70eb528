import BLEAdapter
import BLEWire
import Foundation
import ScanReports
import Testing

@testable import AdvertisementScanning

struct DeviceTableTests {
    @Test func aFullTableDropsSilentDevicesThenWeakOnes() {
        var table = DeviceTable(capacity: 16)
        // Devices 1 and 2 fall silent. The others are the weaker, the higher their number.
        for number in 1...16 {
            _ = table.add(
                report(UInt64(number), rssi: Int8(-30 - number), at: number < 3 ? number : 60_000), since: start)
        }
        _ = table.add(report(17, rssi: -90, at: 60_000), since: start)
        #expect(table.droppedCount == 2)
        #expect(Set(table.devices.map { $0.peer.high >> 32 }) == Set(3...17))
        _ = table.add(report(18, rssi: -35, at: 60_000), since: start)
        _ = table.add(report(19, rssi: -35, at: 60_000), since: start)
        #expect(table.droppedCount == 4)
        #expect(Set(table.devices.map { $0.peer.high >> 32 }) == Set(3...15).union([18, 19]))
        #expect(table.index(of: PeerIdentifier(high: 18 << 32, low: 1)) != nil)
    }

    @Test func devicesWithNewAddressesDoNotGrowTheTable() {
        var table = DeviceTable(capacity: 64)
        for number in 0..<10_000 { _ = table.add(report(UInt64(number), at: number), since: start) }
        #expect(table.devices.count <= 64)
    }

    /// A device with legacy packets and two sets: three rows, each with its own data, or one device.
    @Test(arguments: [true, false]) func setsMayHaveEntriesOfTheirOwn(separatesSets: Bool) throws {
        var table = DeviceTable(separatesSets: separatesSets)
        for round in 0..<2 {
            for (set, name) in [(nil, "L"), (4, "A"), (5, "B")] as [(UInt8?, String)] {
                let data = structures((9, Array(name.utf8)))
                let index = table.add(report(1, at: round * 100, data: data, set: set), since: start)
                table.decode(index)
                #expect(table.devices[index].name == name)
            }
            _ = table.add(report(2, set: 4), since: start)
        }
        #expect(table.devices.map(\.key.set) == (separatesSets ? [nil, 4, 5, 4] : [nil, nil]))
        #expect(table.devices.map(\.count) == (separatesSets ? [2, 2, 2, 2] : [6, 2]))
        let peer = try #require(table.devices.first).peer
        let key = ScannedDevice.Key(peer: peer, set: 5)
        #expect(table.index(of: key) == (separatesSets ? 2 : nil) && table.index(of: peer) == 0)
        // Rows of one device with equal signals keep their order.
        #expect(table.sorted(Array(table.devices.indices)) == (separatesSets ? [1, 2, 0, 3] : [0, 1]))
    }

    /// 0xFF is an extended advertisement without ADI, which belongs to no set.
    @Test func anAdvertisementWithoutASetIsOfTheDevice() {
        var table = DeviceTable(separatesSets: true)
        for set in [0xFF, 0x10, nil] as [UInt8?] { #expect(table.add(report(1, set: set), since: start) == 0) }
        #expect(table.add(report(1, set: 15), since: start) == 1)
    }

    @Test func setsDoNotGrowTheTable() {
        var table = DeviceTable(capacity: 64, separatesSets: true)
        for number in 0..<10_000 {
            _ = table.add(report(UInt64(number / 16), at: number, set: UInt8(number % 16)), since: start)
        }
        #expect(table.devices.count <= 64)
        for index in table.devices.indices { #expect(table.index(of: table.devices[index].key) == index) }
    }

    @Test func theStrongestSignalIsFirst() {
        var table = DeviceTable()
        for (number, rssi) in [(1, -70), (2, -40), (3, 127), (4, -40)] as [(UInt64, Int8)] {
            _ = table.add(report(number, rssi: rssi), since: start)
        }
        #expect(table.sorted([0, 1, 2, 3]).map { table.devices[$0].peer.high >> 32 } == [2, 4, 1, 3])
    }

    @Test func theIntervalIsTheMedianBetweenAdvertisingEvents() throws {
        var device = ScannedDevice(peer: PeerIdentifier(high: 1, low: 1))
        // Three packets of an event count as one. One event is lost.
        for time in [0, 1, 2, 100, 101, 200, 400, 500] {
            device.add(report(1).discovery, at: .milliseconds(time))
        }
        #expect(device.interval.map { abs($0 / .milliseconds(1) - 100) < 2 } == true)
        #expect(device.count == 8 && device.signals.values.count == 8)
    }

    @Test func theHistoryKeepsTheLastValues() {
        var history = History<Int8>()
        #expect(history.last == nil && history.values.isEmpty)
        for value in 0..<40 { history.append(Int8(value)) }
        #expect(history.values == Array(24..<40) && history.last == 39)
    }

    @Test func whatAnEarlierPacketContainedStays() {
        var device = ScannedDevice(peer: PeerIdentifier(high: 1, low: 1))
        let power: [UInt8] = [0xAA, 0xFE, 0x10, 0xEB, 0, 0x61]
        device.add(report(1, data: structures((9, [0x41]), (0x16, power))).discovery, at: .zero)
        device.decode()
        // A frame with telemetry follows the frame with the URL.
        let telemetry: [UInt8] = [0xAA, 0xFE, 0x20, 0, 0, 0, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 1]
        device.add(report(1, data: structures((0x16, telemetry))).discovery, at: .milliseconds(100))
        device.decode()
        #expect(device.name == "A" && device.content.beacon?.measuredPower == -62)
        #expect(device.distance != nil)
    }
}

struct PublishedAddressTests {
    @Test func theStructureForAddressesIsRead() {
        let data = structures((0x1B, [0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0]))
        #expect(device(data).content.publishedAddress?.text == "11:22:33:44:55:66")
        #expect(device(data).content.publishedAddress?.source == .addressStructure)
    }

    @Test(
        arguments: [
            ([0x59, 0, 0xC0, 0x11, 0x22, 0x33, 0x44, 0x5F], nil, "C0:11:22:33:44:5F"),
            // The address of the packets, in either order, at any place.
            ([0x59, 0, 9, 0x5F, 0x44, 0x33, 0x22, 0x11, 0xC0, 1], 0xC011_2233_445F, "C0:11:22:33:44:5F"),
            ([0x59, 0, 9, 0xC0, 0x11, 0x22, 0x33, 0x44, 0x5F], 0xC011_2233_445F, "C0:11:22:33:44:5F"),
            ([0x59, 0, 9, 0xC0, 0x11, 0x22, 0x33, 0x44, 0x5F], nil, nil),
            ([0x59, 0, 0x53, 0x65, 0x6E, 0x73, 0x6F, 0x72], nil, nil),
            ([0x59, 0, 0, 0, 0, 0, 0, 0], nil, nil),
            ([0x59, 0], nil, nil),
        ] as [([UInt8], UInt64?, String?)])
    func sixOctetsOfManufacturerDataMayBeTheAddress(octets: [UInt8], onAir: UInt64?, text: String?) {
        let device = device(structures((0xFF, octets)), address: onAir)
        #expect(device.content.publishedAddress?.text == text)
    }

    @Test func aSystemIDMayContainTheAddress() {
        #expect(
            PublishedAddress.systemID([0xDE, 0xBC, 0x9A, 0xFE, 0xFF, 0x56, 0x34, 0x12])?.text == "12:34:56:9A:BC:DE")
        #expect(PublishedAddress.systemID([0xDE, 0xBC, 0x9A, 0, 0, 0x56, 0x34, 0x12])?.text == "12:34:56:9A:BC:DE")
        #expect(PublishedAddress.systemID([0xDE, 0xBC, 0x9A, 1, 2, 0x56, 0x34, 0x12]) == nil)
        #expect(PublishedAddress.systemID([1, 2, 3, 0, 0, 0, 0, 0]) == nil)
        #expect(PublishedAddress.systemID([0xFE]) == nil)
    }

    @Test(
        arguments: [
            (0xC000_0000_0001, DeviceAddress.TypeName.static), (0x4000_0000_0001, .resolvable),
            (0x0000_0000_0001, .nonresolvable),
            (0x8000_0000_0001, .reserved),
        ] as [(UInt64, DeviceAddress.TypeName)])
    func theTopBitsOfARandomAddressAreItsType(value: UInt64, type: DeviceAddress.TypeName) {
        #expect(DeviceAddress(kind: .random, value: value).typeName == type)
        #expect(DeviceAddress(kind: .public, value: value).typeName == .public)
    }
}

struct AdvertisementStructureTests {
    @Test(
        arguments: [
            ((1, [6]), "Flags: general discoverable, no BR/EDR"),
            (
                (3, [0x0D, 0x18, 0xAA, 0xFE]),
                "Complete List of 16-bit Service Class UUIDs: 180D (Heart Rate), FEAA (Eddystone)"
            ),
            ((9, [0x41]), "Complete Local Name: \"A\""), ((0x0A, [0xFC]), "Tx Power Level: -4 dBm"),
            ((0x12, [8, 0, 0xFF, 0xFF]), "Peripheral Connection Interval Range: 10 ms to any"),
            ((0x1A, [0xA0, 0]), "Advertising Interval: 100 ms"), ((0x19, [0x41, 3]), "Appearance: Heart Rate Belt"),
            ((0xFF, [0x59, 0, 1]), "Manufacturer Specific Data: Nordic Semiconductor ASA, 01"),
            ((0x16, [0x0F, 0x18, 0x64]), "Service Data - 16-bit UUID: 180F (Battery), 64"),
            ((0x24, [0x17, 0x2F, 0x2F, 0x61]), "URI: https://a"), ((0xFE, [1]), "type FE"),
            ((0xFF, [1]), "Manufacturer Specific Data"),
        ] as [((UInt8, [UInt8]), String)])
    func aStructureIsDecoded(item: (UInt8, [UInt8]), text: String) {
        #expect(AdvertisementStructure.all(in: structures(item)).map(\.text) == [text])
    }

    @Test func octetsAfterTheStructuresAreShown() {
        #expect(
            AdvertisementStructure.all(in: [2, 1, 6, 9, 9, 0x41]).last
                == AdvertisementStructure(
                    octets: [9, 9, 0x41], text: "malformed: the length exceeds the data"))
        #expect(AdvertisementStructure.all(in: [2, 1, 6, 0, 0]).last?.text == "end of the data")
    }

    @Test func theStructuresOfAnyOctetsAreComplete() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<500 {
            let data = (0..<Int.random(in: 0...31, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            #expect(AdvertisementStructure.all(in: data).flatMap(\.octets) == data)
        }
    }
}

struct PeerIdentifierTests {
    @Test func identifiersAndPeersAreTheSame() throws {
        let uuid = try #require(UUID(uuidString: "0B1D7A10-6F2E-4C0A-9B6A-2F1C0E4D7A10"))
        #expect(PeerIdentifier(uuid).uuid == uuid && PeerIdentifier(uuid).shortText == "0B1D7A10")
        #expect(PeerIdentifier(uuid).high == 0x0B1D_7A10_6F2E_4C0A)
    }
}
