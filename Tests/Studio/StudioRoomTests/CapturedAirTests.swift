import BLEPacketDecoding
import BLETransport
import BLEWire
import Testing

@testable import StudioRoom

/// The packets of capture files.
struct CapturedAirTests {
    private static let accessAddress: UInt32 = 0x5065_5C3A
    private static let start: Int64 = 1_700_000_000_000_000_000

    /// Makes the packets of a file with their numbers and times.
    private struct File {
        var air: CapturedAir
        private(set) var count = 0

        init(_ air: CapturedAir = CapturedAir()) { self.air = air }

        mutating func add(_ content: CapturedPacket.Content, at milliseconds: Int64? = nil) {
            count += 1
            let time = CapturedAirTests.start + (milliseconds ?? 0) * 1_000_000
            air.add(CapturedPacket(number: count, time: time, content: content))
        }

        mutating func add(
            _ octets: [UInt8], _ accessAddress: UInt32 = LL.advertisingAccessAddress, channel: UInt8 = 37,
            isIntact: Bool = true, isDecrypted: Bool = false, at milliseconds: Int64? = nil
        ) {
            let air = CapturedPacket.Air(
                accessAddress: accessAddress, octets: octets, channel: channel, isIntact: isIntact,
                isDecrypted: isDecrypted, signal: -50)
            add(.air(air), at: milliseconds)
        }

        mutating func data(_ octets: [UInt8], isFromCentral: Bool, isDecrypted: Bool = false) {
            let air = CapturedPacket.Air(
                accessAddress: CapturedAirTests.accessAddress, octets: octets, channel: 9,
                direction: isFromCentral ? .centralToPeripheral : .peripheralToCentral, isDecrypted: isDecrypted)
            add(.air(air))
        }

        /// ADV_IND of C6:05:04:03:02:01 with the name "Bulb".
        mutating func advertise(at milliseconds: Int64? = nil) {
            add([0x40, 12, 1, 2, 3, 4, 5, 0xC6, 5, 9] + Array("Bulb".utf8), at: milliseconds)
        }

        /// CONNECT_IND of D6:15:14:13:12:11.
        mutating func connect(_ accessAddress: UInt32 = CapturedAirTests.accessAddress) {
            let address = [0, 8, 16, 24].map { (shift: UInt32) in UInt8(truncatingIfNeeded: accessAddress >> shift) }
            add(
                [0xC5, 0x22, 0x11, 0x12, 0x13, 0x14, 0x15, 0xD6, 1, 2, 3, 4, 5, 0xC6] + address
                    + [0x55, 0x44, 0x33, 2, 3, 0, 0x18, 0, 0, 0, 0xC8, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0xE9])
        }

        var packets: [RoomPacket] {
            var packets: [RoomPacket] = []
            let ring = air.packets.ring
            ring.forEach(in: ring.range) { packet in
                packets.append(packet)
                return true
            }
            return packets
        }
    }

    @Test func packetsHaveTheirNumbersTimesAndSenders() throws {
        var file = File()
        file.advertise(at: 0)
        file.connect()
        file.data([0x02, 7, 3, 0, 4, 0, 0x0A, 3, 0], isFromCentral: true)
        file.data([0x06, 6, 2, 0, 4, 0, 0x0B, 7], isFromCentral: false)
        file.advertise(at: 2500)
        let packets = file.packets
        #expect(packets.map(\.frame.number) == [1, 2, 3, 4, 5])
        #expect(packets.map(\.frame.start) == [0, 0, 0, 0, 2_500_000_000])
        #expect(packets.map(\.frame.sender) == [1, 2, 2, 1, 1])
        #expect(packets.map(\.summary.name) == ["ADV_IND", "CONNECT_IND", "ATT_READ_REQ", "ATT_READ_RSP", "ADV_IND"])
        #expect(packets[2].summary.conversation == packets[3].summary.conversation)
        #expect(packets[0].frame.receptions == [AirFrame.Reception(receiver: 0, rssi: -50, outcome: .received)])
        let devices = file.air.devices
        #expect(devices.map(\.number) == [1, 2, 0])
        #expect(devices.prefix(2).map { $0.name.description } == ["Bulb", "D6:15:14:13:12:11"])
        #expect(devices.map { $0.address?.value } == [0xC605_0403_0201, 0xD615_1413_1211, nil])
        #expect(devices.last?.name.inChinese == "记录设备")
        #expect(file.air.layers == [.adv, .att] && file.air.count == 5 && file.air.leftOut == 0)
        #expect(file.air.packets.first == 1)
    }

