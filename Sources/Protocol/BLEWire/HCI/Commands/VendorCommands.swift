/// Vendor commands (OGF 0x3F).
extension HCI {
    /// Sets the public address of the controller, which keeps it after a reset. Zephyr's controllers have the same command.
    package struct VendorWriteBDADDR: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .vendorWriteBDADDR }

        package var address: HCI.PublicDeviceAddress
    }
}
