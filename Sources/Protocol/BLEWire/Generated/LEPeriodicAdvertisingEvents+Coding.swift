// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Events/LEPeriodicAdvertisingEvents.swift. Do not edit.

extension HCI.LEPeriodicAdvertisingSyncEstablished {
    package init(
        status: HCI.ErrorCode, syncHandle: HCI.ConnectionHandle, advertisingSID: UInt8,
        advertiserAddress: DeviceAddress, advertiserPHY: HCI.PHY, interval: UInt16,
        advertiserClockAccuracy: HCI.ClockAccuracy, _: Void = ()
    ) {
        self.status = status
        self.syncHandle = syncHandle
        self.advertisingSID = advertisingSID
        self.advertiserAddress = advertiserAddress
        self.advertiserPHY = advertiserPHY
        self.interval = interval
        self.advertiserClockAccuracy = advertiserClockAccuracy
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        syncHandle = try bytes.readConnectionHandle()
        advertisingSID = try bytes.readUInt8()
        advertiserAddress = try bytes.readTypedAddress()
        advertiserPHY = HCI.PHY(rawValue: try bytes.readUInt8())
        interval = try bytes.readUInt16()
        advertiserClockAccuracy = HCI.ClockAccuracy(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 15 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(syncHandle)
        try output.write(advertisingSID)
        try output.write(typed: advertiserAddress)
        try output.write(advertiserPHY.rawValue)
        try output.write(interval)
        try output.write(advertiserClockAccuracy.rawValue)
    }
}

extension HCI.LEPeriodicAdvertisingSyncEstablishedV2 {
    package init(
        status: HCI.ErrorCode, syncHandle: HCI.ConnectionHandle, advertisingSID: UInt8,
        advertiserAddress: DeviceAddress, advertiserPHY: HCI.PHY, interval: UInt16,
        advertiserClockAccuracy: HCI.ClockAccuracy, subeventCount: UInt8, subeventInterval: UInt8,
        responseSlotDelay: UInt8, responseSlotSpacing: UInt8, _: Void = ()
    ) {
        self.status = status
        self.syncHandle = syncHandle
        self.advertisingSID = advertisingSID
        self.advertiserAddress = advertiserAddress
        self.advertiserPHY = advertiserPHY
        self.interval = interval
        self.advertiserClockAccuracy = advertiserClockAccuracy
        self.subeventCount = subeventCount
        self.subeventInterval = subeventInterval
        self.responseSlotDelay = responseSlotDelay
        self.responseSlotSpacing = responseSlotSpacing
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        syncHandle = try bytes.readConnectionHandle()
        advertisingSID = try bytes.readUInt8()
        advertiserAddress = try bytes.readTypedAddress()
        advertiserPHY = HCI.PHY(rawValue: try bytes.readUInt8())
        interval = try bytes.readUInt16()
        advertiserClockAccuracy = HCI.ClockAccuracy(rawValue: try bytes.readUInt8())
        subeventCount = try bytes.readUInt8()
        subeventInterval = try bytes.readUInt8()
        responseSlotDelay = try bytes.readUInt8()
        responseSlotSpacing = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 19 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(syncHandle)
        try output.write(advertisingSID)
        try output.write(typed: advertiserAddress)
        try output.write(advertiserPHY.rawValue)
        try output.write(interval)
        try output.write(advertiserClockAccuracy.rawValue)
        try output.write(subeventCount)
        try output.write(subeventInterval)
        try output.write(responseSlotDelay)
        try output.write(responseSlotSpacing)
    }
}

extension HCI.LEPeriodicAdvertisingSyncLost {
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

extension HCI.LEPeriodicAdvertisingSyncTransferReceived {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, serviceData: UInt16,
        syncHandle: HCI.ConnectionHandle, advertisingSID: UInt8, advertiserAddress: DeviceAddress,
        advertiserPHY: HCI.PHY, interval: UInt16, advertiserClockAccuracy: HCI.ClockAccuracy, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.serviceData = serviceData
        self.syncHandle = syncHandle
        self.advertisingSID = advertisingSID
        self.advertiserAddress = advertiserAddress
        self.advertiserPHY = advertiserPHY
        self.interval = interval
        self.advertiserClockAccuracy = advertiserClockAccuracy
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        serviceData = try bytes.readUInt16()
        syncHandle = try bytes.readConnectionHandle()
        advertisingSID = try bytes.readUInt8()
        advertiserAddress = try bytes.readTypedAddress()
        advertiserPHY = HCI.PHY(rawValue: try bytes.readUInt8())
        interval = try bytes.readUInt16()
        advertiserClockAccuracy = HCI.ClockAccuracy(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 19 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(serviceData)
        try output.write(syncHandle)
        try output.write(advertisingSID)
        try output.write(typed: advertiserAddress)
        try output.write(advertiserPHY.rawValue)
        try output.write(interval)
        try output.write(advertiserClockAccuracy.rawValue)
    }
}

extension HCI.LEPeriodicAdvertisingSyncTransferReceivedV2 {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, serviceData: UInt16,
        syncHandle: HCI.ConnectionHandle, advertisingSID: UInt8, advertiserAddress: DeviceAddress,
        advertiserPHY: HCI.PHY, interval: UInt16, advertiserClockAccuracy: HCI.ClockAccuracy, subeventCount: UInt8,
        subeventInterval: UInt8, responseSlotDelay: UInt8, responseSlotSpacing: UInt8, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.serviceData = serviceData
        self.syncHandle = syncHandle
        self.advertisingSID = advertisingSID
        self.advertiserAddress = advertiserAddress
        self.advertiserPHY = advertiserPHY
        self.interval = interval
        self.advertiserClockAccuracy = advertiserClockAccuracy
        self.subeventCount = subeventCount
        self.subeventInterval = subeventInterval
        self.responseSlotDelay = responseSlotDelay
        self.responseSlotSpacing = responseSlotSpacing
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        serviceData = try bytes.readUInt16()
        syncHandle = try bytes.readConnectionHandle()
        advertisingSID = try bytes.readUInt8()
        advertiserAddress = try bytes.readTypedAddress()
        advertiserPHY = HCI.PHY(rawValue: try bytes.readUInt8())
        interval = try bytes.readUInt16()
        advertiserClockAccuracy = HCI.ClockAccuracy(rawValue: try bytes.readUInt8())
        subeventCount = try bytes.readUInt8()
        subeventInterval = try bytes.readUInt8()
        responseSlotDelay = try bytes.readUInt8()
        responseSlotSpacing = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 23 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(serviceData)
        try output.write(syncHandle)
        try output.write(advertisingSID)
        try output.write(typed: advertiserAddress)
        try output.write(advertiserPHY.rawValue)
        try output.write(interval)
        try output.write(advertiserClockAccuracy.rawValue)
        try output.write(subeventCount)
        try output.write(subeventInterval)
        try output.write(responseSlotDelay)
        try output.write(responseSlotSpacing)
    }
}

extension HCI.LEPeriodicAdvertisingSubeventDataRequest {
    package init(advertisingHandle: UInt8, subeventStart: UInt8, subeventCount: UInt8, _: Void = ()) {
        self.advertisingHandle = advertisingHandle
        self.subeventStart = subeventStart
        self.subeventCount = subeventCount
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        advertisingHandle = try bytes.readUInt8()
        subeventStart = try bytes.readUInt8()
        subeventCount = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(advertisingHandle)
        try output.write(subeventStart)
        try output.write(subeventCount)
    }
}
