import BLEPacketDecoding
import BLEWire
import Phrases
import StudioRoom

/// The packets of a step, for the page.
struct LessonAir: Encodable, Sendable {
    struct Field: Encodable, Sendable {
        var name: Phrase
        /// The English names of the groups around the field, and its own.
        var path: String
        var value: Phrase
        /// The first octet, and the one after the last.
        var from: Int
        var to: Int
    }

    struct Packet: Encodable, Sendable {
        var n: Int
        /// Virtual nanoseconds.
        var start: Int64
        var layer: String
        var name: String
        var text: Phrase
        /// Two hexadecimal digits for each octet.
        var octets: String
        /// Identifiers of devices; the receiver is null if no device received the packet.
        var sender: String
        var receiver: String?
        var fields: [Field]
    }

    /// The most packets of a step.
    static let limit = 24

    var packets: [Packet] = []
    /// The number of packets that only keep the link alive, or that no device received.
    var other = 0

    /// - Parameter keepsFirst: Whether the first packets are shown if there are too many, instead of the last ones.
    init(_ ring: PacketRing, in window: LessonTour.Window, keepsFirst: Bool) {
        var wanted: [RoomPacket] = []
        // Packets are in the order of their ends.
        ring.forEach(in: Self.first(in: ring, endingAfter: window.begin)..<ring.range.upperBound) { packet in
            guard packet.frame.start + packet.frame.airTime <= window.end else { return false }
            if packet.summary.content == .empty || !packet.summary.isHeard { other += 1 } else { wanted.append(packet) }
            return true
        }
        let shown = keepsFirst ? wanted.prefix(Self.limit) : wanted.suffix(Self.limit)
        other += wanted.count - shown.count
        packets = shown.map(Self.packet)
    }

    /// The number of the first packet that ends after a time.
    private static func first(in ring: PacketRing, endingAfter time: Int64) -> Int {
        var (low, high) = (ring.range.lowerBound, ring.range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            guard let packet = ring[middle] else { return high }
            if packet.frame.start + packet.frame.airTime > time { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private static func packet(_ packet: RoomPacket) -> Packet {
        let (frame, summary) = (packet.frame, packet.summary)
        let receiver = frame.receptions.first { $0.outcome == .received }?.receiver
        let dissector = AirDissector()
        let section = dissector.detail(of: summary).sections.first
        let chinese = dissector.detail(of: summary, in: .chinese).sections.first
        return Packet(
            n: frame.number, start: frame.start, layer: summary.layer.rawValue, name: summary.name,
            text: Phrase(data: summary.text, chinese: summary.text(in: .chinese)),
            octets: Hexadecimal.digits(section?.octets ?? frame.octets), sender: "d\(frame.sender)",
            receiver: receiver.map { "d\($0)" },
            fields: zip(section?.fields ?? [], chinese?.fields ?? []).flatMap { leaves($0, $1, in: "") })
    }

    /// The fields without children, and those whose children are single bits.
    private static func leaves(_ field: DissectedField, _ chinese: DissectedField, in path: String) -> [Field] {
        let path = path.isEmpty ? field.name : "\(path) / \(field.name)"
        guard field.children.allSatisfy({ $0.bits != nil }) else {
            return zip(field.children, chinese.children).flatMap { leaves($0, $1, in: path) }
        }
        return [
            Field(
                name: Phrase(data: field.name, chinese: chinese.name), path: path,
                value: Phrase(data: field.value, chinese: chinese.value), from: field.range.lowerBound,
                to: field.range.upperBound)
        ]
    }
}
