import BLEWire

/// What a virtual controller is and has.
package struct ControllerConfiguration: Hashable, Sendable {
    /// The public address; nil for none (reads as zero, the host has to set a random one).
    package var publicAddress: DeviceAddress?
    /// The transmit power in dBm, -127 to 20.
    package var transmitPower: Int8 = 0
    /// The longest ACL packet that the host may send, in octets of data, 27 to 1023.
    package var aclDataLength: UInt16 = 251
    /// How many ACL packets the host may have outstanding, over all links.
    package var aclBufferCount: UInt8 = 16
    /// How many links there may be at once, 1 to 64.
    package var connectionLimit: Int = 32
    /// How many devices the filter accept list holds.
    package var acceptListSize: UInt8 = 32
    /// The longest payload of a data PDU, in octets, 27 to 251; more than 27 needs data length extension.
    package var maximumDataLength: UInt16 = 251
    /// Whether the 2M PHY is there.
    package var supports2M = true
    /// Whether the Coded PHY is there, with both codings.
    package var supportsCoded = true
    /// Whether each data PDU that is not empty ends in the four octets of a MIC, as on an encrypted link. They are zero and
    /// not checked: what they cost is time on the air. Both ends of a link have to agree.
    package var carriesMIC = false

    package init(publicAddress: DeviceAddress? = nil) {
        self.publicAddress = publicAddress
    }
}
