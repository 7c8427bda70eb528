// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/LinkLayer/ControlUpdates.swift. Do not edit.

extension LL.ConnectionUpdateInd {
    package init(
        windowSize: UInt8, windowOffset: UInt16, interval: UInt16, latency: UInt16, timeout: UInt16, instant: UInt16,
        _: Void = ()
    ) {
        self.windowSize = windowSize
        self.windowOffset = windowOffset
        self.interval = interval
        self.latency = latency
        self.timeout = timeout
        self.instant = instant
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        windowSize = try bytes.readUInt8()
        windowOffset = try bytes.readUInt16()
        interval = try bytes.readUInt16()
        latency = try bytes.readUInt16()
        timeout = try bytes.readUInt16()
        instant = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 11 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(windowSize)
        try output.write(windowOffset)
        try output.write(interval)
        try output.write(latency)
        try output.write(timeout)
        try output.write(instant)
    }
}

extension LL.ChannelMapInd {
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

extension LL.PHYUpdateInd {
    package init(centralToPeripheral: LL.PHYSet, peripheralToCentral: LL.PHYSet, instant: UInt16, _: Void = ()) {
        self.centralToPeripheral = centralToPeripheral
        self.peripheralToCentral = peripheralToCentral
        self.instant = instant
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        centralToPeripheral = LL.PHYSet(rawValue: try bytes.readUInt8())
        peripheralToCentral = LL.PHYSet(rawValue: try bytes.readUInt8())
        instant = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(centralToPeripheral.rawValue)
        try output.write(peripheralToCentral.rawValue)
        try output.write(instant)
    }
}

extension LL.ConnectionParam {
    package init(
        intervalMin: UInt16, intervalMax: UInt16, latency: UInt16, timeout: UInt16, preferredPeriodicity: UInt8,
        referenceConnectionEvent: UInt16, offset0: UInt16, offset1: UInt16, offset2: UInt16, offset3: UInt16,
        offset4: UInt16, offset5: UInt16, _: Void = ()
    ) {
        self.intervalMin = intervalMin
        self.intervalMax = intervalMax
        self.latency = latency
        self.timeout = timeout
        self.preferredPeriodicity = preferredPeriodicity
        self.referenceConnectionEvent = referenceConnectionEvent
        self.offset0 = offset0
        self.offset1 = offset1
        self.offset2 = offset2
        self.offset3 = offset3
        self.offset4 = offset4
        self.offset5 = offset5
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        intervalMin = try bytes.readUInt16()
        intervalMax = try bytes.readUInt16()
        latency = try bytes.readUInt16()
        timeout = try bytes.readUInt16()
        preferredPeriodicity = try bytes.readUInt8()
        referenceConnectionEvent = try bytes.readUInt16()
        offset0 = try bytes.readUInt16()
        offset1 = try bytes.readUInt16()
        offset2 = try bytes.readUInt16()
        offset3 = try bytes.readUInt16()
        offset4 = try bytes.readUInt16()
        offset5 = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 23 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(intervalMin)
        try output.write(intervalMax)
        try output.write(latency)
        try output.write(timeout)
        try output.write(preferredPeriodicity)
        try output.write(referenceConnectionEvent)
        try output.write(offset0)
        try output.write(offset1)
        try output.write(offset2)
        try output.write(offset3)
        try output.write(offset4)
        try output.write(offset5)
    }
}
