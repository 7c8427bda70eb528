/// LE commands for packet length and PHY.
extension HCI {
    /// Suggests the largest packet of a connection (Vol 4, Part E, 7.8.33).
    package struct LESetDataLength: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetDataLength }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: HCI.ConnectionHandle
        /// Payload octets, 27 to 251.
        package var txOctets: UInt16
        /// In microseconds, 328 to 17040.
        package var txTime: UInt16
    }

    /// Reads the largest packet suggested for new connections (Vol 4, Part E, 7.8.34).
    package struct LEReadSuggestedDefaultDataLength: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadSuggestedDefaultDataLength }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            /// In octets, 27 to 251.
            package var maximumTxOctets: UInt16
            /// In microseconds.
            package var maximumTxTime: UInt16
        }
    }

    /// Suggests the largest packet for new connections (Vol 4, Part E, 7.8.35).
    package struct LEWriteSuggestedDefaultDataLength: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leWriteSuggestedDefaultDataLength }

        /// In octets, 27 to 251.
        package var maximumTxOctets: UInt16
        /// In microseconds.
        package var maximumTxTime: UInt16
    }

    /// Reads the largest packets that the controller can send and receive (Vol 4, Part E, 7.8.46).
    package struct LEReadMaximumDataLength: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadMaximumDataLength }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            /// In octets, 27 to 251.
            package var maximumTxOctets: UInt16
            /// In microseconds.
            package var maximumTxTime: UInt16
            /// In octets, 27 to 251.
            package var maximumRxOctets: UInt16
            /// In microseconds.
            package var maximumRxTime: UInt16
        }
    }

    /// Reads the PHYs of a connection (Vol 4, Part E, 7.8.47).
    package struct LEReadPHY: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leReadPHY }

        package var connectionHandle: HCI.ConnectionHandle

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var connectionHandle: HCI.ConnectionHandle
            package var txPHY: HCI.PHY
            package var rxPHY: HCI.PHY
        }
    }

    /// Sets the PHYs preferred for new connections (Vol 4, Part E, 7.8.48).
    package struct LESetDefaultPHY: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetDefaultPHY }

        package var noPreference: HCI.PHYPreference = []
        package var txPHYs: HCI.PHYMask
        package var rxPHYs: HCI.PHYMask
    }

    /// Changes the PHYs of a connection. LE PHY Update Complete follows (Vol 4, Part E, 7.8.49).
    package struct LESetPHY: HCIStatusCommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetPHY }

        package var connectionHandle: HCI.ConnectionHandle
        package var noPreference: HCI.PHYPreference = []
        package var txPHYs: HCI.PHYMask
        package var rxPHYs: HCI.PHYMask
        /// For the Coded PHY: 0 no preference, 1 S=2, 2 S=8.
        package var options: UInt16 = 0
    }
}
