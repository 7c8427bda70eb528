/// LE commands of legacy scanning.
extension HCI {
    /// Sets the parameters of legacy scanning (Vol 4, Part E, 7.8.10).
    package struct LESetScanParameters: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetScanParameters }

        package var scanType: HCI.ScanType = .passive
        /// In units of 0.625 ms, 0x0004 to 0x4000.
        package var interval: UInt16 = 0x0010
        /// In units of 0.625 ms, 0x0004 to 0x4000, at most the interval.
        package var window: UInt16 = 0x0010
        package var ownAddressType: HCI.OwnAddressType = .public
        package var filterPolicy: HCI.ScanFilterPolicy = .everyone
    }

    /// Starts or stops legacy scanning (Vol 4, Part E, 7.8.11).
    package struct LESetScanEnable: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetScanEnable }

        package var enable: Bool
        package var filterDuplicates: Bool
    }
}
