import BLETransport

/// The times of a capture's packets since the first one that has a time.
package struct CaptureTimes: Hashable, Sendable {
    /// Sums and differences of times within this limit do not overflow, whatever a file says.
    private static let limit = Int64.max / 2

    /// The first time of the file, in nanoseconds since the beginning of 1970; nil if no packet has a time so far.
    package private(set) var origin: Int64?
    private var last: Int64 = 0

    package init() {}

    /// The place of the next packet of the file.
    package mutating func moment(of packet: CapturedPacket) -> Moment {
        if let time = packet.time {
            let begin = origin ?? time
            origin = begin
            let (difference, overflow) = time.subtractingReportingOverflow(begin)
            last = overflow ? (time < begin ? -Self.limit : Self.limit) : min(max(-Self.limit, difference), Self.limit)
        }
        return Moment(frame: packet.number, time: last)
    }
}
