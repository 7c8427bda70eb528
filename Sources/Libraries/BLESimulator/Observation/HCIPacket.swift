/// A packet between the host of a ``VirtualDevice`` and its simulated controller.
public struct HCIPacket: Hashable, Sendable {
    /// The way of a packet.
    public enum Direction: Hashable, Sendable {
        /// From the host to the controller: commands and data.
        case toController
        /// From the controller to the host: events and data.
        case toHost
    }

    /// The way of the packet.
    public var direction: Direction
    /// The time since the world began.
    public var time: Duration
    /// The packet with its H4 type octet: 1 for a command, 2 for data, 4 for an event (Vol 4, Part A, 2).
    public var octets: [UInt8]
}
