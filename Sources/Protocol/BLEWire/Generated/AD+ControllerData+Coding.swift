// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/Advertising/AD+ControllerData.swift. Do not edit.

extension AD.ChannelMapUpdate {
    package init(channelMap: LL.ChannelMap, instant: UInt16, _: Void = ()) {
        self.channelMap = channelMap
        self.instant = instant
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        channelMap = LL.ChannelMap(rawValue: try bytes.readUInt40())
        instant = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.writeLittleEndian(channelMap.rawValue, 5)
        try output.write(instant)
    }
}

extension AD.PeriodicResponseTiming {
    package init(
        responseAccessAddress: UInt32, subeventCount: UInt8, subeventInterval: UInt8, responseSlotDelay: UInt8,
        responseSlotSpacing: UInt8, _: Void = ()
    ) {
        self.responseAccessAddress = responseAccessAddress
        self.subeventCount = subeventCount
        self.subeventInterval = subeventInterval
        self.responseSlotDelay = responseSlotDelay
        self.responseSlotSpacing = responseSlotSpacing
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        responseAccessAddress = try bytes.readUInt32()
        subeventCount = try bytes.readUInt8()
        subeventInterval = try bytes.readUInt8()
        responseSlotDelay = try bytes.readUInt8()
        responseSlotSpacing = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(responseAccessAddress)
        try output.write(subeventCount)
        try output.write(subeventInterval)
        try output.write(responseSlotDelay)
        try output.write(responseSlotSpacing)
    }
}
