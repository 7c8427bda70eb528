// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEPeriodicAdvertisingCommands.swift. Do not edit.

extension HCI.LESetPeriodicAdvertisingParameters {
    package init(
        advertisingHandle: UInt8, intervalMinimum: UInt16, intervalMaximum: UInt16,
        properties: HCI.PeriodicAdvertisingProperties = [], _: Void = ()
    ) {
        self.advertisingHandle = advertisingHandle
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.properties = properties
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        advertisingHandle = try bytes.readUInt8()
        intervalMinimum = try bytes.readUInt16()
        intervalMaximum = try bytes.readUInt16()
        properties = HCI.PeriodicAdvertisingProperties(rawValue: try bytes.readUInt16())
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(advertisingHandle)
        try output.write(intervalMinimum)
        try output.write(intervalMaximum)
        try output.write(properties.rawValue)
    }
}

extension HCI.LESetPeriodicAdvertisingParametersV2 {
    package init(
        advertisingHandle: UInt8, intervalMinimum: UInt16, intervalMaximum: UInt16,
        properties: HCI.PeriodicAdvertisingProperties = [], subeventCount: UInt8 = 0, subeventInterval: UInt8 = 0,
        responseSlotDelay: UInt8 = 0, responseSlotSpacing: UInt8 = 0, responseSlotCount: UInt8 = 0, _: Void = ()
    ) {
        self.advertisingHandle = advertisingHandle
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.properties = properties
        self.subeventCount = subeventCount
        self.subeventInterval = subeventInterval
        self.responseSlotDelay = responseSlotDelay
        self.responseSlotSpacing = responseSlotSpacing
        self.responseSlotCount = responseSlotCount
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        advertisingHandle = try bytes.readUInt8()
        intervalMinimum = try bytes.readUInt16()
        intervalMaximum = try bytes.readUInt16()
        properties = HCI.PeriodicAdvertisingProperties(rawValue: try bytes.readUInt16())
        subeventCount = try bytes.readUInt8()
        subeventInterval = try bytes.readUInt8()
        responseSlotDelay = try bytes.readUInt8()
        responseSlotSpacing = try bytes.readUInt8()
        responseSlotCount = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 12 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(advertisingHandle)
        try output.write(intervalMinimum)
        try output.write(intervalMaximum)
        try output.write(properties.rawValue)
        try output.write(subeventCount)
        try output.write(subeventInterval)
        try output.write(responseSlotDelay)
        try output.write(responseSlotSpacing)
        try output.write(responseSlotCount)
    }
}

extension HCI.LESetPeriodicAdvertisingParametersV2.ReturnParameters {
    package init(status: HCI.ErrorCode, advertisingHandle: UInt8, _: Void = ()) {
        self.status = status
        self.advertisingHandle = advertisingHandle
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        advertisingHandle = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(advertisingHandle)
    }
}

extension HCI.LESetPeriodicAdvertisingEnable {
    package init(enable: HCI.PeriodicAdvertisingEnable, advertisingHandle: UInt8, _: Void = ()) {
        self.enable = enable
        self.advertisingHandle = advertisingHandle
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        enable = HCI.PeriodicAdvertisingEnable(rawValue: try bytes.readUInt8())
        advertisingHandle = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(enable.rawValue)
        try output.write(advertisingHandle)
    }
}
