// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEExtendedScanningCommands.swift. Do not edit.

extension HCI.LESetExtendedScanEnable {
    package init(
        enable: Bool, filterDuplicates: HCI.DuplicateFilter = .off, duration: UInt16 = 0, period: UInt16 = 0,
        _: Void = ()
    ) {
        self.enable = enable
        self.filterDuplicates = filterDuplicates
        self.duration = duration
        self.period = period
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        enable = try bytes.readFlag()
        filterDuplicates = HCI.DuplicateFilter(rawValue: try bytes.readUInt8())
        duration = try bytes.readUInt16()
        period = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 6 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(enable ? 1 : 0 as UInt8)
        try output.write(filterDuplicates.rawValue)
        try output.write(duration)
        try output.write(period)
    }
}
