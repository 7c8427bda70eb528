/// LE commands and events about transmit power and path loss.
extension HCI {
    /// One PHY, with its coding (Vol 4, Part E, 7.8.117).
    package struct PowerPHY: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let le1M = PowerPHY(rawValue: 1)
        package static let le2M = PowerPHY(rawValue: 2)
        /// With eight symbols for each bit.
        package static let leCodedS8 = PowerPHY(rawValue: 3)
        /// With two symbols for each bit.
        package static let leCodedS2 = PowerPHY(rawValue: 4)
    }

    /// Reads the power with which the controller sends on a link (Vol 4, Part E, 7.8.117).
    package struct LEEnhancedReadTransmitPowerLevel: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leEnhancedReadTransmitPowerLevel }

        package var connectionHandle: HCI.ConnectionHandle
        package var phy: HCI.PowerPHY

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var connectionHandle: HCI.ConnectionHandle
            package var phy: HCI.PowerPHY
            /// In dBm, -127 to 20.
            package var current: Int8
            /// In dBm, -127 to 20.
            package var maximum: Int8
        }
    }

    /// Reads the power with which the peer sends. LE Transmit Power Reporting follows (Vol 4, Part E, 7.8.118).
    package struct LEReadRemoteTransmitPowerLevel: HCIStatusCommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leReadRemoteTransmitPowerLevel }

        package var connectionHandle: HCI.ConnectionHandle
        package var phy: HCI.PowerPHY
    }

    /// Sets the zones of a link's path loss (Vol 4, Part E, 7.8.119).
    package struct LESetPathLossReportingParameters: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetPathLossReportingParameters }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: HCI.ConnectionHandle
        /// In dB; 0xFF for no high zone.
        package var highThreshold: UInt8
        /// In dB. The sum with the threshold is at most 255.
        package var highHysteresis: UInt8
        /// In dB.
        package var lowThreshold: UInt8
        /// In dB, at most the threshold.
        package var lowHysteresis: UInt8
        /// The time in another zone before its report, in connection events.
        package var minimumTime: UInt16
    }

    /// Turns LE Path Loss Threshold on or off for a link (Vol 4, Part E, 7.8.120).
    package struct LESetPathLossReportingEnable: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetPathLossReportingEnable }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: HCI.ConnectionHandle
        package var isOn: Bool
    }

    /// Turns LE Transmit Power Reporting on or off for a link (Vol 4, Part E, 7.8.121).
    package struct LESetTransmitPowerReportingEnable: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetTransmitPowerReportingEnable }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: HCI.ConnectionHandle
        /// Whether changes of this controller's power are reported.
        package var reportsLocal: Bool
        /// Whether changes of the peer's power are reported.
        package var reportsRemote: Bool
    }

    /// The path loss of a link is in another zone (Vol 4, Part E, 7.7.65.32).
    package struct LEPathLossThreshold: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .pathLossThreshold }

        package var connectionHandle: HCI.ConnectionHandle
        /// In dB; 0xFF if it is not known, and the zone has no meaning then.
        package var pathLoss: UInt8
        package var zone: HCI.PathLossZone
    }

    /// A range of path loss.
    package struct PathLossZone: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let low = PathLossZone(rawValue: 0)
        package static let middle = PathLossZone(rawValue: 1)
        package static let high = PathLossZone(rawValue: 2)
    }

    /// The transmit power of one side of a link (Vol 4, Part E, 7.7.65.33).
    package struct LETransmitPowerReporting: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .transmitPowerReporting }

        /// Has a meaning only if the reason is `remoteRead`.
        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        package var reason: HCI.TransmitPowerReason
        package var phy: HCI.PowerPHY
        /// In dBm, -127 to 20; 126 if the peer does not manage the power of the PHY, and 127 if the power is not available.
        package var power: Int8
        package var limits: LL.PowerLimits
        /// The change. In dB; 127 if it is not available.
        package var delta: Int8
    }

    /// Why a transmit power is reported, and whose it is.
    package struct TransmitPowerReason: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// This controller has changed its power.
        package static let localChanged = TransmitPowerReason(rawValue: 0)
        /// The peer has changed its power.
        package static let remoteChanged = TransmitPowerReason(rawValue: 1)
        /// LE Read Remote Transmit Power Level has ended.
        package static let remoteRead = TransmitPowerReason(rawValue: 2)
    }
}
