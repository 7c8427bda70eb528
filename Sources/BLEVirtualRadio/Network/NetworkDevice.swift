import BLEController

/// An external host on the network, or an advertiser without a host.
package struct NetworkDevice: Hashable, Sendable {
    /// Its slot, which another device may get after it.
    package let slot: Int
    /// Its number for users: no other device has or had it.
    package let number: Int
    package let controller: ControllerIdentifier
    /// Unique among the devices that are on the network.
    package let name: String
    package let status: ControllerStatus
    /// False for an advertiser without a host.
    package let isHost: Bool
}
