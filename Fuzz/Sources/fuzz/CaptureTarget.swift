import BLEWire
import StudioRoom

@testable import BLEPacketDecoding
@testable import BLETransport

/// Capture files of other programs: the reader, the story of the packets, and the list of them with their fields.
enum CaptureTarget {
    static func run(_ input: inout Input) {
        switch input.octet() % 3 {
        case 0: checkFile(&input)
        case 1: checkHost(&input)
        default: checkAir(&input)
        }
    }

    /// A whole file. The packets do not depend on the pieces in which it is read.
    private static func checkFile(_ input: inout Input) {
        let piece = 1 + Int(input.octet())
        let file = input.rest()
        let (packets, fault) = read(file, pieces: piece)
        let (others, otherFault) = read(file, pieces: file.count + 1)
        require(packets == others && fault == otherFault, "the packets depend on the pieces")
        require(packets.count <= file.count, "more packets than octets")
        tell(packets)
    }

    private static func read(_ file: [UInt8], pieces: Int) -> ([CapturedPacket], CaptureReader.Fault?) {
        var reader = CaptureReader()
        var packets: [CapturedPacket] = []
        var rest = file[...]
        do {
            while !rest.isEmpty {
                reader.append(rest.prefix(pieces))
                rest = rest.dropFirst(pieces)
                while let packet = try reader.next() { packets.append(packet) }
                require(reader.bufferedOctets <= file.count, "the reader keeps more than it got")
            }
            _ = try reader.finish()
            return (packets, nil)
        } catch {
            return (packets, error)
        }
    }

    // MARK: Packets

    /// Packets between a host and its controller, of links with a few handles.
    private static func checkHost(_ input: inout Input) {
        var packets: [CapturedPacket] = []
        var time: Int64 = 1
        while !input.isAtEnd {
            let kind = input.octet()
            let handle = 0x40 + input.octet() % 3
            let octets = input.block()
            var sent: Bool? = kind & 0x40 != 0
            if kind & 0x80 != 0 { sent = nil }
            let packet: [UInt8]
            switch kind % 8 {
            case 0: packet = [4, 0x3E, UInt8(clamping: 4 + octets.count), kind >> 3, 0, handle, 0] + octets
            case 1: packet = [4, octets.first ?? 0, UInt8(clamping: 3 + octets.count), 0, handle, 0] + octets
            case 2: packet = [1, octets.first ?? 0, 0x20, UInt8(clamping: 2 + octets.count), handle, 0] + octets
            case 3, 4, 5:
                let count = UInt8(clamping: octets.count)
                let frame = [count, 0, 4 + kind >> 3 & 3, 0] + octets
                packet = [2, handle, kind & 0x30, UInt8(clamping: frame.count), 0] + frame
            case 6:
                time &+= Int64(kind) << 32
                continue
            default: packet = octets
            }
            time &+= 1_000_000
            packets.append(
                CapturedPacket(
                    number: packets.count + 1, time: time, isTruncated: kind & 1 != 0,
                    content: .host(CapturedPacket.Host(isSent: sent, octets: packet))))
        }
        tell(packets)
    }

    /// Packets of a link on the air, and those of advertisers.
    private static func checkAir(_ input: inout Input) {
        var packets: [CapturedPacket] = []
        var time: Int64 = 1
        while !input.isAtEnd {
            let (kind, header) = (input.octet(), input.octet())
            let octets = input.block()
            time &+= Int64(kind) << (header & 0x1F)
            let address = kind & 7 == 0 ? LL.advertisingAccessAddress : UInt32(kind & 3)
            let direction: LinkLayerFrame.Direction =
                switch kind >> 4 & 3 {
                case 0: .centralToPeripheral
                case 1: .peripheralToCentral
                default: .unspecified
                }
            packets.append(
                CapturedPacket(
                    number: packets.count + 1, time: time,
                    content: .air(
                        CapturedPacket.Air(
                            accessAddress: address, octets: [header, UInt8(clamping: octets.count)] + octets,
                            channel: kind & 8 == 0 ? 37 : nil, direction: direction,
                            isDecrypted: kind & 0x40 != 0))))
        }
        tell(packets)
    }

    private static func tell(_ packets: [CapturedPacket]) {
        list(packets)
        var story = CaptureStory()
        for packet in packets { story.add(packet) }
        story.finish()
        require(story.counts.all == packets.count, "a packet is not counted")
        require(story.links.count <= CaptureStory.linkLimit, "\(story.links.count) links")
        for link in story.links {
            require(link.output.events.count <= LinkOutput.eventLimit + 1, "\(link.output.events.count) events")
            require(link.output.findings.all.count <= FindingList.limit, "too many findings")
            for server in link.servers {
                require(server.uses.count <= ServerStory.useLimit, "\(server.uses.count) attributes")
                require(server.declared.count <= ServerStory.declarationLimit, "\(server.declared.count) declarations")
            }
        }
        let (english, chinese) = (story.lines(in: .english), story.lines(in: .chinese))
        require(english.count == chinese.count, "the languages have different lines")
    }

    /// The packets as the studio lists them: with texts and fields in both languages, which refer to octets of the packet.
    private static func list(_ packets: [CapturedPacket]) {
        var air = CapturedAir(packetLimit: 256)
        for packet in packets { air.add(packet) }
        require(air.count == packets.count, "a packet is not counted")
        require(air.devices.count <= CapturedAir.deviceLimit + 1, "\(air.devices.count) devices")
        let listed = air.packets
        listed.ring.forEach(in: listed.ring.range) { packet in
            _ = packet.summary.name
            let details = [TextLanguage.english, .chinese].map { language in
                _ = packet.summary.text(in: language)
                return listed.dissector.detail(of: packet.summary, in: language)
            }
            require(details[0].sections.count == details[1].sections.count, "two languages have other sections")
            for (section, other) in zip(details[0].sections, details[1].sections) {
                check(section.fields, other.fields, section.octets.count)
            }
            return true
        }
    }

    private static func check(_ fields: [DissectedField], _ others: [DissectedField], _ count: Int) {
        require(fields.count == others.count, "two languages have other fields")
        for (field, other) in zip(fields, others) {
            require(field.range.upperBound <= count, "a field is behind its packet")
            check(field.children, other.children, count)
        }
    }
}
