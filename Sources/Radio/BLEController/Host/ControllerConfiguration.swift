import BLEWire

/// The properties of a virtual controller.
package struct ControllerConfiguration: Hashable, Sendable {
    /// The public address. Without one the controller reports zero, and the host must set a random address.
    package var publicAddress: DeviceAddress?
    /// The transmit power in dBm, -127 to 20.
    package var transmitPower: Int8 = 0
    /// The least power of a link that power control may reach, in dBm, -127 to 20. The greatest one is `transmitPower`.
    package var minimumTransmitPower: Int8 = -20
    /// The received power that the controller keeps on its links by requests to their peers (Vol 6, Part B, 5.1.17), in dBm; nil if it
    /// requests nothing by itself.
    package var preferredRSSI: ClosedRange<Int8>?
    /// The reports about channels that the controller requests of its peripherals (Vol 6, Part B, 5.1.21); nil for none.
    package var channelReporting: LL.ChannelReportingInd?
    /// The longest ACL packet that the host may send, in octets of data, 27 to 1023 (Vol 4, Part E, 7.8.2).
    package var aclDataLength: UInt16 = 251
    /// The number of ACL packets that the host may have outstanding on all links.
    package var aclBufferCount: UInt8 = 16
    /// The largest number of links, 1 to 64.
    package var connectionLimit: Int = 32
    /// The number of entries of the filter accept list (Vol 6, Part B, 4.3.1).
    package var acceptListSize: UInt8 = 32
    /// The number of entries of the resolving list. With 0 the controller has no resolving list, and generates and resolves no
    /// private addresses.
    package var resolvingListSize: UInt8 = 32
    /// The longest payload of a data PDU, 27 to 251 octets (Vol 6, Part B, 4.5.10). More than 27 octets need the data
    /// length extension.
    package var maximumDataLength: UInt16 = 251
    /// Whether the controller supports the 2M PHY.
    package var supports2M = true
    /// Whether the controller supports the Coded PHY with both codings.
    package var supportsCoded = true
    /// Whether the controller supports extended advertising, as advertiser, scanner and initiator.
    package var supportsExtendedAdvertising = true
    /// The number of entries of the Periodic Advertiser List. With 0, or without extended advertising, the controller neither sends nor receives
    /// periodic advertising.
    package var periodicAdvertiserListSize: UInt8 = 16
    /// The largest number of trains that the controller receives, 1 to 16.
    package var periodicSyncLimit: Int = 16
    /// The sleep clock. A vendor command changes it (`HCI.VendorWriteSleepClock`).
    package var clock = ClockSetting.exact

    package init(publicAddress: DeviceAddress? = nil) {
        self.publicAddress = publicAddress
    }
}
