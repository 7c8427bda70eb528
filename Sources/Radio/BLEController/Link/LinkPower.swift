import BLEWire

/// The transmit powers of both ends of a link, for each PHY (Vol 6, Part B, 5.1.17 and 5.1.18).
///
/// A controller manages the power on all of its PHYs. Each begins at the maximum.
struct LinkPower {
    /// A power on one PHY, and whether it is the least or the greatest of its sender.
    struct Level: Hashable {
        /// In dBm, `unmanaged` or `unavailable`.
        var power: Int8
        var limits: LL.PowerLimits = []

        /// Whether the power is a number of dBm.
        var isKnown: Bool { (-127...20).contains(power) }
    }

    /// The changes that the host wants to know (Vol 4, Part E, 7.8.121).
    struct Reports: OptionSet, Hashable {
        let rawValue: UInt8

        static let local = Reports(rawValue: 1)
        static let remote = Reports(rawValue: 2)
    }

    /// The sender does not manage the power on the PHY.
    static let unmanaged: Int8 = 126
    /// The power, or its change, is not known.
    static let unavailable: Int8 = 127
    /// The acceptable reduction that is not known (Vol 6, Part B, 2.4.2.34).
    static let noReduction: UInt8 = 0xFF
    /// The received power at which a peer may send without a preferred range, in dBm: 15 dB above the usual sensitivity.
    private static let lowestReceived: Int8 = -80

    /// The powers that this controller has, in steps of 1 dB.
    let range: ClosedRange<Int8>
    /// The received power that this controller keeps by requests, in dBm; nil if it requests nothing by itself.
    let preferred: ClosedRange<Int8>?
    var reports: Reports = []
    /// The time before which this controller makes no other request by itself.
    var quietUntil = Instant.zero
    /// Whether the peer has requested a power, and learns all changes from then on.
    var isPeerInterested = false
    /// Whether the peer has refused requests.
    var isRefused = false
    /// The PHYs about which this controller has asked.
    private var asked: LL.PowerPHYSet = []
    private var own: InlineArray<4, Int8>
    private var peer = InlineArray<4, Level>(repeating: Level(power: LinkPower.unavailable))

    init(range: ClosedRange<Int8> = 0...0, preferred: ClosedRange<Int8>? = nil) {
        self.range = range
        self.preferred = preferred
        own = InlineArray(repeating: range.upperBound)
    }

    private static func index(_ phy: LL.PHY) -> Int { Int(phy.rawValue) - 1 }

    /// Whether measurements of the link may lead to requests or reports.
    var isActive: Bool { preferred != nil || !reports.isEmpty }

    // MARK: This controller

    /// This controller's power on a PHY, in dBm.
    @inline(__always)
    func power(on phy: LL.PHY) -> Int8 { own[Self.index(phy)] }

    func level(on phy: LL.PHY) -> Level {
        let power = power(on: phy)
        var limits: LL.PowerLimits = []
        if power == range.lowerBound { limits.insert(.minimum) }
        if power == range.upperBound { limits.insert(.maximum) }
        return Level(power: power, limits: limits)
    }

    /// Sets this controller's power to the nearest one of its range. Returns the change in dB.
    mutating func set(_ power: Int, on phy: LL.PHY) -> Int8 {
        let old = Int(own[Self.index(phy)])
        let new = min(max(power, Int(range.lowerBound)), Int(range.upperBound))
        own[Self.index(phy)] = Int8(clamping: new)
        return Int8(clamping: new - old)
    }

    // MARK: The peer

    /// The peer's power on a PHY, as far as it is known.
    func peerLevel(on phy: LL.PHY) -> Level { peer[Self.index(phy)] }

    /// Takes the peer's power on a PHY. A power out of range counts as not available.
    ///
    /// - Parameter limits: Nil if the peer did not state them.
    /// - Returns: The change in dB; `unavailable` if one of the powers is not known, and nil if the power is the same as before.
    mutating func learn(_ power: Int8, _ limits: LL.PowerLimits?, on phy: LL.PHY) -> Int8? {
        let old = peer[Self.index(phy)]
        var new = Level(power: power)
        if !new.isKnown, power != Self.unmanaged { new.power = Self.unavailable }
        if new.isKnown { new.limits = limits ?? (new.power == old.power ? old.limits : []) }
        peer[Self.index(phy)] = new
        guard new.power != old.power else { return nil }
        guard new.isKnown, old.isKnown else { return Self.unavailable }
        return Int8(exactly: Int(new.power) - Int(old.power)) ?? Self.unavailable
    }

    /// Whether the controller has not asked for the peer's power on a PHY yet.
    func mayAsk(on phy: LL.PHY) -> Bool { !isRefused && !asked.contains(LL.PowerPHYSet(phy)) }

    mutating func noteRequest(on phy: LL.PHY) { asked.insert(LL.PowerPHYSet(phy)) }

    // MARK: Received power

    /// The loss between the antennas in dB, 0 to 254; nil if the peer's power is not known.
    func pathLoss(rssi: Int8, on phy: LL.PHY) -> UInt8? {
        let level = peerLevel(on: phy)
        guard level.isKnown, rssi != Self.unavailable else { return nil }
        return UInt8(min(254, max(0, Int(level.power) - Int(rssi))))
    }

    /// How much weaker the peer may become, in dB (Vol 6, Part B, 5.1.17.1).
    func acceptableReduction(rssi: Int8) -> UInt8 {
        guard rssi != Self.unavailable else { return Self.noReduction }
        return UInt8(clamping: Int(rssi) - Int(preferred?.lowerBound ?? Self.lowestReceived))
    }

    /// The change of the peer's power that brings the received power to the middle of the preferred range; nil if it is in the range, or if
    /// the peer is at its limit.
    func wantedChange(rssi: Int8, on phy: LL.PHY) -> Int8? {
        guard let preferred, !isRefused, rssi != Self.unavailable, !preferred.contains(rssi) else { return nil }
        let limit: LL.PowerLimits = rssi < preferred.lowerBound ? .maximum : .minimum
        guard !peerLevel(on: phy).limits.contains(limit) else { return nil }
        let middle = (Int(preferred.lowerBound) + Int(preferred.upperBound)) / 2
        return Int8(clamping: middle - Int(rssi))
    }
}

/// A request for a power of the peer, or only for its value.
struct PowerRequest: Hashable {
    enum Purpose: Hashable {
        /// The host reads the power (Vol 4, Part E, 7.8.118).
        case read
        /// The controller needs it.
        case own
    }

    var phy: LL.PHY
    /// The requested change in dB.
    var delta: Int8 = 0
    var purpose: Purpose
}

/// A power that the host learns (Vol 4, Part E, 7.7.65.33).
struct PowerReport: Hashable {
    var status = HCI.ErrorCode.success
    var reason: HCI.TransmitPowerReason
    var phy: LL.PHY
    var level: LinkPower.Level
    /// In dB, or `LinkPower.unavailable`.
    var delta: Int8
}
