import BLEController

/// An external host on the network, a named host in this process, or an advertiser without a host.
package struct NetworkDevice: Hashable, Sendable {
    /// Its slot. Another device may use the slot later.
    package let slot: Int
    /// Its number for users. The number is never reused.
    package let number: Int
    package let controller: ControllerIdentifier
    /// Unique among the devices that are on the network.
    package let name: String
    package let status: ControllerStatus
    /// The name of the platform of its controller, or of its host and its controller; nil for none.
    package let platform: String?
    /// False for an advertiser without a host.
    package let isHost: Bool
}
