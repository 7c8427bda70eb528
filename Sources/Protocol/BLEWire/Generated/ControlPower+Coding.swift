// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/LinkLayer/ControlPower.swift. Do not edit.

extension LL.PowerControlReq {
    package init(phys: LL.PowerPHYSet, delta: Int8, power: Int8, _: Void = ()) {
        self.phys = phys
        self.delta = delta
        self.power = power
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        phys = LL.PowerPHYSet(rawValue: try bytes.readUInt8())
        delta = try bytes.readInt8()
        power = try bytes.readInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(phys.rawValue)
        try output.write(delta)
        try output.write(power)
    }
}

extension LL.PowerControlRsp {
    package init(limits: LL.PowerLimits, delta: Int8, power: Int8, acceptableReduction: UInt8, _: Void = ()) {
        self.limits = limits
        self.delta = delta
        self.power = power
        self.acceptableReduction = acceptableReduction
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        limits = LL.PowerLimits(rawValue: try bytes.readUInt8())
        delta = try bytes.readInt8()
        power = try bytes.readInt8()
        acceptableReduction = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(limits.rawValue)
        try output.write(delta)
        try output.write(power)
        try output.write(acceptableReduction)
    }
}

extension LL.PowerChangeInd {
    package init(phys: LL.PowerPHYSet, limits: LL.PowerLimits, delta: Int8, power: Int8, _: Void = ()) {
        self.phys = phys
        self.limits = limits
        self.delta = delta
        self.power = power
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        phys = LL.PowerPHYSet(rawValue: try bytes.readUInt8())
        limits = LL.PowerLimits(rawValue: try bytes.readUInt8())
        delta = try bytes.readInt8()
        power = try bytes.readInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(phys.rawValue)
        try output.write(limits.rawValue)
        try output.write(delta)
        try output.write(power)
    }
}

extension LL.ChannelReportingInd {
    package init(isOn: Bool, minimumSpacing: UInt8, maximumDelay: UInt8, _: Void = ()) {
        self.isOn = isOn
        self.minimumSpacing = minimumSpacing
        self.maximumDelay = maximumDelay
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        isOn = try bytes.readFlag()
        minimumSpacing = try bytes.readUInt8()
        maximumDelay = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(isOn ? 1 : 0 as UInt8)
        try output.write(minimumSpacing)
        try output.write(maximumDelay)
    }
}

extension LL.ChannelStatusInd {
    package init(classification: LL.ChannelClassification, _: Void = ()) {
        self.classification = classification
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        classification = try bytes.readChannelClassification()
        try bytes.finish()
    }

    package static var octetCount: Int { 10 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(classification)
    }
}
