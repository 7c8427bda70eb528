import BLEWire

/// The connection events that a link uses (Vol 6, Part B, 4.5.1): every `factor`-th one from `baseEvent` on, and some after an event with data.
struct Subrating: Hashable {
    private(set) var factor: UInt16 = 1
    private(set) var baseEvent: UInt16 = 0
    private(set) var continuationNumber: UInt16 = 0

    init() {}

    init(_ change: LL.SubrateInd) {
        factor = min(max(1, change.factor), 500)
        baseEvent = change.baseEvent
        continuationNumber = change.continuationNumber
    }

    /// `baseEvent` is near, so a difference of 15 bits and a sign counts across the wrap of the counter.
    func uses(_ event: UInt16) -> Bool {
        factor == 1 || Int16(bitPattern: event &- baseEvent) % Int16(factor) == 0
    }

    /// Takes the counter of the current event. The factor need not divide the counter's range, so the base follows.
    mutating func moved(to event: UInt16) { if uses(event) { baseEvent = event } }
}

/// What a host accepts, or requests (Vol 4, Part E, 7.8.123 and 7.8.124).
struct SubrateLimits: Hashable {
    var factors: ClosedRange<UInt16> = 1...1
    var latency: UInt16 = 0
    var continuationNumber: UInt16 = 0
    /// In units of 10 ms.
    var timeout: UInt16 = 3200

    init() {}

    /// Nil if the values are out of range or contradict each other.
    init?(_ minimum: UInt16, _ maximum: UInt16, latency: UInt16, continuationNumber: UInt16, timeout: UInt16) {
        guard minimum >= 1, minimum <= maximum, maximum <= 500, latency <= 499,
            UInt32(maximum) * (UInt32(latency) + 1) <= 500, continuationNumber < maximum, (10...3200).contains(timeout)
        else { return nil }
        factors = minimum...maximum
        self.latency = latency
        self.continuationNumber = continuationNumber
        self.timeout = timeout
    }

    /// The peripheral's request within what the central's host accepts; nil if there is nothing in common (Vol 6, Part B, 5.1.20).
    func accepting(_ request: SubrateLimits) -> SubrateLimits? {
        guard factors.overlaps(request.factors) else { return nil }
        var common = self
        common.factors = factors.clamped(to: request.factors)
        common.latency = min(latency, request.latency)
        common.continuationNumber = min(
            max(continuationNumber, request.continuationNumber), common.factors.upperBound - 1)
        common.timeout = min(timeout, request.timeout)
        return common
    }

    /// The central's choice for a link: the greatest factor and latency that the supervision timeout permits; nil if there is none.
    func choose(interval: UInt16, baseEvent: UInt16) -> LL.SubrateInd? {
        for factor in factors.reversed() {
            var change = LL.SubrateInd(
                factor: factor, baseEvent: baseEvent, latency: latency,
                continuationNumber: min(continuationNumber, factor - 1), timeout: timeout)
            while !change.isValid(interval: interval), change.latency > 0 { change.latency -= 1 }
            if change.isValid(interval: interval) { return change }
        }
        return nil
    }
}

extension LL.SubrateInd {
    /// Whether a link with this interval can use the values (Vol 6, Part B, 2.4.2.40 and 4.5.2).
    func isValid(interval: UInt16) -> Bool {
        (1...500).contains(factor) && latency <= 499 && continuationNumber < factor
            && UInt32(factor) * (UInt32(latency) + 1) <= 500 && (10...3200).contains(timeout)
            && UInt32(timeout) * 4 > UInt32(factor) * (UInt32(latency) + 1) * UInt32(interval)
    }
}
