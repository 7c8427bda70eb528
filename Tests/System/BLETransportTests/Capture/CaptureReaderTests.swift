import BLEWire
import Testing

@testable import BLETransport

/// Capture files from octets, each format and link type, whole, cut and damaged.
struct CaptureReaderTests {
    /// All packets of a file that is read in pieces, and whether it ends after a whole record.
    func read(_ file: [UInt8], pieces: Int = 7) throws -> (packets: [CapturedPacket], isWhole: Bool) {
        var reader = CaptureReader()
        var packets: [CapturedPacket] = []
        var rest = file[...]
        while !rest.isEmpty {
            reader.append(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            while let packet = try reader.next() { packets.append(packet) }
        }
        return (packets, try reader.finish())
    }

    func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    func big(_ value: UInt32) -> [UInt8] { little(value).reversed() }

    /// A pcap file with packets at 100 s and 7 units.
    func pcap(
        _ linkType: UInt32, _ packets: [[UInt8]], isBigEndian: Bool = false, magic: UInt32 = 0xA1B2_C3D4
    ) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { isBigEndian ? big(value) : little(value) }
        let version: [UInt8] = isBigEndian ? [0, 2, 0, 4] : [2, 0, 4, 0]
        var file = number(magic) + version + number(0) + number(0) + number(65_535) + number(linkType)
        for packet in packets {
            let count = UInt32(packet.count)
            file += number(100) + number(7) + number(count) + number(count) + packet
        }
        return file
    }

    let reset: [UInt8] = [1, 3, 12, 0]
    let complete: [UInt8] = [4, 14, 4, 1, 3, 12, 0]
    let data: [UInt8] = [2, 0x40, 0, 5, 0, 1, 0, 4, 0, 0x0A]

    func host(_ isSent: Bool?, _ octets: [UInt8], controller: UInt16 = 0) -> CapturedPacket.Content {
        .host(CapturedPacket.Host(isSent: isSent, controller: controller, octets: octets))
    }

    // MARK: btsnoop

    /// A record as Android writes it: flags, no drops, 1970 and a microsecond.
    func record(_ octets: [UInt8], flags: UInt32, original: Int? = nil) -> [UInt8] {
        big(UInt32(original ?? octets.count)) + big(UInt32(octets.count)) + big(flags) + big(0)
            + [0x00, 0xDC, 0xDD, 0xB3, 0x0F, 0x2F, 0x80, 0x01] + octets
    }

    func btsnoop(_ datalink: UInt32) -> [UInt8] { Array("btsnoop\0".utf8) + big(1) + big(datalink) }

