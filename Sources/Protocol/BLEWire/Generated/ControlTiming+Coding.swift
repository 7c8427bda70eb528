// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/LinkLayer/ControlTiming.swift. Do not edit.

extension LL.MinUsedChannelsInd {
    package init(phys: LL.PHYSet, minimum: UInt8, _: Void = ()) {
        self.phys = phys
        self.minimum = minimum
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        phys = LL.PHYSet(rawValue: try bytes.readUInt8())
        minimum = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(phys.rawValue)
        try output.write(minimum)
    }
}

extension LL.ClockAccuracyReq {
    package init(sleepClockAccuracy: UInt8, _: Void = ()) {
        self.sleepClockAccuracy = sleepClockAccuracy
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        sleepClockAccuracy = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(sleepClockAccuracy)
    }
}

extension LL.ClockAccuracyRsp {
    package init(sleepClockAccuracy: UInt8, _: Void = ()) {
        self.sleepClockAccuracy = sleepClockAccuracy
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        sleepClockAccuracy = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(sleepClockAccuracy)
    }
}

extension LL.SubrateReq {
    package init(
        factorMinimum: UInt16, factorMaximum: UInt16, maximumLatency: UInt16, continuationNumber: UInt16,
        timeout: UInt16, _: Void = ()
    ) {
        self.factorMinimum = factorMinimum
        self.factorMaximum = factorMaximum
        self.maximumLatency = maximumLatency
        self.continuationNumber = continuationNumber
        self.timeout = timeout
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        factorMinimum = try bytes.readUInt16()
        factorMaximum = try bytes.readUInt16()
        maximumLatency = try bytes.readUInt16()
        continuationNumber = try bytes.readUInt16()
        timeout = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 10 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(factorMinimum)
        try output.write(factorMaximum)
        try output.write(maximumLatency)
        try output.write(continuationNumber)
        try output.write(timeout)
    }
}

extension LL.SubrateInd {
    package init(
        factor: UInt16, baseEvent: UInt16, latency: UInt16, continuationNumber: UInt16, timeout: UInt16, _: Void = ()
    ) {
        self.factor = factor
        self.baseEvent = baseEvent
        self.latency = latency
        self.continuationNumber = continuationNumber
        self.timeout = timeout
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        factor = try bytes.readUInt16()
        baseEvent = try bytes.readUInt16()
        latency = try bytes.readUInt16()
        continuationNumber = try bytes.readUInt16()
        timeout = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 10 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(factor)
        try output.write(baseEvent)
        try output.write(latency)
        try output.write(continuationNumber)
        try output.write(timeout)
    }
}
