extension LL {
    /// Requests another transmit power of the peer on one PHY (Vol 6, Part B, 2.4.2.33).
    package struct PowerControlReq: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .powerControlReq }
        /// One PHY.
        package var phys: PowerPHYSet
        /// The requested change. In dB; 127 requests the maximum, and 0 only asks.
        package var delta: Int8
        /// The sender's power on the PHY. In dBm, at most 20; 127 if it is not available.
        package var power: Int8
    }

    /// Answers LL_POWER_CONTROL_REQ (Vol 6, Part B, 2.4.2.34).
    package struct PowerControlRsp: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .powerControlRsp }
        package var limits: PowerLimits
        /// The change that the sender made. In dB.
        package var delta: Int8
        /// The sender's power now. In dBm, at most 20; 126 if it does not manage the power of the PHY, and 127 if the power is not available.
        package var power: Int8
        /// How much less power of the peer the sender can still receive. In dB; 255 if that is not known.
        package var acceptableReduction: UInt8
    }

    /// Tells the peer that the sender has changed its power by itself (Vol 6, Part B, 2.4.2.35).
    package struct PowerChangeInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .powerChangeInd }
        /// The PHYs that have changed.
        package var phys: PowerPHYSet
        package var limits: PowerLimits
        /// The change. In dB.
        package var delta: Int8
        /// The sender's power now. In dBm, at most 20; 126 if it does not manage the power of the PHYs, and 127 if the power is not available.
        package var power: Int8
    }

    /// Turns the reports of the peripheral about its channels on or off (Vol 6, Part B, 2.4.2.38).
    package struct ChannelReportingInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .channelReportingInd }
        package var isOn: Bool
        /// The shortest time between two reports. In units of 200 ms, 5 to 150.
        package var minimumSpacing: UInt8
        /// The longest time from a change to its report. In units of 200 ms, 5 to 150, and at least the spacing.
        package var maximumDelay: UInt8
    }

    /// Reports how good the channels are at the peripheral (Vol 6, Part B, 2.4.2.39).
    package struct ChannelStatusInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .channelStatusInd }
        package var classification: ChannelClassification
    }

    /// A set of PHYs whose powers differ: the Coded PHY counts twice, once for each coding.
    package struct PowerPHYSet: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let oneM = PowerPHYSet(rawValue: 1)
        package static let twoM = PowerPHYSet(rawValue: 2)
        package static let codedS8 = PowerPHYSet(rawValue: 4)
        package static let codedS2 = PowerPHYSet(rawValue: 8)

        /// The set of one PHY.
        package init(_ phy: PHY) { self.init(rawValue: 1 << (phy.rawValue - 1)) }

        /// The PHYs of the set, in the order of the bits. Reserved bits have none.
        package var phys: [PHY] { PHY.allCases.filter { contains(PowerPHYSet($0)) } }

        /// The PHY of a set with one bit, which is not a reserved one; nil for other sets.
        package var sole: PHY? { rawValue.nonzeroBitCount == 1 ? phys.first : nil }
    }

    /// Whether a power is the least or the greatest of its sender.
    package struct PowerLimits: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let minimum = PowerLimits(rawValue: 1)
        package static let maximum = PowerLimits(rawValue: 2)
    }
}