    @Test func btsnoopWithH4IsRead() throws {
        let file =
            btsnoop(1002) + record(reset, flags: 2) + record(complete, flags: 3) + record(data, flags: 0)
            + record(data, flags: 1)
        let (packets, isWhole) = try read(file)
        #expect(isWhole && packets.map(\.number) == [1, 2, 3, 4])
        #expect(
            packets.map(\.content) == [host(true, reset), host(false, complete), host(true, data), host(false, data)])
        #expect(packets.allSatisfy { $0.time == 1000 && !$0.isTruncated })
    }

    /// The filter of Android keeps the first octets of packets.
    @Test func aPacketThatTheRecorderCutIsMarked() throws {
        let (packets, _) = try read(btsnoop(1002) + record(Array(data.prefix(6)), flags: 0, original: 10))
        #expect(packets.map(\.isTruncated) == [true] && packets.map(\.content) == [host(true, Array(data.prefix(6)))])
    }

    @Test func btsnoopWithoutTypeOctetsIsRead() throws {
        let file =
            btsnoop(1001) + record(Array(reset.dropFirst()), flags: 2) + record(Array(complete.dropFirst()), flags: 3)
            + record(Array(data.dropFirst()), flags: 1)
        #expect(
            try read(file).packets.map(\.content) == [host(true, reset), host(false, complete), host(false, data)])
    }

    @Test func btsnoopOfTheLinuxMonitorIsRead() throws {
        let file =
            btsnoop(2001) + record([UInt8](repeating: 0, count: 16), flags: 0x0001_0000)
            + record(Array(reset.dropFirst()), flags: 0x0001_0002)
            + record(Array(complete.dropFirst()), flags: 0x0001_0003)
            + record(Array(data.dropFirst()), flags: 0x0002_0005) + record(Array("log".utf8), flags: 0xFFFF_000D)
        #expect(
            try read(file).packets.map(\.content) == [
                .other, host(true, reset, controller: 1), host(false, complete, controller: 1),
                host(false, data, controller: 2), .other,
            ])
    }

    @Test func whatTheWritersWriteIsRead() throws {
        for format in [BtsnoopWriter.Format.h4, .monitor] {
            var writer = BtsnoopWriter(format: format)
            var file: [UInt8] = []
            writer.appendHeader(to: &file)
            writer.append(reset.span, direction: .sent, time: 5_000_000, controller: 0, to: &file)
            writer.append(data.span, direction: .received, time: 1_700_000_000_000_001_000, controller: 0, to: &file)
            let packets = try read(file).packets.filter { $0.content != .other }
            #expect(packets.map(\.content) == [host(true, reset), host(false, data)])
            #expect(packets.map(\.time) == [5_000_000, 1_700_000_000_000_001_000])
        }
    }

    // MARK: pcap

    @Test(
        arguments: [
            (false, 0xA1B2_C3D4, 100_000_007_000), (true, 0xA1B2_C3D4, 100_000_007_000),
            (false, 0xA1B2_3C4D, 100_000_000_007), (true, 0xA1B2_3C4D, 100_000_000_007),
        ] as [(Bool, UInt32, Int64)])
    func pcapIsReadInBothByteOrders(isBigEndian: Bool, magic: UInt32, time: Int64) throws {
        let (packets, isWhole) = try read(pcap(187, [reset, complete], isBigEndian: isBigEndian, magic: magic))
        #expect(isWhole && packets.map(\.content) == [host(true, reset), host(false, complete)])
        #expect(packets.map(\.time) == [time, time])
    }

    @Test func aFileWithoutDirectionsSaysThatOfCommandsAndEventsOnly() throws {
        #expect(
            try read(pcap(187, [reset, complete, data])).packets.map(\.content) == [
                host(true, reset), host(false, complete), host(nil, data),
            ])
        #expect(
            try read(pcap(201, [[0, 0, 0, 0] + data, [0, 0, 0, 1] + data, [0, 0]])).packets.map(\.content) == [
                host(true, data), host(false, data), .undecodable,
            ])
    }

    @Test func theLinuxMonitorIsRead() throws {
        let packets: [[UInt8]] = [
            [0, 3, 0, 2] + reset.dropFirst(), [0, 3, 0, 5] + data.dropFirst(), [0, 3, 0, 8], [0, 3, 0],
        ]
        #expect(
            try read(pcap(254, packets)).packets.map(\.content) == [
                host(true, reset, controller: 3), host(false, data, controller: 3), .other, .undecodable,
            ])
    }

    // MARK: The air

    /// The access address, an empty PDU, and a CRC.
    let empty: [UInt8] = [0x3A, 0x5C, 0x65, 0x50, 0x0D, 0, 1, 2, 3]

    func air(_ change: (inout CapturedPacket.Air) -> Void = { _ in }) -> CapturedPacket.Content {
        var packet = CapturedPacket.Air(accessAddress: 0x5065_5C3A, octets: [0x0D, 0])
        change(&packet)
        return .air(packet)
    }

    @Test func packetsOfTheAirAreRead() throws {
        // A PDU that ends before its length.
        let short: [UInt8] = [0x3A, 0x5C, 0x65, 0x50, 0x0E, 9, 1, 2, 3]
        #expect(
            try read(pcap(251, [empty, short, [1, 2]])).packets.map(\.content) == [air(), .undecodable, .undecodable])
    }

    @Test func theHeaderOfPacketsOfTheAirIsRead() throws {
        /// RF channel 10 is the channel index 9.
        func packet(_ flags: UInt16, _ content: [UInt8]) -> [UInt8] {
            [10, UInt8(bitPattern: -60), 0, 0, 0x3A, 0x5C, 0x65, 0x50, UInt8(flags & 0xFF), UInt8(flags >> 8)] + content
        }
        let coded = Array(empty.prefix(4)) + [0] + empty.dropFirst(4)
        let packets = [
            packet(0x0C13, empty), packet(0x0D13, empty), packet(0x4D91, empty), packet(0x0411, empty),
            packet(0x0C10, empty), packet(0x3C19, empty), packet(0x8C11, coded), packet(0x0C13, []),
        ]
        #expect(
            try read(pcap(256, packets)).packets.map(\.content) == [
                air { ($0.channel, $0.signal) = (9, -60) },
                air { ($0.channel, $0.signal, $0.direction) = (9, -60, .centralToPeripheral) },
                air { ($0.channel, $0.phy, $0.direction) = (9, .twoM, .peripheralToCentral) },
                // A wrong CRC; whitened octets; decrypted; the Coded PHY with its coding indicator.
                air { ($0.channel, $0.isIntact) = (9, false) }, air { ($0.channel, $0.isIntact) = (9, false) },
                air { ($0.channel, $0.isDecrypted) = (9, true) },
                air { ($0.channel, $0.phy) = (9, .codedS8) }, .undecodable,
            ])
    }

    @Test func theNRFSnifferIsRead() throws {
        /// Board, lengths, version 3, counter, packet identifier; then flags, channel, signal, event counter, time.
        func packet(_ flags: UInt8, identifier: UInt8 = 6, version: UInt8 = 3, _ content: [UInt8]) -> [UInt8] {
            [7, 19, 0, version, 1, 0, identifier, 10, flags, 9, 61, 2, 0, 1, 2, 3, 4] + content
        }
        let advertising: [UInt8] = [0xD6, 0xBE, 0x89, 0x8E, 0x40, 6, 1, 2, 3, 4, 5, 0xC6, 1, 2, 3]
        let coded = Array(empty.prefix(4)) + [0] + empty.dropFirst(4)
        let packets = [
            packet(0x03, empty), packet(0x11, empty), packet(0x00, empty), packet(0x0F, empty), packet(0x07, empty),
            packet(0x21, coded), packet(0x03, identifier: 2, advertising), packet(0x03, version: 1, advertising),
            packet(0x01, identifier: 5, empty), packet(0x01, version: 9, empty), packet(0x01, []),
        ]
        let advertised = CapturedPacket.Content.air(
            CapturedPacket.Air(
                accessAddress: LL.advertisingAccessAddress, octets: Array(advertising[4..<12]), channel: 9, signal: -61)
        )
        func expected(_ change: (inout CapturedPacket.Air) -> Void) -> CapturedPacket.Content {
            air { packet in
                (packet.channel, packet.signal, packet.direction) = (9, -61, .peripheralToCentral)
                change(&packet)
            }
        }
        #expect(
            try read(pcap(272, packets)).packets.map(\.content) == [
                expected { $0.direction = .centralToPeripheral }, expected { $0.phy = .twoM },
                expected { $0.isIntact = false },
                expected { ($0.direction, $0.isDecrypted) = (.centralToPeripheral, true) },
                // Encrypted, and no key fits.
                expected { $0.direction = .centralToPeripheral }, expected { $0.phy = .codedS8 }, advertised,
                advertised,
                .other, .undecodable, .undecodable,
            ])
    }

    // MARK: pcapng

    func block(_ type: UInt32, _ content: [UInt8], isBigEndian: Bool = false) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { isBigEndian ? big(value) : little(value) }
        let padded = content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
        let length = number(UInt32(padded.count + 12))
        return number(type) + length + padded + length
    }

    func section(isBigEndian: Bool = false) -> [UInt8] {
        let order: [UInt8] = isBigEndian ? [0x1A, 0x2B, 0x3C, 0x4D, 0, 1, 0, 0] : [0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0]
        return block(0x0A0D_0D0A, order + [UInt8](repeating: 0xFF, count: 8), isBigEndian: isBigEndian)
    }

    func packet(_ interface: UInt32, _ stamp: UInt64, _ octets: [UInt8]) -> [UInt8] {
        block(
            6,
            little(interface) + little(UInt32(stamp >> 32)) + little(UInt32(truncatingIfNeeded: stamp))
                + little(UInt32(octets.count)) + little(UInt32(octets.count)) + octets)
    }

    @Test func pcapngWithSeveralInterfacesAndSectionsIsRead() throws {
        // Microseconds; nanoseconds and an offset of 10 s; a 1024th of a second; another protocol.
        let offset: [UInt8] = [14, 0, 8, 0, 10, 0, 0, 0, 0, 0, 0, 0]
        let file =
            section() + block(1, [187, 0, 0, 0, 0, 0, 0, 0])
            + block(1, [201, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0] + offset + [0, 0, 0, 0])
            + block(1, [187, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 0, 0x8A, 0, 0, 0])
            + block(1, [1, 0, 0, 0, 0, 0, 0, 0]) + block(5, [UInt8](repeating: 9, count: 40))
            + packet(0, 2_000_001, reset) + packet(1, 7, [0, 0, 0, 1] + data) + packet(2, 1536, complete)
            + packet(3, 1, reset) + packet(9, 1, reset)
            // A Simple Packet Block, and the block before the enhanced one.
            + block(3, little(4) + reset)
            + block(2, [0, 0, 0, 0] + little(0) + little(5) + little(4) + little(4) + reset)
            // A section in the other byte order forgets the interfaces.
            + section(isBigEndian: true) + block(1, [0, 251, 0, 0, 0, 0, 0, 0], isBigEndian: true)
            + block(
                6, big(0) + big(0) + big(3) + big(UInt32(empty.count)) + big(UInt32(empty.count)) + empty,
                isBigEndian: true)
        let (packets, isWhole) = try read(file)
        #expect(isWhole && packets.map(\.number) == Array(1...8))
        #expect(
            packets.map(\.content) == [
                host(true, reset), host(false, data), host(false, complete), .other, .other, host(true, reset),
                host(true, reset), air(),
            ])
        #expect(packets.map(\.time) == [2_000_001_000, 10_000_000_007, 1_500_000_000, 1000, 1000, nil, 5000, 3000])
    }

    @Test func aRecordingOfTheAirIsRead() throws {
        var writer = PcapngWriter()
        var file: [UInt8] = []
        writer.appendHeader(interface: "radio", to: &file)
        let pdu: [UInt8] = [0x42, 0x07, 6, 5, 4, 3, 2, 0xC1, 0xAA]
        for phy in LL.PHY.allCases {
            let frame = LinkLayerFrame(
                channel: 9, phy: phy, signalPower: -60, accessAddress: 0x5065_5C3A, crcInit: 1,
                direction: .peripheralToCentral)
            writer.append(frame, pdu: pdu.span, time: 0x1_0000_0002, comment: "missed by Phone", to: &file)
        }
        let packets = try read(file).packets
        #expect(
            packets.map(\.content)
                == LL.PHY.allCases.map { phy in
                    air {
                        $0 = CapturedPacket.Air(
                            accessAddress: 0x5065_5C3A, octets: pdu, channel: 9, phy: phy,
                            direction: .peripheralToCentral, signal: -60)
                    }
                })
        #expect(packets.allSatisfy { $0.time == 0x1_0000_0002 })
    }

    @Test func channelsAreConvertedBothWays() {
        for channel in UInt8(0)...39 {
            let frame = LinkLayerFrame(
                channel: channel, phy: .oneM, signalPower: nil, accessAddress: 0, crcInit: 0, direction: .unspecified)
            #expect(LinkLayerFrame.channel(ofRFChannel: frame.rfChannel) == channel)
        }
        #expect(LinkLayerFrame.channel(ofRFChannel: 40) == nil)
    }
}
