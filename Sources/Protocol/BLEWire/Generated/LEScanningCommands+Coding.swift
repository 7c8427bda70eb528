// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEScanningCommands.swift. Do not edit.

extension HCI.LESetScanParameters {
    package init(
        scanType: HCI.ScanType = .passive, interval: UInt16 = 0x0010, window: UInt16 = 0x0010,
        ownAddressType: HCI.OwnAddressType = .public, filterPolicy: HCI.ScanFilterPolicy = .everyone, _: Void = ()
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

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(scanType.rawValue)
        try output.write(interval)
        try output.write(window)
        try output.write(ownAddressType.rawValue)
        try output.write(filterPolicy.rawValue)
    }
}

extension HCI.LESetScanEnable {
    package init(enable: Bool, filterDuplicates: Bool, _: Void = ()) {
        self.enable = enable
        self.filterDuplicates = filterDuplicates
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        enable = try bytes.readFlag()
        filterDuplicates = try bytes.readFlag()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(enable ? 1 : 0 as UInt8)
        try output.write(filterDuplicates ? 1 : 0 as UInt8)
    }
}
