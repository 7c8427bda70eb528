import BLEPacketDecoding
import BLEWire
import Phrases
import StudioRoom

/// A packet with all of its fields.
struct PacketDetail: Encodable, Sendable {
    struct Section: Encodable, Sendable {
        /// `packet`, or `frame` for an L2CAP frame that several packets carried.
        var kind: String
        /// Hexadecimal digits.
        var octets: String
        var fields: [Field]
    }

    struct Field: Encodable, Sendable {
        var name: Phrase
        var value: Phrase
        /// The octets of the field: the first one and the one after the last.
        var from: Int
        var to: Int
        /// The bits of the field, from the lowest one of the first octet; nil for whole octets.
        var bits: [Int]?
        var children: [Field]

        /// The most characters of a value.
        private static let valueLimit = Phrase.argumentLimit

        /// - Parameter chinese: The same field in Chinese.
        init(_ field: DissectedField, _ chinese: DissectedField) {
            name = Phrase(data: field.name, chinese: chinese.name)
            value = Phrase(
                data: String(field.value.prefix(Self.valueLimit)),
                chinese: String(chinese.value.prefix(Self.valueLimit)))
            from = field.range.lowerBound
            to = field.range.upperBound
            bits = field.bits.map { [$0.lowerBound, $0.upperBound] }
            children = zip(field.children, chinese.children).map(Field.init)
        }
    }

    var packet: PacketRow
    var accessAddress: String
    /// Whether the octets are those before the encryption.
    var isDecrypted: Bool
    var sections: [Section]

    init(_ packet: RoomPacket, _ dissector: AirDissector) {
        self.packet = PacketRow(packet)
        accessAddress = RoomLink.identifier(packet.frame.accessAddress)
        isDecrypted = packet.summary.hasCheck || packet.frame.isDecrypted
        let texts = [TextLanguage.english, .chinese].map { dissector.detail(of: packet.summary, in: $0).sections }
        sections = zip(texts[0], texts[1]).map { section, chinese in
            Section(
                kind: section.kind.rawValue,
                octets: Hexadecimal.digits(section.octets),
                fields: zip(section.fields, chinese.fields).map(Field.init))
        }
    }
}
