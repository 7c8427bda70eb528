/// Counts of times in microseconds. A bucket is at most a sixteenth wider than its lower end, so a quantile is at most 6 % too high.
package struct LatencyHistogram: Equatable, Sendable {
    /// Times above 2^40 us, 12 days, count as that.
    private static let largest = 1 << 40
    private var counts: [UInt32] = []
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ microseconds: Int) {
        if counts.isEmpty { counts = [UInt32](repeating: 0, count: Self.bucket(Self.largest) + 1) }
        counts[Self.bucket(min(max(0, microseconds), Self.largest))] &+= 1
        count += 1
    }

    /// The upper end of the bucket in which a share of the times has ended; nil without a time.
    ///
    /// - Parameter share: From 0 to 1: 0.99 for the 99th percentile.
    package func quantile(_ share: Double) -> Int? {
        guard count > 0 else { return nil }
        let wanted = max(1, Int((Double(count) * share).rounded(.up)))
        var passed = 0
        for (bucket, number) in counts.enumerated() {
            passed += Int(number)
            if passed >= wanted { return Self.upperEnd(bucket) }
        }
        return Self.largest
    }

    package static func += (left: inout LatencyHistogram, right: LatencyHistogram) {
        guard right.count > 0 else { return }
        if left.counts.isEmpty { left.counts = [UInt32](repeating: 0, count: right.counts.count) }
        for bucket in right.counts.indices { left.counts[bucket] &+= right.counts[bucket] }
        left.count += right.count
    }

    /// The times of `left` that came after `right`, an earlier state of it.
    package static func - (left: LatencyHistogram, right: LatencyHistogram) -> LatencyHistogram {
        var result = left
        guard right.count > 0 else { return result }
        for bucket in result.counts.indices { result.counts[bucket] &-= right.counts[bucket] }
        result.count -= right.count
        return result
    }

    /// Values below 16 have a bucket each, and each power of two above has 16.
    private static func bucket(_ value: Int) -> Int {
        guard value >= 16 else { return value }
        let exponent = Int.bitWidth - 1 - value.leadingZeroBitCount
        return (exponent - 3) * 16 + (value >> (exponent - 4)) & 15
    }

    private static func upperEnd(_ bucket: Int) -> Int {
        guard bucket >= 16 else { return bucket }
        let exponent = bucket / 16 + 3
        return (16 + bucket % 16 + 1) << (exponent - 4) - 1
    }
}
