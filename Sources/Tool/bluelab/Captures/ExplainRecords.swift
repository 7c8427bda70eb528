import BLEPacketDecoding
import BLEWire
import Foundation

/// The story of a capture as JSON: a record of the capture, one for each device, link, event, attribute and error, and one for each finding.
struct ExplainRecords {
    private let story: CaptureStory
    private let end: CaptureReading.End

    init(_ reading: CaptureReading) { (story, end) = (reading.story, reading.end) }

    var lines: [String] {
        var lines = [jsonLine(CaptureRecord(story, end))]
        lines += story.advertisers.map { jsonLine(AdvertiserRecord($0)) }
        for link in story.links {
            lines.append(jsonLine(LinkRecord(link, story)))
            lines += link.output.events.map { jsonLine(EventRecord($0, link, story)) }
            for side in [LinkSide.central, .peripheral] {
                let server = link.servers[side.rawValue]
                lines += server.declared.map { jsonLine(DeclarationRecord($0, side, link)) }
                lines += server.uses.sorted { $0.key < $1.key }.map {
                    jsonLine(UseRecord($0.key, $0.value, side, link))
                }
                lines += server.refusals.map { jsonLine(RefusalRecord($0, side, link)) }
            }
            lines += link.output.findings.all.map {
                jsonLine(FindingRecord($0, link: link.number, text: story.text(of: $0, on: link, in: .english)))
            }
        }
        lines += story.findings.all.map {
            jsonLine(FindingRecord($0, link: nil, text: story.text(of: $0, in: .english)))
        }
        return lines
    }

    // MARK: Records

    private struct CaptureRecord: Encodable {
        let type = "capture"
        var packets: Int
        var start: String?
        var seconds: Double
        var links: Int
        var otherLinks: Int
        var advertisers: Int
        var undecodable: Int
        var truncated: Int
        var damaged: Int
        var end: String
        /// The octet from which on the file is damaged.
        var offset: Int?

        init(_ story: CaptureStory, _ end: CaptureReading.End) {
            packets = story.counts.all
            start = story.start
            seconds = story.last.map { story.seconds($0) } ?? 0
            links = story.links.count
            otherLinks = story.leftOutLinks
            advertisers = story.advertisers.count
            undecodable = story.counts.undecodable
            truncated = story.counts.truncated
            damaged = story.counts.damaged
            switch end {
            case .whole: self.end = "whole"
            case .cut: self.end = "cut"
            case .damaged(let place): (self.end, offset) = ("damaged", place)
            }
        }
    }

    private struct AdvertiserRecord: Encodable {
        let type = "capture-advertiser"
        var address: String
        var isRandom: Bool
        var name: String?
        var packets: Int
        var connectable: Bool
        var weakest: Int?
        var strongest: Int?

        init(_ advertiser: AdvertiserStory) {
            address = "\(advertiser.address)"
            isRandom = advertiser.address.kind == .random
            name = advertiser.name
            packets = advertiser.packets
            connectable = advertiser.isConnectable
            weakest = advertiser.signal.map { Int($0.lowerBound) }
            strongest = advertiser.signal.map { Int($0.upperBound) }
        }
    }

    private struct LinkRecord: Encodable {
        let type = "capture-link"
        var link: Int
        var central: String?
        var peripheral: String?
        /// The role of the host whose packets the file has.
        var host: String?
        var whole: Bool
        var firstFrame: Int
        var lastFrame: Int
        var interval: Double?
        var latency: Int?
        var timeout: Double?
        var mtu: Int
        var encrypted: Bool
        var hiddenPackets: Int
        var packets: [Int]
        var octets: [Int]
        var retransmissions: [Int]
        var endedBy: String?
        var reason: Int?

