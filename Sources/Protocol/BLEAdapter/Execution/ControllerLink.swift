import BLEWire

/// Carries packets from a host to its controller, over a transport or a virtual radio. Used only on the host's
/// executor.
package protocol ControllerLink: AnyObject {
    /// Takes whole H4 packets, one after another.
    func send(_ packets: Span<UInt8>)

    /// Ends the link. The host receives nothing after this call.
    func close()
}
