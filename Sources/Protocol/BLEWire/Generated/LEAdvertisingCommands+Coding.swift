// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEAdvertisingCommands.swift. Do not edit.

extension HCI.LESetAdvertisingParameters {
    package init(
        intervalMinimum: UInt16 = 0x0800, intervalMaximum: UInt16 = 0x0800,
        advertisingType: HCI.AdvertisingType = .connectableUndirected, ownAddressType: HCI.OwnAddressType = .public,
        peerAddress: DeviceAddress = DeviceAddress(kind: .public, value: 0),
        channelMap: HCI.AdvertisingChannelMap = .all, filterPolicy: HCI.AdvertisingFilterPolicy = .everyone,
        _: Void = ()
    ) {
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.advertisingType = advertisingType
        self.ownAddressType = ownAddressType
        self.peerAddress = peerAddress
        self.channelMap = channelMap
        self.filterPolicy = filterPolicy
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        intervalMinimum = try bytes.readUInt16()
        intervalMaximum = try bytes.readUInt16()
        advertisingType = HCI.AdvertisingType(rawValue: try bytes.readUInt8())
        ownAddressType = HCI.OwnAddressType(rawValue: try bytes.readUInt8())
        peerAddress = try bytes.readTypedAddress()
        channelMap = HCI.AdvertisingChannelMap(rawValue: try bytes.readUInt8())
        filterPolicy = HCI.AdvertisingFilterPolicy(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 15 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(intervalMinimum)
        try output.write(intervalMaximum)
        try output.write(advertisingType.rawValue)
        try output.write(ownAddressType.rawValue)
        try output.write(typed: peerAddress)
        try output.write(channelMap.rawValue)
        try output.write(filterPolicy.rawValue)
    }
}

extension HCI.LEReadAdvertisingPhysicalChannelTxPower.ReturnParameters {
    package init(status: HCI.ErrorCode, transmitPowerLevel: Int8, _: Void = ()) {
        self.status = status
        self.transmitPowerLevel = transmitPowerLevel
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        transmitPowerLevel = try bytes.readInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(transmitPowerLevel)
    }
}

extension HCI.LESetAdvertisingData {
    package init(data: HCI.AdvertisingData, _: Void = ()) {
        self.data = data
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        data = try bytes.readAdvertisingData()
        try bytes.finish()
    }

    package static var octetCount: Int { 32 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try data.encode(into: &output)
    }
}

extension HCI.LESetScanResponseData {
    package init(data: HCI.AdvertisingData, _: Void = ()) {
        self.data = data
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        data = try bytes.readAdvertisingData()
        try bytes.finish()
    }

    package static var octetCount: Int { 32 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try data.encode(into: &output)
    }
}

extension HCI.LESetAdvertisingEnable {
    package init(enable: Bool, _: Void = ()) {
        self.enable = enable
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        enable = try bytes.readFlag()
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(enable ? 1 : 0 as UInt8)
    }
}
