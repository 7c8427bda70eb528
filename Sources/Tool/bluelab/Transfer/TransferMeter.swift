/// The progress of a transfer: rate and remaining time.
struct TransferMeter {
    /// The time over which the rate is an average.
    private static let span = Duration.seconds(3)

    /// The size of the file in octets.
    let size: Int
    /// The number of stored octets at the start.
    let resumedAt: Int
    private(set) var stored: Int
    /// The number of links after the first.
    var reconnects = 0
    private let start: Duration
    private var samples: [(time: Duration, stored: Int)]

    init(size: Int, stored: Int, at now: Duration) {
        self.size = size
        self.stored = stored
        resumedAt = stored
        start = now
        samples = [(now, stored)]
    }

    /// The receiver has stored this number of octets.
    mutating func add(_ stored: Int, at now: Duration) {
        self.stored = stored
        // After a restart the rate begins anew.
        if let last = samples.last, stored < last.stored { samples = [] }
        samples.append((now, stored))
        while samples.count > 2, now - samples[1].time > Self.span { samples.removeFirst() }
    }

    /// Octets per second; nil before the first octets.
    func rate(at now: Duration) -> Double? {
        guard let first = samples.first, let last = samples.last, last.stored > first.stored else { return nil }
        // Without progress the rate falls.
        let seconds = max(now - first.time, last.time - first.time) / .seconds(1)
        return seconds > 0 ? Double(last.stored - first.stored) / seconds : nil
    }

    /// Seconds to the end; nil without a rate.
    func remaining(at now: Duration) -> Double? {
        rate(at: now).map { Double(size - stored) / $0 }
    }

    /// The time since the start.
    func elapsed(at now: Duration) -> Duration { now - start }

    /// 0 to 1.
    var share: Double { size == 0 ? 1 : Double(stored) / Double(size) }
}
