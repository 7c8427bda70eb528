import BLEWire

/// What a host can do about the radio of a link: the features that this host, its controller and the peer have. Features of a peer that are not
/// known count as present.
package struct LinkRadioFeatures: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reads the power of this side (Vol 4, Part E, 7.8.117).
    package static let localPower = LinkRadioFeatures(rawValue: 1)
    /// Reads the power of the peer, and reports changes on both sides (Vol 4, Part E, 7.8.118 and 7.8.121).
    package static let powerControl = LinkRadioFeatures(rawValue: 2)
    /// Reports the zone of the path loss (Vol 4, Part E, 7.8.120).
    package static let pathLoss = LinkRadioFeatures(rawValue: 4)
    /// Requests that a part of the connection events is used (Vol 4, Part E, 7.8.124).
    package static let subrating = LinkRadioFeatures(rawValue: 8)
}

/// What a host learns about the radio of a link.
package enum LinkRadioEvent: Hashable, Sendable {
    case transmitPower(TransmitPowerReport)
    /// The path loss is in a zone of `PathLossZones`. In dB; nil if it is not known, and the zone has no meaning then.
    case pathLoss(UInt8?, HCI.PathLossZone)
    /// Every `factor`-th connection event is used, and events after one with data as well (Vol 6, Part B, 4.5.1).
    case subrated(factor: UInt16, continuationNumber: UInt16)
    /// The controller or the peer refused what this command requests.
    case refused(HCI.Opcode, HCI.ErrorCode)
}

/// The transmit power of one side of a link.
package struct TransmitPowerReport: Hashable, Sendable {
    package var role: LinkRole
    package var phy: HCI.PowerPHY
    /// In dBm; nil if it is not known, or if the peer does not manage it.
    package var power: Int8?
    /// Whether the power is the least or the greatest of its sender.
    package var limits: LL.PowerLimits
    /// In dB; nil if it is not known.
    package var change: Int8?

    package init(role: LinkRole, phy: HCI.PowerPHY, power: Int8?, limits: LL.PowerLimits, change: Int8?) {
        self.role = role
        self.phy = phy
        self.power = power
        self.limits = limits
        self.change = change
    }
}

/// The zones of a path loss (Vol 4, Part E, 7.8.119). A boundary lies at the threshold plus the hysteresis on the way up, and at the threshold
/// minus the hysteresis on the way down.
package struct PathLossZones: Hashable, Sendable {
    /// In dB.
    package var highThreshold: UInt8
    package var highHysteresis: UInt8
    package var lowThreshold: UInt8
    package var lowHysteresis: UInt8
    /// The time in another zone before its report, in connection events.
    package var minimumTime: UInt16

    package init(
        highThreshold: UInt8, highHysteresis: UInt8, lowThreshold: UInt8, lowHysteresis: UInt8, minimumTime: UInt16 = 0
    ) {
        self.highThreshold = highThreshold
        self.highHysteresis = highHysteresis
        self.lowThreshold = lowThreshold
        self.lowHysteresis = lowHysteresis
        self.minimumTime = minimumTime
    }
}

/// The subrates that a host requests or accepts (Vol 4, Part E, 7.8.123 and 7.8.124).
package struct RequestedSubrate: Hashable, Sendable {
    /// Within 1 to 500.
    package var factors: ClosedRange<UInt16>
    /// The number of used events that the peripheral may skip, 0 to 499.
    package var latency: UInt16
    /// The events after one with data that are used as well, less than the greatest factor.
    package var continuationNumber: UInt16
    /// The supervision timeout in units of 10 ms, 10 to 3200.
    package var timeout: UInt16

    package init(factors: ClosedRange<UInt16>, latency: UInt16 = 0, continuationNumber: UInt16 = 0, timeout: UInt16) {
        self.factors = factors
        self.latency = latency
        self.continuationNumber = continuationNumber
        self.timeout = timeout
    }
}
