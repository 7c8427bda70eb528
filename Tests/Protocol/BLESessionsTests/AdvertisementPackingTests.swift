import BLEAdapter
import BLEWire
import Testing

@testable import BLESessions

/// Semantics 125 to 127: what of an advertisement goes where.
struct AdvertisementPackingTests {
    private func pack(_ name: String?, _ services: [BluetoothUUID] = []) -> (data: [UInt8], scanResponse: [UInt8]) {
        Advertisement(localName: name, services: services).packed()
    }

    private let flags: [UInt8] = [2, 1, 6]
    private let short = BluetoothUUID(UInt16(0xFEE7))
    private let long = BluetoothUUID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)

    @Test func anEmptyAdvertisementHasFlagsAlone() {
        #expect(pack(nil).data == flags)
        #expect(pack(nil).scanResponse == [])
    }

    @Test func aNameThatFitsIsInTheAdvertisingData() {
        // 31 octets less 3 of flags less 2 of header.
        let name = String(repeating: "n", count: 26)
        #expect(pack(name).data == flags + [27, 9] + Array(name.utf8))
        #expect(pack(name).scanResponse == [])
    }

    @Test func aLongNameIsShortenedInTheScanResponse() {
        let name = String(repeating: "n", count: 27)
        #expect(pack(name).data == flags)
        #expect(pack(name).scanResponse == [11, 8] + Array(repeating: UInt8(ascii: "n"), count: 10))
    }

    @Test func aNameOfTenOctetsIsCompleteInTheScanResponse() {
        let (data, response) = pack("0123456789", [long])
        #expect(data.count == 3 + 18)
        #expect(response == [11, 9] + Array("0123456789".utf8))
    }

    @Test func aNameIsShortenedBetweenCharacters() {
        // Each character takes three octets: three fit into ten.
        let (_, response) = pack("手环手环手环", [long])
        #expect(response == [10, 8] + Array("手环手".utf8))
    }

    @Test func servicesAreOrderedByWidth() {
        let other = BluetoothUUID(UInt16(0x180D))
        let data = pack(nil, [short, long, other]).data
        #expect(Array(data.prefix(9)) == flags + [5, 3, 0xE7, 0xFE, 0x0D, 0x18])
        #expect(Array(data[9...].prefix(2)) == [17, 7])
        #expect(data.count == 27)
    }

    @Test func servicesThatDoNotFitMakeTheListIncomplete() {
        let many = (0..<20).map { BluetoothUUID(UInt16(0x1000 + $0)) }
        let data = pack(nil, many).data
        // 26 octets hold 13 of them.
        #expect(data.count == 31)
        #expect(Array(data[3...].prefix(2)) == [27, 2])
        let twoLong = [long, BluetoothUUID(high: 1, low: 2)]
        #expect(Array(pack(nil, twoLong).data[3...].prefix(2)) == [17, 6])
    }

    @Test func furtherStructuresFollowTheServicesAndDisplaceTheName() {
        let beacon = Advertisement.Structure(type: 0x16, octets: [0xE7, 0xFE, 1, 2, 3])
        let advertisement = Advertisement(
            localName: "wristbandwristband", services: [short, long], structures: [beacon])
        let (data, response) = advertisement.packed()
        // The list of 128-bit services has no room beside the structure and is left out.
        #expect(data == flags + [3, 3, 0xE7, 0xFE] + [6, 0x16] + beacon.octets)
        #expect(response == [11, 8] + Array("wristbandw".utf8))
    }

    /// 245 octets of an extended event that is connectable, 1,650 of another one. All is in the advertising data.
    @Test func extendedAdvertisingHasRoomForAll() {
        let name = String(repeating: "n", count: 100)
        var advertisement = Advertisement(
            localName: name, services: [short, long],
            structures: [.init(type: 0xFF, octets: [UInt8](repeating: 1, count: 60))], extended: .init())
        var (data, response) = advertisement.packed()
        var expected: [UInt8] = flags + [3, 3, 0xE7, 0xFE]
        expected += pack(nil, [long]).data.dropFirst(3)
        expected += [61, 0xFF] + [UInt8](repeating: 1, count: 60)
        #expect(data == expected + [101, 9] + Array(name.utf8))
        #expect(response.isEmpty)
        // A name without room for all of it is shortened.
        advertisement.localName = String(repeating: "n", count: 248)
        (data, response) = advertisement.packed()
        #expect(data.count == 245 && data.dropFirst(87).starts(with: [157, 8]) && response.isEmpty)
        // A structure has at most 254 octets after its type.
        advertisement.isConnectable = false
        advertisement.localName = String(repeating: "n", count: 300)
        (data, _) = advertisement.packed()
        #expect(data.count == 87 + 256 && data.dropFirst(87).starts(with: [255, 8]))
        advertisement = Advertisement(
            localName: nil, services: (0..<20).map { BluetoothUUID(high: 1, low: $0) }, isConnectable: false,
            extended: .init())
        #expect(advertisement.packed().data.dropFirst(3).starts(with: [241, 6]))
        #expect(advertisement.packed().data.count == 3 + 242)
    }

    @Test func aSlowBeaconDoesNotSlowAnotherAdvertisement() {
        var requests = AdvertisingRequests()
        requests.requests.append(.init(session: 1, advertisement: Advertisement(localName: "a", services: [])))
        #expect(requests.combined(.legacy)?.interval == nil)
        let beacon = Advertisement(localName: nil, services: [], isConnectable: false, interval: .seconds(10))
        requests.requests.append(.init(session: 2, advertisement: beacon))
        #expect(requests.combined(.legacy)?.interval == .milliseconds(30))
        #expect(requests.combined(.legacy)?.isConnectable == true)
        requests.requests.removeFirst()
        #expect(requests.combined(.legacy)?.interval == .seconds(10))
    }

    /// 28 octets beside the flags, of which a list takes two for its header. Types of complete and of incomplete lists (Assigned Numbers, 2.3).
    @Test(
        arguments: [
            (2, 13, 13, 0x03), (2, 14, 13, 0x02), (4, 6, 6, 0x05), (4, 7, 6, 0x04), (16, 1, 1, 0x07), (16, 2, 1, 0x06),
        ] as [(Int, Int, Int, UInt8)])
    func aListIsCompleteUpToItsRoom(width: Int, given: Int, sent: Int, type: UInt8) {
        let services = (0..<given).map { number in
            switch width {
            case 2: BluetoothUUID(UInt16(0x1000 + number))
            case 4: BluetoothUUID(UInt32(0x1234_0000 + number))
            default: BluetoothUUID(high: 1 << 63, low: UInt64(number))
            }
        }
        let data = pack(nil, services).data
        #expect(data.count == 3 + 2 + width * sent)
        #expect(Array(data[3...].prefix(2)) == [UInt8(1 + width * sent), type])
    }
}
