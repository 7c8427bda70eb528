import BLEWire

/// The current state of one end of a link, for tools.
package struct LinkStatus: Hashable, Sendable {
    /// The connection handle of this end.
    package var handle: UInt16
    package var role: HCI.Role
    /// Common to both ends of the link, and to no other link of the radio.
    package var accessAddress: UInt32
    /// In units of 1.25 ms, connection events, and 10 ms (Vol 6, Part B, 4.5.1 and 4.5.2).
    package var interval: UInt16
    package var latency: UInt16
    package var timeout: UInt16
    /// The PHYs of the PDUs that this end sends and receives.
    package var sendingPHY: LL.PHY
    package var receivingPHY: LL.PHY
    /// Whether both directions are encrypted (Vol 6, Part B, 5.1.3).
    package var isEncrypted: Bool
    /// The power of the last received PDU in dBm; nil before the first one.
    package var rssi: Int8?
}
