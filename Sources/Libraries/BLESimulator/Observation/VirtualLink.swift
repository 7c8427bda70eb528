import BLEController
import BLEWire

/// One end of a link, as the controller of a ``VirtualDevice`` sees it.
public struct VirtualLink: Hashable, Sendable {
    /// The role of this end.
    public enum Role: Hashable, Sendable {
        /// The device that connected.
        case central
        /// The device that advertised.
        case peripheral
    }

    /// The role of this end.
    public var role: Role
    /// The access address: equal at both ends of the link, and different from those of all other links.
    public var accessAddress: UInt32
    /// The time between two connection events, 7.5 ms to 4 s (Vol 6, Part B, 4.5.1).
    public var interval: Duration
    /// The number of connection events that the peripheral may skip.
    public var latency: Int
    /// The time without a packet after which the link ends, 100 ms to 32 s (Vol 6, Part B, 4.5.2).
    public var supervisionTimeout: Duration
    /// The modulation of the packets that this end sends.
    public var sendingPHY: RadioPacket.PHY
    /// The modulation of the packets that this end receives.
    public var receivingPHY: RadioPacket.PHY
    /// Whether both directions are encrypted (Vol 6, Part B, 5.1.3).
    public var isEncrypted: Bool
    /// The power of the last received packet in dBm; nil before the first one.
    public var rssi: Int?
    /// The ATT MTU in octets (Vol 3, Part F, 3.2.8).
    public var maximumTransmissionUnit: Int

    init(_ status: LinkStatus, maximumTransmissionUnit: Int) {
        role = status.role == .central ? .central : .peripheral
        accessAddress = status.accessAddress
        interval = .microseconds(1250 * Int(status.interval))
        latency = Int(status.latency)
        supervisionTimeout = .milliseconds(10 * Int(status.timeout))
        sendingPHY = RadioPacket.PHY(status.sendingPHY)
        receivingPHY = RadioPacket.PHY(status.receivingPHY)
        isEncrypted = status.isEncrypted
        rssi = status.rssi.map(Int.init)
        self.maximumTransmissionUnit = maximumTransmissionUnit
    }
}

/// What the controller of a device in a ``World`` does at the moment.
public struct RadioActivity: Hashable, Sendable {
    /// The address on the air: the random address if the host has set one, else the public address; nil without both.
    public var address: RadioAddress?
    /// Whether the device advertises.
    public var isAdvertising: Bool
    /// Whether the device scans.
    public var isScanning: Bool
    /// Whether the device waits for an advertisement of the device that it connects to.
    public var isConnecting: Bool
    /// The number of open links.
    public var linkCount: Int

    init(_ status: ControllerStatus) {
        address = status.address.map { RadioAddress($0) }
        isAdvertising = status.isAdvertising
        isScanning = status.isScanning
        isConnecting = status.isConnecting
        linkCount = status.linkCount
    }
}
