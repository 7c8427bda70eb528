// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/LinkLayer/ControlPeriodicSync.swift. Do not edit.

extension LL.PeriodicSyncInd {
    package init(
        identifier: UInt16, syncInfo: LL.SyncInfo, connectionEvent: UInt16, lastPeriodicEvent: UInt16,
        advertiserInfo: LL.PeriodicAdvertiserInfo, phy: LL.PHYSet, advertiser: LL.AdvertiserAddress,
        syncConnectionEvent: UInt16, _: Void = ()
    ) {
        self.identifier = identifier
        self.syncInfo = syncInfo
        self.connectionEvent = connectionEvent
        self.lastPeriodicEvent = lastPeriodicEvent
        self.advertiserInfo = advertiserInfo
        self.phy = phy
        self.advertiser = advertiser
        self.syncConnectionEvent = syncConnectionEvent
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        identifier = try bytes.readUInt16()
        syncInfo = try LL.SyncInfo(takingFrom: &bytes)
        connectionEvent = try bytes.readUInt16()
        lastPeriodicEvent = try bytes.readUInt16()
        advertiserInfo = LL.PeriodicAdvertiserInfo(rawValue: try bytes.readUInt8())
        phy = LL.PHYSet(rawValue: try bytes.readUInt8())
        advertiser = try bytes.readUInt48()
        syncConnectionEvent = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 34 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(identifier)
        try syncInfo.encode(into: &output)
        try output.write(connectionEvent)
        try output.write(lastPeriodicEvent)
        try output.write(advertiserInfo.rawValue)
        try output.write(phy.rawValue)
        try output.writeLittleEndian(advertiser, 6)
        try output.write(syncConnectionEvent)
    }
}

extension LL.PeriodicSyncWRInd {
    package init(
        identifier: UInt16, syncInfo: LL.SyncInfo, connectionEvent: UInt16, lastPeriodicEvent: UInt16,
        advertiserInfo: LL.PeriodicAdvertiserInfo, phy: LL.PHYSet, advertiser: LL.AdvertiserAddress,
        syncConnectionEvent: UInt16, responseAccessAddress: UInt32, subeventCount: UInt8, subeventInterval: UInt8,
        responseSlotDelay: UInt8, responseSlotSpacing: UInt8, _: Void = ()
    ) {
        self.identifier = identifier
        self.syncInfo = syncInfo
        self.connectionEvent = connectionEvent
        self.lastPeriodicEvent = lastPeriodicEvent
        self.advertiserInfo = advertiserInfo
        self.phy = phy
        self.advertiser = advertiser
        self.syncConnectionEvent = syncConnectionEvent
        self.responseAccessAddress = responseAccessAddress
        self.subeventCount = subeventCount
        self.subeventInterval = subeventInterval
        self.responseSlotDelay = responseSlotDelay
        self.responseSlotSpacing = responseSlotSpacing
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        identifier = try bytes.readUInt16()
        syncInfo = try LL.SyncInfo(takingFrom: &bytes)
        connectionEvent = try bytes.readUInt16()
        lastPeriodicEvent = try bytes.readUInt16()
        advertiserInfo = LL.PeriodicAdvertiserInfo(rawValue: try bytes.readUInt8())
        phy = LL.PHYSet(rawValue: try bytes.readUInt8())
        advertiser = try bytes.readUInt48()
        syncConnectionEvent = try bytes.readUInt16()
        responseAccessAddress = try bytes.readUInt32()
        subeventCount = try bytes.readUInt8()
        subeventInterval = try bytes.readUInt8()
        responseSlotDelay = try bytes.readUInt8()
        responseSlotSpacing = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 42 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(identifier)
        try syncInfo.encode(into: &output)
        try output.write(connectionEvent)
        try output.write(lastPeriodicEvent)
        try output.write(advertiserInfo.rawValue)
        try output.write(phy.rawValue)
        try output.writeLittleEndian(advertiser, 6)
        try output.write(syncConnectionEvent)
        try output.write(responseAccessAddress)
        try output.write(subeventCount)
        try output.write(subeventInterval)
        try output.write(responseSlotDelay)
        try output.write(responseSlotSpacing)
    }
}
