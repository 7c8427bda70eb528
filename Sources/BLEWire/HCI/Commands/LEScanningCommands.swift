/// LE commands of legacy scanning.
extension HCI {
    /// Sets the parameters of legacy scanning (Vol 4, Part E, 7.8.10).
    package struct LESetScanParameters: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetScanParameters }

        package var scanType: HCI.ScanType
        /// In units of 0.625 ms, 0x0004 to 0x4000.
        package var interval: UInt16
        /// In units of 0.625 ms, 0x0004 to 0x4000, at most the interval.
        package var window: UInt16
        package var ownAddressType: HCI.OwnAddressType
        package var filterPolicy: HCI.ScanFilterPolicy

        package init(
            scanType: HCI.ScanType = .passive, interval: UInt16 = 0x0010, window: UInt16 = 0x0010,
            ownAddressType: HCI.OwnAddressType = .public, filterPolicy: HCI.ScanFilterPolicy = .everyone
        ) {
            self.scanType = scanType
            self.interval = interval
            self.window = window
            self.ownAddressType = ownAddressType
            self.filterPolicy = filterPolicy
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            scanType = HCI.ScanType(rawValue: try bytes.readUInt8())
            interval = try bytes.readUInt16()
            window = try bytes.readUInt16()
            ownAddressType = HCI.OwnAddressType(rawValue: try bytes.readUInt8())
            filterPolicy = HCI.ScanFilterPolicy(rawValue: try bytes.readUInt8())
            try bytes.finish()
        }

        package var encodedCount: Int { 7 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(scanType.rawValue)
            try output.write(interval)
            try output.write(window)
            try output.write(ownAddressType.rawValue)
            try output.write(filterPolicy.rawValue)
        }
    }

    /// Starts or stops legacy scanning (Vol 4, Part E, 7.8.11).
    package struct LESetScanEnable: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetScanEnable }

        package var enable: Bool
        package var filterDuplicates: Bool

        package init(enable: Bool, filterDuplicates: Bool) {
            self.enable = enable
            self.filterDuplicates = filterDuplicates
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            enable = try bytes.readFlag()
            filterDuplicates = try bytes.readFlag()
            try bytes.finish()
        }

        package var encodedCount: Int { 2 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(enable ? 1 : 0 as UInt8)
            try output.write(filterDuplicates ? 1 : 0 as UInt8)
        }
    }
}
