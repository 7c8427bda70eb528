// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEPeriodicSyncCommands.swift. Do not edit.

extension HCI.LEPeriodicAdvertisingCreateSync {
    package init(
        options: HCI.PeriodicSyncOptions = [], advertisingSID: UInt8, advertiserAddress: DeviceAddress,
        skip: UInt16 = 0, syncTimeout: UInt16, excludedToneExtensions: HCI.ExcludedToneExtensions = [], _: Void = ()
    ) {
        self.options = options
        self.advertisingSID = advertisingSID
        self.advertiserAddress = advertiserAddress
        self.skip = skip
        self.syncTimeout = syncTimeout
        self.excludedToneExtensions = excludedToneExtensions
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        options = HCI.PeriodicSyncOptions(rawValue: try bytes.readUInt8())
        advertisingSID = try bytes.readUInt8()
        advertiserAddress = try bytes.readTypedAddress()
        skip = try bytes.readUInt16()
        syncTimeout = try bytes.readUInt16()
        excludedToneExtensions = HCI.ExcludedToneExtensions(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 14 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(options.rawValue)
        try output.write(advertisingSID)
        try output.write(typed: advertiserAddress)
        try output.write(skip)
        try output.write(syncTimeout)
        try output.write(excludedToneExtensions.rawValue)
    }
}

extension HCI.LEPeriodicAdvertisingTerminateSync {
    package init(syncHandle: HCI.ConnectionHandle, _: Void = ()) {
        self.syncHandle = syncHandle
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        syncHandle = try bytes.readConnectionHandle()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(syncHandle)
    }
}

extension HCI.LEAddDeviceToPeriodicAdvertiserList {
    package init(advertiserAddress: DeviceAddress, advertisingSID: UInt8, _: Void = ()) {
        self.advertiserAddress = advertiserAddress
        self.advertisingSID = advertisingSID
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        advertiserAddress = try bytes.readTypedAddress()
        advertisingSID = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(typed: advertiserAddress)
        try output.write(advertisingSID)
    }
}

extension HCI.LERemoveDeviceFromPeriodicAdvertiserList {
    package init(advertiserAddress: DeviceAddress, advertisingSID: UInt8, _: Void = ()) {
        self.advertiserAddress = advertiserAddress
        self.advertisingSID = advertisingSID
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        advertiserAddress = try bytes.readTypedAddress()
        advertisingSID = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(typed: advertiserAddress)
        try output.write(advertisingSID)
    }
}

extension HCI.LEReadPeriodicAdvertiserListSize.ReturnParameters {
    package init(status: HCI.ErrorCode, size: UInt8, _: Void = ()) {
        self.status = status
        self.size = size
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        size = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(size)
    }
}

extension HCI.LESetPeriodicAdvertisingReceiveEnable {
    package init(syncHandle: HCI.ConnectionHandle, enable: HCI.PeriodicReceiveEnable, _: Void = ()) {
        self.syncHandle = syncHandle
        self.enable = enable
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        syncHandle = try bytes.readConnectionHandle()
        enable = HCI.PeriodicReceiveEnable(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(syncHandle)
        try output.write(enable.rawValue)
    }
}

extension HCI.SyncReturn {
    package init(status: HCI.ErrorCode, syncHandle: HCI.ConnectionHandle, _: Void = ()) {
        self.status = status
        self.syncHandle = syncHandle
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        syncHandle = try bytes.readConnectionHandle()
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(syncHandle)
    }
}
