public import BLESimulator

/// The content of a packet on the air, as far as the packets before it show: the result of ``PacketDecoder/decode(_:)``.
public struct DecodedPacket: Hashable, Sendable {
    /// The protocol layer of a packet's content.
    public enum Layer: Hashable, Sendable, CaseIterable {
        /// A PDU of the advertising channels (Vol 6, Part B, 2.3).
        case advertising
        /// A control PDU of the link layer, or an empty PDU (Vol 6, Part B, 2.4).
        case linkLayer
        /// Signalling of L2CAP, or data of a credit-based channel (Vol 3, Part A).
        case l2cap
        /// The Attribute Protocol (Vol 3, Part F).
        case att
        /// The Security Manager Protocol (Vol 3, Part H).
        case smp
        /// Data whose content is not visible: encrypted without a known plaintext, or a part of an L2CAP frame.
        case data
    }

    /// Octets with their fields.
    public struct Section: Hashable, Sendable {
        /// What the octets are.
        public enum Kind: Hashable, Sendable {
            /// The PDU of the packet, header first. An encrypted payload with a known plaintext is decrypted, with its MIC at the end.
            case packet
            /// The L2CAP frame that the packet completes, header first.
            case frame
        }

        /// What the octets are.
        public var kind: Kind
        /// The octets.
        public var octets: [UInt8]
        /// The fields in the order of their octets. Together they have all bits of `octets`.
        public var fields: [Field]
    }

    /// A field of a packet.
    public struct Field: Hashable, Sendable {
        /// The name, such as `Attribute Handle`.
        public var name: String
        /// The value in English words, with its unit; empty for a group whose `children` say it. It may contain text that a device sent.
        public var value: String
        /// The place of the field in the octets of its section.
        public var octets: Range<Int>
        /// The bits of the field, counted from the lowest bit of the first octet of the range; nil if the field has all bits of its octets.
        public var bits: Range<Int>?
        /// The fields in this one.
        public var children: [Field]
    }

    let summary: PacketSummary

    init(_ summary: PacketSummary) { self.summary = summary }

    /// The layer of the content.
    public var layer: Layer {
        switch summary.layer {
        case .adv: .advertising
        case .ll: .linkLayer
        case .l2cap: .l2cap
        case .att: .att
        case .smp: .smp
        // A decoder of the air has no packets of HCI.
        case .data, .hci: .data
        }
    }

    /// The specification's name of the PDU, such as `ADV_IND`, `LL_PHY_REQ` or `ATT_READ_REQ`. Computed on each call.
    public var name: String { summary.name }

    /// The parameters of the PDU in English words, with the names of attributes that a discovery on the link showed; empty if there are none. It may
    /// contain text that a device sent. Computed on each call.
    public var text: String { summary.text }

    /// The access address of the link, which also `VirtualLink.accessAddress` has; nil on the advertising channels.
    public var link: UInt32? { summary.link }

    /// The role of the sender; nil on the advertising channels, and for a link whose start the decoder has not seen.
    public var sender: VirtualLink.Role? {
        guard summary.isCentralKnown else { return nil }
        return summary.sender.map { $0 == .central ? .central : .peripheral }
    }

    /// Whether the payload is encrypted on the air.
    public var isEncrypted: Bool { summary.isEncrypted }

    /// Whether the packet repeats the packet before it from the same sender, which the receiver has not acknowledged (Vol 6, Part B, 4.5.9).
    public var isRetransmission: Bool { summary.isRetransmission }

    /// The number of the conversation that the packet belongs to, from 0; nil if it stands alone. A conversation is the advertising of a device, one discovery,
    /// one pairing, one long write, or the notifications of one subscription.
    public var conversation: Int? { summary.conversation }
}

extension DecodedPacket.Section {
    init(_ section: DissectedPacket.Section) {
        kind =
            switch section.kind {
            case .packet: .packet
            case .frame: .frame
            }
        octets = section.octets
        fields = section.fields.map { DecodedPacket.Field($0) }
    }
}

extension DecodedPacket.Field {
    init(_ field: DissectedField) {
        name = field.name
        value = field.value
        octets = field.range
        bits = field.bits
        children = field.children.map { DecodedPacket.Field($0) }
    }
}
