import BLEWire

/// The host side of one virtual controller: a host in this process, an external host behind a socket, or an advertiser
/// without a host. The network calls it when it has packets, or when the host's deadline
/// (`VirtualRadioNetwork.setDeadline`) has passed.
package protocol HCIHost: AnyObject {
    /// Whether the network keeps the host after its controller is removed.
    var outlivesController: Bool { get }

    /// Handles the deadline, which has passed.
    func handleTimeout()

    /// Takes one H4 packet from the controller.
    func receive(_ packet: Span<UInt8>)

    /// Ends a batch of packets. The host handles the received packets.
    func flush()
}

extension HCIHost {
    package var outlivesController: Bool { false }
}
