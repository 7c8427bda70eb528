import BLEWire

/// A device that advertised.
package struct AdvertiserStory: Hashable, Sendable {
    /// The octets of a name that are kept.
    private static let nameLimit = 64
    /// The shortest advertising interval in nanoseconds (Vol 6, Part B, 4.4.2.2).
    private static let shortestInterval: Int64 = 20_000_000

    package let address: DeviceAddress
    package let first: Moment
    package private(set) var last: Moment
    /// The advertising packets and scan responses, or their reports.
    package private(set) var packets = 0
    package private(set) var name: String?
    /// The weakest and the strongest signal in dBm; nil if no packet says it.
    package private(set) var signal: ClosedRange<Int8>?
    package private(set) var isConnectable = false
    /// The last packet on channel 37, and the times between such packets.
    private var lastOnChannel: Moment?
    private var gaps = 0
    private var shortGaps = 0
    private var shortestGap = Int64.max

    init(_ address: DeviceAddress, at moment: Moment) {
        self.address = address
        first = moment
        last = moment
    }

    mutating func add(_ data: Span<UInt8>, signal: Int8?, isConnectable: Bool, at moment: Moment) {
        packets += 1
        last = moment
        if isConnectable { self.isConnectable = true }
        if let signal, signal != 127 {
            self.signal = self.signal.map { min($0.lowerBound, signal)...max($0.upperBound, signal) } ?? signal...signal
        }
        if name == nil { name = AD.localName(in: data).map { String($0.prefix(Self.nameLimit)) } }
    }

    /// Takes an undirected legacy advertising packet on channel 37. Every event begins there, so the time to the next one is the interval and a
    /// random delay.
    mutating func addEvent(at moment: Moment) {
        // Without times in the file there is no gap.
        if let gap = lastOnChannel.map({ moment.since($0) }), gap > 0 {
            gaps += 1
            if gap < Self.shortestInterval {
                shortGaps += 1
                shortestGap = min(shortestGap, gap)
            }
        }
        lastOnChannel = moment
    }

    /// The shortest time between two events in microseconds, if most of at least four are below the shortest allowed one.
    var illegalInterval: Int? { shortGaps >= 3 && shortGaps * 2 > gaps ? Int(shortestGap / 1000) : nil }
}
