import BLEController
import BLEWire

/// A packet on the air of a ``World``.
public struct RadioPacket: Hashable, Sendable {
    /// The modulation of a packet (Vol 6, Part B, 2.2).
    public enum PHY: Hashable, Sendable {
        /// LE 1M: 1 Mbit/s.
        case oneM
        /// LE 2M: 2 Mbit/s.
        case twoM
        /// LE Coded: 125 or 500 kbit/s.
        case coded
    }

    /// What a device received of a packet.
    public enum Outcome: Hashable, Sendable {
        /// The device received the packet.
        case received
        /// The device received the packet with bit errors, and dropped it.
        case corrupted
        /// The device did not notice the packet.
        case missed
    }

    /// A device in range that listened on the channel of the packet for its access address.
    public struct Reception: Hashable, Sendable {
        /// The number of the device: see ``VirtualDevice/number``.
        public var receiver: Int
        /// The received power in dBm.
        public var rssi: Int
        /// What the device received.
        public var outcome: Outcome

        /// Creates a reception. See the properties for their units.
        public init(receiver: Int, rssi: Int, outcome: Outcome) {
            self.receiver = receiver
            self.rssi = rssi
            self.outcome = outcome
        }
    }

    /// The start of the transmission, since the world began.
    public var start: Duration
    /// The time from preamble to CRC.
    public var airTime: Duration
    /// The channel index, 0 to 39; 37, 38 and 39 are the advertising channels (Vol 6, Part B, 1.4.1).
    public var channel: Int
    /// The modulation.
    public var phy: PHY
    /// The access address: `0x8E89BED6` on the advertising channels, otherwise that of the link (Vol 6, Part B, 2.1.2).
    public var accessAddress: UInt32
    /// Header and payload as they are on the air, without the CRC. The payload of an encrypted packet is encrypted, with its MIC of 4 octets at the end.
    public var octets: [UInt8]
    /// The payload of an encrypted packet before its encryption, without header and MIC (Vol 6, Part E, 1); nil if the packet is not encrypted.
    /// The world takes it from the sender, so a test reads it without a key. The keys that a pairing distributes are zeros (Vol 3, Part H, 3.6.2,
    /// 3.6.4 and 3.6.6), provided that the host sends each in one packet, as the hosts of a world do. Of a key that a host of another program fragments, the
    /// later packets have their octets.
    public var plaintext: [UInt8]?
    /// The number of the sending device: see ``VirtualDevice/number``. Nil if the device was removed during the transmission.
    public var sender: Int?
    /// The devices that listened. Empty for a packet in flight.
    public var receptions: [Reception]

    /// Creates a packet from another source, such as the recording of a sniffer. See the properties for units and ranges.
    public init(
        start: Duration, airTime: Duration = .zero, channel: Int, phy: PHY = .oneM, accessAddress: UInt32,
        octets: [UInt8], plaintext: [UInt8]? = nil, sender: Int? = nil, receptions: [Reception] = []
    ) {
        self.start = start
        self.airTime = airTime
        self.channel = channel
        self.phy = phy
        self.accessAddress = accessAddress
        self.octets = octets
        self.plaintext = plaintext
        self.sender = sender
        self.receptions = receptions
    }
}

extension RadioPacket {
    /// - Parameter slot: Returns the slot of a controller. A removed controller has none.
    init(_ packet: borrowing AirPacket, _ slot: (ControllerIdentifier) -> Int?) {
        let pdu = packet.pdu
        start = .nanoseconds(packet.start.nanoseconds)
        airTime = .nanoseconds(packet.airTime.nanoseconds)
        channel = Int(packet.channel)
        phy = PHY(packet.phy)
        accessAddress = packet.accessAddress
        octets = [UInt8](pdu)
        let header = octets.first ?? 0
        plaintext = packet.plaintext.map { Self.withoutKeys($0, header: header) }
        sender = slot(packet.sender)
        receptions = packet.receptions.compactMap { reception in
            let outcome: Outcome =
                switch reception.outcome {
                case .received: .received
                case .corrupted: .corrupted
                case .missed: .missed
                }
            return slot(reception.receiver).map {
                Reception(receiver: $0, rssi: Int(reception.rssi), outcome: outcome)
            }
        }
    }
}

extension RadioPacket {
    /// Replaces the key of Encryption Information, Identity Information and Signing Information by zeros, in the packet with the start of the L2CAP
    /// frame. A frame of 21 octets fits the smallest data PDU, but a host may fragment it.
    ///
    /// - Parameter header: The first octet of the PDU. Its LLID tells the start of a frame from a continuation, which has no L2CAP header, and from an LL
    ///   control PDU (Vol 6, Part B, 2.4).
    static func withoutKeys(_ payload: [UInt8], header: UInt8) -> [UInt8] {
        guard header & 0b11 == 0b10 else { return payload }
        guard payload.count > L2CAP.headerCount, payload[2] == 0x06, payload[3] == 0x00 else { return payload }
        guard [0x06, 0x08, 0x0A].contains(payload[L2CAP.headerCount]) else { return payload }
        var payload = payload
        for index in payload.indices.dropFirst(L2CAP.headerCount + 1) { payload[index] = 0 }
        return payload
    }
}

extension RadioPacket.PHY {
    init(_ phy: LL.PHY) {
        switch phy {
        case .oneM: self = .oneM
        case .twoM: self = .twoM
        case .codedS2, .codedS8: self = .coded
        }
    }

    /// LE 1M for a reserved code.
    package init(_ code: HCI.PHY) {
        switch code {
        case .leCoded: self = .coded
        case .le2M: self = .twoM
        default: self = .oneM
        }
    }

    package var code: HCI.PHY {
        switch self {
        case .oneM: .le1M
        case .twoM: .le2M
        case .coded: .leCoded
        }
    }
}
