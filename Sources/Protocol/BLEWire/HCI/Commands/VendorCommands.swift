/// Vendor commands (OGF 0x3F).
extension HCI {
    /// Sets the public address of the controller, which keeps it after a reset. Zephyr's controllers have the same command.
    package struct VendorWriteBDADDR: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .vendorWriteBDADDR }

        package var address: HCI.PublicDeviceAddress
    }

    /// Sets the power with which the controller sends. Zephyr's controllers have the same command.
    package struct VendorWriteTransmitPower: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .vendorWriteTransmitPower }

        package var role: HCI.VendorPowerRole
        /// The advertising handle or the connection handle.
        package var handle: UInt16
        /// In dBm, -127 to 20.
        package var power: Int8

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var role: HCI.VendorPowerRole
            package var handle: UInt16
            /// The nearest power that the controller has. In dBm.
            package var selected: Int8
        }
    }

    /// Sets the error of the controller's sleep clock and the accuracy that the controller announces. The controller keeps both after a reset.
    package struct VendorWriteSleepClock: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .vendorWriteSleepClock }

        /// In parts per million, -500 to 500. A positive error makes the clock fast.
        package var error: Int16
        package var accuracy: HCI.ClockAccuracy
    }

    /// What the power of `VendorWriteTransmitPower` is for.
    package struct VendorPowerRole: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let advertiser = VendorPowerRole(rawValue: 0)
        package static let scanner = VendorPowerRole(rawValue: 1)
        package static let link = VendorPowerRole(rawValue: 2)
    }
}
