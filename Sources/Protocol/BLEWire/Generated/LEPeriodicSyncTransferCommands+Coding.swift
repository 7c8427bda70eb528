// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEPeriodicSyncTransferCommands.swift. Do not edit.

extension HCI.LEPeriodicAdvertisingSyncTransfer {
    package init(
        connectionHandle: HCI.ConnectionHandle, serviceData: UInt16, syncHandle: HCI.ConnectionHandle, _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.serviceData = serviceData
        self.syncHandle = syncHandle
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        serviceData = try bytes.readUInt16()
        syncHandle = try bytes.readConnectionHandle()
        try bytes.finish()
    }

    package static var octetCount: Int { 6 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(serviceData)
        try output.write(syncHandle)
    }
}

extension HCI.LEPeriodicAdvertisingSetInfoTransfer {
    package init(connectionHandle: HCI.ConnectionHandle, serviceData: UInt16, advertisingHandle: UInt8, _: Void = ()) {
        self.connectionHandle = connectionHandle
        self.serviceData = serviceData
        self.advertisingHandle = advertisingHandle
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        serviceData = try bytes.readUInt16()
        advertisingHandle = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 5 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(serviceData)
        try output.write(advertisingHandle)
    }
}

extension HCI.LESetPeriodicAdvertisingSyncTransferParameters {
    package init(
        connectionHandle: HCI.ConnectionHandle, mode: HCI.SyncTransferMode, skip: UInt16, syncTimeout: UInt16,
        excludedToneExtensions: HCI.ExcludedToneExtensions = [], _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.mode = mode
        self.skip = skip
        self.syncTimeout = syncTimeout
        self.excludedToneExtensions = excludedToneExtensions
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        mode = HCI.SyncTransferMode(rawValue: try bytes.readUInt8())
        skip = try bytes.readUInt16()
        syncTimeout = try bytes.readUInt16()
        excludedToneExtensions = HCI.ExcludedToneExtensions(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(mode.rawValue)
        try output.write(skip)
        try output.write(syncTimeout)
        try output.write(excludedToneExtensions.rawValue)
    }
}

extension HCI.LESetDefaultPeriodicAdvertisingSyncTransferParameters {
    package init(
        mode: HCI.SyncTransferMode, skip: UInt16, syncTimeout: UInt16,
        excludedToneExtensions: HCI.ExcludedToneExtensions = [], _: Void = ()
    ) {
        self.mode = mode
        self.skip = skip
        self.syncTimeout = syncTimeout
        self.excludedToneExtensions = excludedToneExtensions
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        mode = HCI.SyncTransferMode(rawValue: try bytes.readUInt8())
        skip = try bytes.readUInt16()
        syncTimeout = try bytes.readUInt16()
        excludedToneExtensions = HCI.ExcludedToneExtensions(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 6 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(mode.rawValue)
        try output.write(skip)
        try output.write(syncTimeout)
        try output.write(excludedToneExtensions.rawValue)
    }
}
