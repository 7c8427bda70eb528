/// The protocol layer of a packet's content. The raw values select colours on the page.
package enum PacketLayer: String, Hashable, Sendable, CaseIterable {
    /// Advertising channel PDUs.
    case adv
    /// Link layer control PDUs and empty PDUs.
    case ll
    /// L2CAP signalling and credit-based channels.
    case l2cap
    case att
    case smp
    /// Data whose content is not visible: encrypted, or a part of an L2CAP frame.
    case data
    /// Commands and events between a host and its controller.
    case hci
}
