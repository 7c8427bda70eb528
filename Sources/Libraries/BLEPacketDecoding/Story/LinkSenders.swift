import BLETransport
import BLEWire

/// Tells which side of a link on the air sent a packet.
///
/// Without a direction in the file, the peripheral answers the central after 150 µs, and after a longer time a new event begins with the central
/// (Vol 6, Part B, 4.1.1 and 4.5.1).
package struct LinkSenders: Sendable {
    /// The most links. Beyond it, all are forgotten: their next packets count as those of the central.
    private static let limit = 1024

    /// The sender of the last packet of each link, and the times of that packet.
    private var last: [UInt32: (side: LinkSide, start: Int64, end: Int64)] = [:]

    package init() {}

    /// The sender of the next packet.
    ///
    /// - Parameter time: In nanoseconds. Two packets with the same time are of a file without times: the sides take turns.
    package mutating func side(of air: CapturedPacket.Air, at time: Int64) -> LinkSide {
        let airTime = air.phy.airTime(pduLength: air.octets.count).nanoseconds
        let before = last[air.accessAddress]
        let side: LinkSide
        switch air.direction {
        case .centralToPeripheral: side = .central
        case .peripheralToCentral: side = .peripheral
        case .unspecified:
            let follows = before.map { time == $0.start || (time &- $0.end).magnitude < 300_000 } ?? false
            side = follows ? before?.side.other ?? .central : .central
        }
        if last.count >= Self.limit, before == nil { last.removeAll() }
        last[air.accessAddress] = (side, time, time &+ airTime)
        return side
    }

    /// The time in nanoseconds since the end of the last packet of a link; nil if there was none.
    func wait(before air: CapturedPacket.Air, at time: Int64) -> UInt64? {
        last[air.accessAddress].map { (time &- $0.end).magnitude }
    }

    /// Forgets a link whose access address another one uses now.
    package mutating func forget(_ accessAddress: UInt32) { last[accessAddress] = nil }
}
