import BLEWire

/// The reports of a peripheral about its channels (Vol 6, Part B, 5.1.21 and 5.1.22). A channel is bad if the host excludes it, or if many of
/// its packets are lost.
struct ChannelReporter: Hashable {
    private enum State: Hashable {
        case off
        /// With the shortest time between two reports.
        case on(spacing: TimeSpan)
    }

    private var state = State.off
    private var quality = ChannelQuality()
    /// What the central knows; nil before the first report.
    private var reported: LL.ChannelClassification?
    private var lastReport = Instant.zero
    /// Whether a report waits for the end of the spacing.
    private(set) var isPending = false

    mutating func set(_ indication: LL.ChannelReportingInd) {
        state = indication.isOn ? .on(spacing: .milliseconds(200 * Int(indication.minimumSpacing))) : .off
        isPending = false
    }

    mutating func note(_ channel: UInt8, isLost: Bool, at now: Instant) {
        if state != .off { quality.note(channel, isLost: isLost, at: now) }
    }

    /// The report that is due. A change is reported at once, thus within each delay that the central may request.
    ///
    /// - Parameters:
    ///   - allowed: The channels that the host permits.
    ///   - delay: The longest time from a report to its transmission. The spacing is that of the transmissions.
    mutating func takeReport(
        allowed: LL.ChannelMap, delay: TimeSpan = .zero, at now: Instant
    ) -> LL.ChannelClassification? {
        guard case .on(let spacing) = state else { return nil }
        let excluded = LL.ChannelMap(rawValue: ~allowed.rawValue)
        let present = LL.ChannelClassification(
            bad: LL.ChannelMap(rawValue: excluded.rawValue | quality.bad.rawValue))
        isPending = present != reported
        guard isPending, reported == nil || now - lastReport >= spacing + delay else { return nil }
        isPending = false
        reported = present
        lastReport = now
        return present
    }
}

/// The losses on each channel in the last events.
struct ChannelQuality: Hashable {
    /// A channel is bad if half of its last eight events had a loss.
    private static let limit = 4
    /// A bad channel leaves the map of the link. Without new measurements it would stay bad, so all are forgotten after this time.
    private static let memory = TimeSpan.seconds(60)

    /// A bit for each of the last events: whether it had a loss.
    private var losses = [UInt8](repeating: 0, count: 37)
    private var began: Instant?
    private(set) var bad = LL.ChannelMap(rawValue: 0)

    mutating func note(_ channel: UInt8, isLost: Bool, at now: Instant) {
        guard losses.indices.contains(Int(channel)) else { return }
        if let began, now - began >= Self.memory { self = ChannelQuality() }
        began = began ?? now
        losses[Int(channel)] = losses[Int(channel)] << 1 | (isLost ? 1 : 0)
        let bit: UInt64 = 1 << UInt64(channel)
        let isBad = losses[Int(channel)].nonzeroBitCount >= Self.limit
        bad = LL.ChannelMap(rawValue: isBad ? bad.rawValue | bit : bad.rawValue & ~bit)
    }
}

extension LinkLayerConnection.DataChannels {
    /// The map of a central: the channels that its host permits and its peripheral does not call bad. If they are too few, those that only the
    /// peripheral calls bad come back.
    func chosenMap(from allowed: LL.ChannelMap) -> LL.ChannelMap {
        let bad = peripheralStatus?.channels(.bad) ?? LL.ChannelMap(rawValue: 0)
        // A link needs two channels (Vol 6, Part B, 4.5.8.1).
        let needed = max(2, minimum)
        return LL.ChannelMap(rawValue: allowed.rawValue & ~bad.rawValue)
            .extended(to: needed, from: allowed)
            .extended(to: needed)
    }
}
