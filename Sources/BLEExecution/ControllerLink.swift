import BLEWire

/// Carries packets from a host to its controller, over a transport or a virtual radio. Called on the host's executor alone.
package protocol ControllerLink: AnyObject {
    /// Takes whole H4 packets, one after another.
    func send(_ packets: Span<UInt8>)

    /// Ends the link; nothing is received after this.
    func close()
}
