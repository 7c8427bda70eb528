/// LE commands that scan and connect on several PHYs.
extension HCI {
    /// Sets the parameters of scanning, for each PHY (Vol 4, Part E, 7.8.64).
    package struct LESetExtendedScanParameters: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetExtendedScanParameters }

        package struct Entry: Hashable, Sendable {
            package var scanType: HCI.ScanType
            /// In units of 0.625 ms, 0x0004 to 0xFFFF.
            package var interval: UInt16
            /// In units of 0.625 ms, 0x0004 to 0xFFFF, at most the interval.
            package var window: UInt16

            package init(scanType: HCI.ScanType, interval: UInt16, window: UInt16) {
                self.scanType = scanType
                self.interval = interval
                self.window = window
            }
        }

        package var ownAddressType: HCI.OwnAddressType
        package var filterPolicy: HCI.ScanFilterPolicy
        /// 1M and Coded are the primary PHYs.
        package var phys: HCI.PHYMask
        /// One for each bit of `phys`, the lowest bit first.
        package var entries: [Entry]

        package init(
            ownAddressType: HCI.OwnAddressType, filterPolicy: HCI.ScanFilterPolicy = .everyone, phys: HCI.PHYMask,
            entries: [Entry]
        ) {
            self.ownAddressType = ownAddressType
            self.filterPolicy = filterPolicy
            self.phys = phys
            self.entries = entries
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            ownAddressType = HCI.OwnAddressType(rawValue: try bytes.readUInt8())
            filterPolicy = HCI.ScanFilterPolicy(rawValue: try bytes.readUInt8())
            phys = HCI.PHYMask(rawValue: try bytes.readUInt8())
            entries = []
            for _ in 0..<phys.rawValue.nonzeroBitCount {
                entries.append(
                    Entry(
                        scanType: HCI.ScanType(rawValue: try bytes.readUInt8()), interval: try bytes.readUInt16(),
                        window: try bytes.readUInt16()))
            }
            try bytes.finish()
        }

        package var encodedCount: Int { 3 + 5 * entries.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard entries.count == phys.rawValue.nonzeroBitCount else { throw .fieldTooLong }
            try output.write(ownAddressType.rawValue)
            try output.write(filterPolicy.rawValue)
            try output.write(phys.rawValue)
            for entry in entries {
                try output.write(entry.scanType.rawValue)
                try output.write(entry.interval)
                try output.write(entry.window)
            }
        }
    }

    /// The duplicate filter of an extended scan (Vol 4, Part E, 7.8.65).
    package struct DuplicateFilter: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let off = DuplicateFilter(rawValue: 0)
        package static let on = DuplicateFilter(rawValue: 1)
        /// On, and forgets everything at the start of each scan period.
        package static let onPerPeriod = DuplicateFilter(rawValue: 2)
    }

    /// Starts or stops extended scanning (Vol 4, Part E, 7.8.65).
    package struct LESetExtendedScanEnable: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetExtendedScanEnable }

        package var enable: Bool
        package var filterDuplicates: HCI.DuplicateFilter = .off
        /// In units of 10 ms; 0 means until the host stops it.
        package var duration: UInt16 = 0
        /// In units of 1.28 s; 0 means that the scan does not repeat.
        package var period: UInt16 = 0
    }

    /// Starts to connect on several PHYs. LE Enhanced Connection Complete follows (Vol 4, Part E, 7.8.66).
    package struct LEExtendedCreateConnection: HCIStatusCommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leExtendedCreateConnection }

        package struct Entry: Hashable, Sendable {
            /// In units of 0.625 ms, 0x0004 to 0xFFFF.
            package var scanInterval: UInt16
            /// In units of 0.625 ms, 0x0004 to 0xFFFF, at most the interval.
            package var scanWindow: UInt16
            /// In units of 1.25 ms, 0x0006 to 0x0C80.
            package var intervalMinimum: UInt16
            /// In units of 1.25 ms, 0x0006 to 0x0C80.
            package var intervalMaximum: UInt16
            /// In connection events, 0 to 499.
            package var maximumLatency: UInt16
            /// In units of 10 ms, 0x000A to 0x0C80.
            package var supervisionTimeout: UInt16
            /// In units of 0.625 ms.
            package var minimumConnectionEventLength: UInt16
            /// In units of 0.625 ms.
            package var maximumConnectionEventLength: UInt16

            package init(
                scanInterval: UInt16, scanWindow: UInt16, intervalMinimum: UInt16, intervalMaximum: UInt16,
                maximumLatency: UInt16, supervisionTimeout: UInt16, minimumConnectionEventLength: UInt16 = 0,
                maximumConnectionEventLength: UInt16 = 0
            ) {
                self.scanInterval = scanInterval
                self.scanWindow = scanWindow
                self.intervalMinimum = intervalMinimum
                self.intervalMaximum = intervalMaximum
                self.maximumLatency = maximumLatency
                self.supervisionTimeout = supervisionTimeout
                self.minimumConnectionEventLength = minimumConnectionEventLength
                self.maximumConnectionEventLength = maximumConnectionEventLength
            }
        }

        package var filterPolicy: HCI.InitiatorFilterPolicy
        package var ownAddressType: HCI.OwnAddressType
        /// Not used with the filter accept list.
        package var peerAddress: DeviceAddress
        /// The initiator listens on 1M and Coded. The parameters of 2M are for links that begin on it.
        package var phys: HCI.PHYMask
        /// One for each bit of `phys`, the lowest bit first.
        package var entries: [Entry]

        package init(
            filterPolicy: HCI.InitiatorFilterPolicy, ownAddressType: HCI.OwnAddressType, peerAddress: DeviceAddress,
            phys: HCI.PHYMask, entries: [Entry]
        ) {
            self.filterPolicy = filterPolicy
            self.ownAddressType = ownAddressType
            self.peerAddress = peerAddress
            self.phys = phys
            self.entries = entries
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            filterPolicy = HCI.InitiatorFilterPolicy(rawValue: try bytes.readUInt8())
            ownAddressType = HCI.OwnAddressType(rawValue: try bytes.readUInt8())
            peerAddress = try bytes.readTypedAddress()
            phys = HCI.PHYMask(rawValue: try bytes.readUInt8())
            entries = []
            for _ in 0..<phys.rawValue.nonzeroBitCount {
                entries.append(
                    Entry(
                        scanInterval: try bytes.readUInt16(), scanWindow: try bytes.readUInt16(),
                        intervalMinimum: try bytes.readUInt16(), intervalMaximum: try bytes.readUInt16(),
                        maximumLatency: try bytes.readUInt16(), supervisionTimeout: try bytes.readUInt16(),
                        minimumConnectionEventLength: try bytes.readUInt16(),
                        maximumConnectionEventLength: try bytes.readUInt16()))
            }
            try bytes.finish()
        }

        package var encodedCount: Int { 10 + 16 * entries.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard entries.count == phys.rawValue.nonzeroBitCount else { throw .fieldTooLong }
            try output.write(filterPolicy.rawValue)
            try output.write(ownAddressType.rawValue)
            try output.write(typed: peerAddress)
            try output.write(phys.rawValue)
            for entry in entries {
                try output.write(entry.scanInterval)
                try output.write(entry.scanWindow)
                try output.write(entry.intervalMinimum)
                try output.write(entry.intervalMaximum)
                try output.write(entry.maximumLatency)
                try output.write(entry.supervisionTimeout)
                try output.write(entry.minimumConnectionEventLength)
                try output.write(entry.maximumConnectionEventLength)
            }
        }
    }
}