    @Test func anotherContentIsAnotherRun() {
        func run(_ body: (inout File) -> Void) -> Int {
            var file = File()
            body(&file)
            return file.air.packets.run
        }
        let first = run {
            $0.advertise(at: 0)
            $0.advertise(at: 5)
        }
        #expect(
            first
                == run {
                    $0.advertise(at: 0)
                    $0.advertise(at: 5)
                })
        let others = [
            run { _ in }, run { $0.advertise(at: 0) },
            run {
                $0.advertise(at: 0)
                $0.advertise(at: 6)
            },
            run {
                $0.advertise(at: 0)
                $0.connect()
            },
        ]
        #expect(Set(others + [first]).count == 5 && others.allSatisfy { 0..<1 << 53 ~= $0 })
    }

    @Test func aClockThatGoesBackOrIsMissingHasNoTimeBelowZero() {
        var air = CapturedAir()
        let given: [Int64?] = [Self.start, nil, Self.start + 5, .min, .max, Self.start + 7]
        for (number, time) in given.enumerated() {
            air.add(CapturedPacket(number: number + 1, time: time, content: .other))
        }
        var times: [Int64] = []
        air.packets.ring.forEach(in: 0..<100) { packet in
            times.append(packet.frame.start)
            return true
        }
        #expect(times == [0, 0, 5, 0, .max / 2, 7])
    }

    /// Of a file without dates, and of one whose first packet has no time.
    @Test(
        arguments: [
            ([0, 10, 20], [0, 10, 20]), ([nil, 500, 505, nil], [0, 0, 5, 5]), ([500, 497], [0, 0]),
        ] as [([Int64?], [Int64])])
    func theListAndTheStoryHaveTheSameTimes(given: [Int64?], shown: [Int64]) {
        var (air, story) = (CapturedAir(), CaptureStory())
        var seconds: [Double?] = []
        for (number, time) in given.enumerated() {
            let packet = CapturedPacket(number: number + 1, time: time, content: .other)
            air.add(packet)
            story.add(packet)
            seconds.append(story.last.map { story.seconds($0) })
        }
        #expect(File(air).packets.map(\.frame.start) == shown)
        #expect(seconds == shown.map { Optional(Double($0) / 1e9) })
        #expect(story.origin == given.compactMap(\.self).first)
    }

    @Test func hostsAndControllersAreDevices() {
        var file = File()
        file.add(.host(CapturedPacket.Host(isSent: true, octets: [1, 3, 0x0C, 0])))
        file.add(.host(CapturedPacket.Host(isSent: false, octets: [4, 0x0E, 4, 1, 3, 0x0C, 0])))
        file.add(.host(CapturedPacket.Host(isSent: true, controller: 2, octets: [1, 3, 0x0C, 0])))
        file.add(.other)
        file.add(.undecodable)
        #expect(file.packets.map(\.frame.sender) == [1, 2, 3, -1, -1])
        #expect(file.air.devices.map { $0.name.description } == ["Host", "Controller", "Host 2", "the recorder"])
        #expect(file.air.devices.map { $0.name.inChinese } == ["主机", "控制器", "主机 2", "记录设备"])
        #expect(file.packets.map(\.summary.layer) == [.hci, .hci, .hci, .data, .data])
        #expect(file.packets.allSatisfy { $0.frame.receptions.isEmpty && $0.frame.airTime == 0 })
        #expect(file.packets[3].summary.name == "Other record")
        // The octets of a packet outlive the ring's own form of it.
        #expect(file.packets[1].summary.octets == [4, 0x0E, 4, 1, 3, 0x0C, 0] && file.packets[1].summary.isHost)
    }

    @Test func aDamagedPacketNamesNoDeviceAndNoLink() {
        var file = File()
        file.add([0x40, 12, 9, 9, 9, 9, 9, 0xC9, 5, 9] + Array("Bulb".utf8), isIntact: false)
        file.connect()
        file.add([0x02, 7, 3, 0, 4, 0, 0x0A, 3, 0], Self.accessAddress, channel: 9, isIntact: false)
        let packets = file.packets
        #expect(packets.map { $0.summary.content == .undecodable } == [true, false, true])
        #expect(packets[0].frame.receptions.first?.outcome == .corrupted && packets[0].frame.sender == -1)
        #expect(!file.air.devices.contains { $0.address?.value == 0xC909_0909_0909 })
        let detail = file.air.packets.dissector.detail(of: packets[0].summary)
        #expect(detail.sections.first?.fields.map(\.name) == ["Not decoded"])
    }

    @Test func aDecryptedPacketIsReadAsItIs() throws {
        var file = File()
        file.connect()
        // LL_START_ENC_REQ, after which payloads are encrypted.
        file.data([0x03, 1, 0x05], isFromCentral: false)
        file.data([0x0A, 9, 5, 0, 4, 0, 0x1B, 3, 0, 1, 2], isFromCentral: true)
        file.data([0x0E, 9, 5, 0, 4, 0, 0x1B, 3, 0, 1, 2], isFromCentral: false, isDecrypted: true)
        let packets = file.packets
        #expect(packets[2].summary.content == .encrypted && packets[2].summary.isEncrypted)
        #expect(packets[3].summary.name == "ATT_HANDLE_VALUE_NTF")
        #expect(packets[3].summary.isEncrypted && packets[3].frame.isDecrypted)
    }

    /// ADV_EXT_IND and AUX_CHAIN_IND have no address here; AUX_ADV_IND has it, and the name.
    @Test func extendedAdvertisersAreDevices() throws {
        var file = File()
        let address: [UInt8] = [1, 2, 3, 4, 5, 0xC6]
        for round: Int64 in 0..<2 {
            // Each pointer is 3 ms long (100 of 30 µs), to channel 9 and then 20.
            file.add([0x07, 7, 6, 0x18, 0x23, 0x41, 0x49, 100, 0], at: 100 * round)
            file.add(
                [0x47, 22, 12, 0x19] + address + [0x23, 0x41, 0x54, 100, 0, 2, 1, 6, 5, 9] + Array("Bulb".utf8),
                channel: 9, at: 100 * round + 3)
            file.add([0x07, 6, 3, 0x08, 0x23, 0x41, 0xAA, 0xBB], channel: 20, at: 100 * round + 6)
        }
        // AUX_CONNECT_RSP to D6:15:14:13:12:11.
        file.add([0xC8, 14, 13, 0x03] + address + [0x11, 0x12, 0x13, 0x14, 0x15, 0xD6], channel: 9)
        let packets = file.packets
        let event = ["ADV_EXT_IND", "AUX_ADV_IND", "AUX_CHAIN_IND"]
        #expect(packets.map(\.summary.name) == event + event + ["AUX_CONNECT_RSP"])
        #expect(packets.map(\.frame.sender) == [-1, 1, -1, -1, 1, -1, 1])
        #expect(file.air.devices.map { $0.name.description } == ["Bulb", "the recorder"])
        #expect(file.air.devices.first?.address?.value == 0xC605_0403_0201)
        #expect(file.air.layers == [.adv] && packets.allSatisfy { $0.summary.content != .undecodable })
    }

    /// Some recorders decrypt packets and leave their MICs.
    @Test func aMICBehindADecryptedPacketIsLeftOut() {
        var file = File()
        file.connect()
        file.data([0x03, 1, 0x05], isFromCentral: false)
        file.data([0x0E, 12, 4, 0, 4, 0, 0x1B, 3, 0, 9, 1, 2, 3, 4], isFromCentral: false, isDecrypted: true)
        file.data([0x06, 6, 5, 0, 4, 0, 0x1B, 3], isFromCentral: false, isDecrypted: true)
        file.data([0x0D, 7, 0, 8, 9, 1, 2, 3, 4], isFromCentral: false, isDecrypted: true)
        // LL_PAUSE_ENC_RSP, after which payloads are plain.
        file.data([0x07, 5, 0x0B, 1, 2, 3, 4], isFromCentral: false, isDecrypted: true)
        file.data([0x02, 9, 5, 0, 4, 0, 0x1B, 3, 0, 1, 2], isFromCentral: true)
        let packets = file.packets.suffix(5).map(\.summary)
        #expect(packets[0].name == "ATT_HANDLE_VALUE_NTF" && !packets[0].text.contains("undecodable"))
        #expect(packets[2].content == .lastPart([5, 0, 4, 0, 0x1B, 3, 0, 8, 9]))
        #expect(packets[3].name == "LL_PAUSE_ENC_RSP" && !packets[3].text.contains("undecodable"))
        #expect(packets[4].name == "ATT_HANDLE_VALUE_NTF" && !packets[4].isEncrypted)
        #expect(packets.map(\.payloadRange) == [2..<10, 2..<8, 2..<5, 2..<3, 2..<11])
        let fields = packets.map { file.air.packets.dissector.detail(of: $0).sections.first?.fields.last }
        #expect(fields.map { $0?.name == "Message integrity check" } == [true, false, true, true, false])
    }

    @Test func namesThatAreWordsAreInBothLanguages() {
        var file = File()
        file.add(.other)
        file.add(.undecodable)
        file.connect()
        file.add([0x02, 7, 3, 0, 4, 0, 0x0A, 3, 0], Self.accessAddress, channel: 9, isIntact: false)
        let packets = file.packets.map(\.summary)
        #expect(packets.map(\.name) == ["Other record", "Packet", "CONNECT_IND", "LL data"])
        #expect(packets.map { $0.name(in: .chinese) } == ["其他记录", "数据包", "CONNECT_IND", "LL data"])
        #expect(packets.allSatisfy { $0.words.name == $0.name })
    }

    @Test func theFirstPacketsStayAndTheOthersAreCounted() {
        var file = File(CapturedAir(packetLimit: 2500))
        for _ in 0..<4000 { file.advertise() }
        #expect(file.air.count == 4000 && file.air.leftOut == 1500)
        #expect(file.air.packets.ring.range == 1..<2501)
        // A limit of octets, after which also a short packet has no room.
        file = File(CapturedAir(octetLimit: 100_000))
        file.add(.host(CapturedPacket.Host(isSent: true, octets: [UInt8](repeating: 2, count: 99_999))))
        file.add(.host(CapturedPacket.Host(isSent: true, octets: [UInt8](repeating: 2, count: 99_999))))
        file.add(.other)
        #expect(file.air.leftOut == 1 && file.air.packets.ring.range == 1..<3)
        #expect(file.packets.map(\.frame.octets.count) == [65_535, 65_535])
    }

    @Test func theDevicesOfAHostileCaptureAreBounded() {
        var file = File()
        for number in 0..<2000 {
            file.add([0x40, 6, UInt8(number & 0xFF), UInt8(number >> 8), 3, 4, 5, 0xC6])
            file.connect()
        }
        #expect(file.air.devices.count == CapturedAir.deviceLimit + 1)
        #expect(file.packets.count == 4000)
        #expect(file.packets.suffix(2).map(\.frame.sender).allSatisfy { $0 < 0 || $0 <= CapturedAir.deviceLimit })
    }

    /// The dissector and the list forget links at different times.
    @Test func aLinkKeepsItsDevicesWhenOldOnesAreForgotten() throws {
        var file = File()
        // A link whose start is not in the file.
        file.add([0x02, 7, 3, 0, 4, 0, 0x0A, 3, 0], 1, channel: 9)
        for number: UInt32 in 0..<1025 { file.connect(0x100 + number) }
        let last: UInt32 = 0x100 + 1023
        file.add([0x02, 7, 3, 0, 4, 0, 0x0A, 3, 0], last, channel: 9)
        file.add([0x06, 6, 2, 0, 4, 0, 0x0B, 7], last, channel: 9)
        let packets = file.packets.suffix(2)
        #expect(packets.map(\.frame.sender) == [1, 2])
        #expect(packets.map(\.summary.sender) == [.central, .peripheral])
    }

    /// Without times and directions the sides take turns, and a new link begins with the central.
    @Test func aLinkWithAUsedAccessAddressBeginsWithItsCentral() {
        var file = File()
        for _ in 0..<2 {
            file.connect()
            file.add([0x02, 7, 3, 0, 4, 0, 0x0A, 3, 0], Self.accessAddress, channel: 9)
        }
        #expect(file.packets.map(\.frame.sender) == [1, 1, 1, 1])
    }

    @Test func octetsOfNoMeaningAreShown() {
        var state: UInt64 = 7
        func next(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        var file = File()
        for _ in 0..<3000 {
            let octets = (0..<2 + next(below: 60)).map { _ in UInt8(next(below: 256)) }
            switch next(below: 3) {
            case 0: file.add(.host(CapturedPacket.Host(isSent: nil, octets: [UInt8(next(below: 7))] + octets)))
            case 1: file.add(octets, channel: UInt8(next(below: 40)), isIntact: next(below: 4) > 0)
            default: file.add(octets, UInt32(next(below: 5)), channel: UInt8(next(below: 37)))
            }
        }
        let packets = file.packets
        #expect(packets.count == 3000)
        let dissector = file.air.packets.dissector
        for packet in packets {
            let detail = dissector.detail(of: packet.summary)
            #expect(detail.sections.first?.octets == packet.summary.octets && !packet.summary.name.isEmpty)
        }
    }
}