        init(_ link: LinkStory, _ story: CaptureStory) {
            self.link = link.number
            central = link.addresses[LinkSide.central.rawValue].map { "\($0)" }
            peripheral = link.addresses[LinkSide.peripheral.rawValue].map { "\($0)" }
            host = link.isRoleKnown ? link.local?.word : nil
            whole = link.isWhole
            firstFrame = link.first.frame
            lastFrame = link.last.frame
            interval = link.parameters.connection.map { Double($0.interval) * 0.00125 }
            latency = link.parameters.connection.map { Int($0.latency) }
            timeout = link.parameters.connection.map { Double($0.timeout) / 100 }
            mtu = Int(link.mtu)
            encrypted = link.encryption.wasOn
            hiddenPackets = link.encryption.hiddenPackets
            packets = link.streams.map(\.packets)
            octets = link.streams.map(\.octets)
            retransmissions = link.streams.map(\.retransmissions)
            reason = link.ending?.reason.map { Int($0.rawValue) }
            endedBy =
                switch link.ending?.cause {
                case .side(let side)?: side.word
                case .lost?: "lost"
                case .reset?: "reset"
                case .silence?: "silence"
                case nil: nil
                }
        }
    }

    private struct EventRecord: Encodable {
        let type = "capture-event"
        var link: Int
        var frame: Int
        var seconds: Double
        var event: String
        var text: String

        init(_ event: LinkEvent, _ link: LinkStory, _ story: CaptureStory) {
            self.link = link.number
            frame = event.moment.frame
            seconds = story.seconds(event.moment)
            self.event = event.kind.identifier
            text = story.text(of: event, on: link, in: .english)
        }
    }

    private struct DeclarationRecord: Encodable {
        let type = "capture-declaration"
        var link: Int
        var server: String
        var kind: String
        var uuid: String
        var handle: Int
        var end: Int?
        var properties: Int?

        init(_ declared: ServerStory.Declared, _ side: LinkSide, _ link: LinkStory) {
            self.link = link.number
            server = side.word
            kind = declared.kind == .service ? "service" : "characteristic"
            uuid = "\(declared.uuid.attributeForm)"
            handle = Int(declared.handle)
            end = declared.kind == .service ? Int(declared.end) : nil
            properties = declared.properties.map { Int($0) }
        }
    }

    private struct UseRecord: Encodable {
        let type = "capture-attribute"
        var link: Int
        var server: String
        var handle: Int
        var uuid: String?
        var reads: Int
        var writes: Int
        var commands: Int
        var notifications: Int
        var indications: Int
        var octets: Int
        var rate: Double?
        var configuration: Int?

        init(_ handle: UInt16, _ use: ServerStory.Use, _ side: LinkSide, _ link: LinkStory) {
            self.link = link.number
            server = side.word
            self.handle = Int(handle)
            uuid = use.attribute.map { "\($0.uuid.attributeForm)" }
            reads = use.reads
            writes = use.writes
            commands = use.commands
            notifications = use.notifications
            indications = use.indications
            octets = use.octets
            rate = use.rate
            configuration = use.configuration.map { Int($0) }
        }
    }

    private struct RefusalRecord: Encodable {
        let type = "capture-error"
        var link: Int
        var server: String
        var request: String
        var handle: Int
        var code: Int
        var text: String
        var count: Int
        var frame: Int

        init(_ refusal: ServerStory.Refusal, _ side: LinkSide, _ link: LinkStory) {
            self.link = link.number
            server = side.word
            request = refusal.request.specificationName
            handle = Int(refusal.handle)
            code = Int(refusal.code.rawValue)
            text = "\(refusal.code)"
            count = refusal.count
            frame = refusal.first.frame
        }
    }

    private struct FindingRecord: Encodable {
        let type = "capture-finding"
        var link: Int?
        var finding: String
        var problem: Bool
        var frames: [Int]
        var count: Int
        var text: String
        var specification: String

        init(_ finding: CaptureFinding, link: Int?, text: String) {
            self.link = link
            self.finding = finding.kind.identifier
            problem = finding.isProblem
            frames = finding.frames
            count = finding.count
            self.text = text
            specification = finding.kind.specification
        }
    }
}

extension CaptureStory {
    /// The date and time of the first packet, UTC; nil if the file does not say it.
    var start: String? {
        guard let time = origin, time > 0 else { return nil }
        return Date(timeIntervalSince1970: Double(time) / 1e9).formatted(.iso8601)
    }
}

extension LinkSide {
    /// The role as a word of the records.
    fileprivate var word: String { self == .central ? "central" : "peripheral" }
}
