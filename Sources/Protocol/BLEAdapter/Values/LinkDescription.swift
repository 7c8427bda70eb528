import BLEWire

/// The properties of a link, for tools that show them. Apple's API has none of them.
package struct LinkDescription: Hashable, Sendable {
    /// The peer's identity address if it is known, otherwise its address on the air.
    package var address: DeviceAddress
    /// The connection interval in units of 1.25 ms (Vol 6, Part B, 4.5.1).
    package var interval: UInt16
    /// The number of connection events that the peripheral may skip.
    package var latency: UInt16
    /// The supervision timeout in units of 10 ms.
    package var supervisionTimeout: UInt16
    /// 1: 1M, 2: 2M, 3: Coded (Vol 4, Part E, 7.7.65.12).
    package var transmitPHY: UInt8
    package var receivePHY: UInt8
    package var security: LinkSecurity

    package init(
        address: DeviceAddress, interval: UInt16, latency: UInt16, supervisionTimeout: UInt16, transmitPHY: UInt8,
        receivePHY: UInt8, security: LinkSecurity
    ) {
        self.address = address
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
        self.transmitPHY = transmitPHY
        self.receivePHY = receivePHY
        self.security = security
    }
}
