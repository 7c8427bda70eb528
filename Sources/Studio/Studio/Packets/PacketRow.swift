import BLEPacketDecoding
import Phrases
import StudioRoom

/// A row of the packet list: a packet, or a conversation with the members of its first packet. Times are nanoseconds of virtual time.
struct PacketRow: Hashable, Encodable, Sendable {
    /// The number of the packet, or of the first packet.
    var n: Int
    var start: Int64
    /// The air time of the packet; of a conversation the time from the start of the first to the end of the last packet.
    var duration: Int64
    /// Nil for a packet between a host and its controller, and for one of a capture that does not say its channel.
    var channel: Int?
    /// Nil for a packet that was not on the air.
    var phy: String?
    var sender: String?
    var receivers: [Receiver]
    var layer: String
    var isEncrypted: Bool
    var isRetransmission: Bool
    /// The specification's name of the PDU; words for what is none.
    var name: Phrase
    var text: Phrase
    /// The octets of the PDU, without the CRC.
    var size: Int
    var link: String?
    var conversation: Int?
    /// An identifier of `Procedure`.
    var procedure: String?
    /// The packets of a conversation; nil for a single packet.
    var count: Int?

    /// A receiver as an array: device, signal in dBm or null, outcome.
    struct Receiver: Hashable, Encodable, Sendable {
        var device: String
        var rssi: Int?
        var outcome: String

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(device)
            try container.encode(rssi)
            try container.encode(outcome)
        }
    }

    /// The most characters of a text.
    private static let textLimit = 240

    init(_ packet: RoomPacket) {
        let (frame, summary) = (packet.frame, packet.summary)
        n = frame.number
        start = frame.start
        duration = frame.airTime
        channel = frame.channel < 40 ? Int(frame.channel) : nil
        phy = frame.airTime > 0 ? frame.phy.name : nil
        sender = frame.sender > 0 ? RoomDevice.identifier(frame.sender) : nil
        receivers = frame.receptions.map { reception in
            Receiver(
                device: RoomDevice.identifier(Int(reception.receiver)),
                // 127 means not available, as on HCI.
                rssi: reception.rssi == 127 ? nil : Int(reception.rssi), outcome: reception.outcome.name)
        }
        layer = summary.layer.rawValue
        isEncrypted = summary.isEncrypted
        isRetransmission = summary.isRetransmission
        name = Self.phrase { summary.name(in: $0) }
        text = Self.phrase { summary.text(in: $0) }
        size = frame.octets.count
        link = summary.link.map(RoomLink.identifier)
        conversation = summary.conversation
        procedure = summary.procedure?.identifier
    }

    /// A conversation with more than one packet.
    ///
    /// - Parameter numbers: The packets of the conversation that the ring has.
    init?(_ numbers: [Int], in ring: PacketRing) {
        guard let number = numbers.first, let first = ring[number] else { return nil }
        self.init(first)
        guard numbers.count > 1, let last = numbers.last.flatMap({ ring[$0] }) else { return }
        count = numbers.count
        duration = last.frame.start + last.frame.airTime - first.frame.start
        let procedure = first.summary.procedure
        if Self.text(of: procedure, numbers, ring, .english) != nil {
            text = Self.phrase { Self.text(of: procedure, numbers, ring, $0) ?? "" }
        }
    }

    private static func phrase(_ text: (TextLanguage) -> String) -> Phrase {
        Phrase(data: String(text(.english).prefix(textLimit)), chinese: String(text(.chinese).prefix(textLimit)))
    }

    /// The packets at the start of a conversation that its text may name.
    private static let namedPackets = 40

    /// What a conversation found or transferred; nil if its first packet says it.
    private static func text(of procedure: Procedure?, _ numbers: [Int], _ ring: PacketRing, _ language: TextLanguage)
        -> String?
    {
        switch procedure {
        case .serviceDiscovery, .characteristicDiscovery, .includedServiceDiscovery, .descriptorDiscovery, .read:
            // The answers name what the requests ask for.
            var texts: [String] = []
            for number in numbers.prefix(namedPackets) {
                guard let summary = ring[number]?.summary, !summary.isRetransmission, summary.name.hasSuffix("_RSP"),
                    summary.name != "ATT_ERROR_RSP"
                else { continue }
                texts.append(summary.text(in: language))
            }
            return texts.isEmpty ? nil : texts.joined(separator: language == .english ? ", " : "，")
        case .subscription, .commandWrite:
            // The latest value.
            for number in numbers.suffix(namedPackets).reversed() {
                guard let summary = ring[number]?.summary,
                    ["ATT_HANDLE_VALUE_NTF", "ATT_HANDLE_VALUE_IND", "ATT_WRITE_CMD"].contains(summary.name)
                else { continue }
                return summary.text(in: language)
            }
            return nil
        case .idle: return ""
        default: return nil
        }
    }
}

extension AirFrame.Outcome {
    /// The word in JSON.
    var name: String {
        switch self {
        case .received: "received"
        case .corrupted: "corrupted"
        case .missed: "missed"
        }
    }
}
