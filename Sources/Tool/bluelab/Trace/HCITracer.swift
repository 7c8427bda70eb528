import BLEPacketDecoding
import BLEVirtualRadio
import BLEWire

/// Formats packets between a host and its controller: one line for each.
enum HCITracer {
    static func describe(_ packet: Span<UInt8>, direction: HCIDirection, time instant: Instant, device: String)
        -> String
    {
        let arrow = direction == .toController ? ">" : "<"
        return "\(time(instant))  HCI     \(filled(device, 9))  \(arrow)  \(HCIText.line(packet))"
    }
}
