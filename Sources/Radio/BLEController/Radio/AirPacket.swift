import BLEWire

/// One transmission, as an observer of the medium receives it at its end.
package struct AirPacket: ~Escapable {
    /// The outcome of a packet at a device that listened for it.
    package enum Outcome: Hashable, Sendable {
        case received
        /// Received with bit errors.
        case corrupted
        /// Lost before its access address was complete: the receiver did not notice it.
        case missed
    }

    /// A device in range that listened on the packet's channel for its access address.
    package struct Reception: Hashable, Sendable {
        package var receiver: ControllerIdentifier
        /// The received power in dBm.
        package var rssi: Int8
        package var outcome: Outcome
    }

    /// The start of the preamble.
    package var start: Instant
    /// The air time from preamble to CRC.
    package var airTime: TimeSpan
    /// The channel index, 0 to 39; 37, 38 and 39 are the advertising channels (Vol 6, Part B, 1.4.1).
    package var channel: UInt8
    package var phy: LL.PHY
    package var accessAddress: UInt32
    package var crcInit: UInt32
    /// Header and payload, without the CRC (`LL.crc(of:initial:)` computes it).
    package var pdu: Span<UInt8>
    /// The payload before its encryption; nil if the packet is not encrypted.
    package var plaintext: [UInt8]?
    package var sender: ControllerIdentifier
    package var receptions: [Reception]

    @_lifetime(copy pdu)
    init(
        start: Instant, airTime: TimeSpan, channel: UInt8, phy: LL.PHY, accessAddress: UInt32, crcInit: UInt32,
        pdu: Span<UInt8>, plaintext: [UInt8]?, sender: ControllerIdentifier, receptions: [Reception]
    ) {
        self.start = start
        self.airTime = airTime
        self.channel = channel
        self.phy = phy
        self.accessAddress = accessAddress
        self.crcInit = crcInit
        self.pdu = pdu
        self.plaintext = plaintext
        self.sender = sender
        self.receptions = receptions
    }
}

/// A PDU that a controller received.
struct ReceivedPacket {
    /// The start of the preamble, by the controller's clock.
    var start: Instant
    var channel: UInt8
    var rssi: Int8
    var phy: LL.PHY
    var isCorrupted: Bool
}
