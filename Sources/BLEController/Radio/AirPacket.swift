import BLEWire

/// One transmission, as who watches the air sees it. Reported when it ends.
package struct AirPacket: ~Escapable {
    /// What became of a packet at a device that listened for it.
    package enum Outcome: Hashable, Sendable {
        case received
        /// ReceivedPacket, but with bit errors.
        case corrupted
        /// Lost before its access address was known: the listener noticed nothing.
        case missed
    }

    /// A device that listened on the packet's channel for its access address, in range.
    package struct Reception: Hashable, Sendable {
        package var receiver: ControllerIdentifier
        /// The received power in dBm.
        package var rssi: Int8
        package var outcome: Outcome
    }

    /// When the preamble began.
    package var start: Instant
    /// The time on air, from preamble to CRC.
    package var airTime: TimeSpan
    /// The channel index, 0 to 39; 37, 38 and 39 are the advertising channels.
    package var channel: UInt8
    package var phy: LL.PHY
    package var accessAddress: UInt32
    package var crcInit: UInt32
    /// Header and payload, without the CRC (`LL.crc(of:initial:)` computes it).
    package var pdu: Span<UInt8>
    package var sender: ControllerIdentifier
    package var receptions: [Reception]

    @_lifetime(copy pdu)
    init(
        start: Instant, airTime: TimeSpan, channel: UInt8, phy: LL.PHY, accessAddress: UInt32, crcInit: UInt32,
        pdu: Span<UInt8>, sender: ControllerIdentifier, receptions: [Reception]
    ) {
        self.start = start
        self.airTime = airTime
        self.channel = channel
        self.phy = phy
        self.accessAddress = accessAddress
        self.crcInit = crcInit
        self.pdu = pdu
        self.sender = sender
        self.receptions = receptions
    }
}
