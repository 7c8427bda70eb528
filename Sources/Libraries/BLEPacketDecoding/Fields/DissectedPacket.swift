/// A packet as a tree of fields.
package struct DissectedPacket: Hashable, Sendable {
    /// Octets with their fields: the packet itself, or an L2CAP frame that several packets carried.
    package struct Section: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable {
            /// The PDU of this packet.
            case packet
            /// The L2CAP frame that this packet completes.
            case frame
        }

        package var kind: Kind
        package var octets: [UInt8]
        package var fields: [DissectedField]
    }

    package var sections: [Section]
}

/// A field of a packet.
package struct DissectedField: Hashable, Sendable {
    package var name: String
    /// The value in words; empty for a group whose children say it.
    package var value: String
    /// The octets of the field in its section.
    package var range: Range<Int>
    /// The bits of the field, counted from the lowest bit of the first octet of `range`; nil if the field has all bits of its octets.
    package var bits: Range<Int>?
    package var children: [DissectedField]

    package init(
        _ name: String, _ value: String = "", _ range: Range<Int>, bits: Range<Int>? = nil,
        children: [DissectedField] = []
    ) {
        self.name = name
        self.value = value
        self.range = range
        self.bits = bits
        self.children = children
    }
}
