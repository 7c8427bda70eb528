import BLEPacketDecoding
import StudioRoom

/// Selects packets. A member that is nil or empty selects all.
struct PacketFilter: Hashable, Codable, Sendable {
    /// The identifier of a device that sent or heard the packet.
    var device: String?
    var layer: String?
    /// An identifier of `Procedure`.
    var procedure: String?
    /// The identifier of a link.
    var link: String?
    /// A part of the packet's name or text, in upper or lower case.
    var text: String?

    /// The form in which equal filters are equal.
    var normal: PacketFilter {
        func normal(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : String($0.prefix(100)) } }
        return PacketFilter(
            device: normal(device), layer: normal(layer), procedure: normal(procedure), link: normal(link),
            text: normal(text)?.lowercased())
    }
}

/// A filter in the form that compares fast.
struct PacketMatcher: Sendable {
    private let device: Int32?
    private let layer: PacketLayer?
    private let procedure: Procedure?
    private let link: UInt32?
    private let text: String?
    /// Whether no packet matches, because the filter names nothing that exists.
    private let isEmpty: Bool

    init(_ filter: PacketFilter) {
        device = filter.device.map { Int32(truncatingIfNeeded: RoomDevice.number($0) ?? -2) }
        layer = filter.layer.flatMap(PacketLayer.init)
        procedure = filter.procedure.flatMap { Procedure(identifier: $0) }
        link = filter.link.flatMap { UInt32($0, radix: 16) }
        text = filter.text
        isEmpty =
            filter.layer != nil && layer == nil || filter.procedure != nil && procedure == nil
            || filter.link != nil && link == nil
    }

    func matches(_ packet: RoomPacket) -> Bool {
        guard !isEmpty else { return false }
        let (frame, summary) = (packet.frame, packet.summary)
        if let layer, summary.layer != layer { return false }
        if let procedure, summary.procedure != procedure { return false }
        if let link, summary.link != link { return false }
        if let device, frame.sender != Int(device), !frame.receptions.contains(where: { $0.receiver == device }) {
            return false
        }
        guard let text else { return true }
        // In both languages, because pages share the result.
        return "\(summary.name) \(summary.text)".lowercased().contains(text)
            || "\(summary.name(in: .chinese)) \(summary.text(in: .chinese))".lowercased().contains(text)
    }
}
