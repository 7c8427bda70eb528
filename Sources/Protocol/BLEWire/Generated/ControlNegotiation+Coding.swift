// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/LinkLayer/ControlNegotiation.swift. Do not edit.

extension LL.FeatureReq {
    package init(features: LL.FeatureSet, _: Void = ()) {
        self.features = features
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        features = LL.FeatureSet(rawValue: try bytes.readUInt64())
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(features.rawValue)
    }
}

extension LL.FeatureRsp {
    package init(features: LL.FeatureSet, _: Void = ()) {
        self.features = features
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        features = LL.FeatureSet(rawValue: try bytes.readUInt64())
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(features.rawValue)
    }
}

extension LL.PeripheralFeatureReq {
    package init(features: LL.FeatureSet, _: Void = ()) {
        self.features = features
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        features = LL.FeatureSet(rawValue: try bytes.readUInt64())
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(features.rawValue)
    }
}

extension LL.LengthReq {
    package init(maxRxOctets: UInt16, maxRxTime: UInt16, maxTxOctets: UInt16, maxTxTime: UInt16, _: Void = ()) {
        self.maxRxOctets = maxRxOctets
        self.maxRxTime = maxRxTime
        self.maxTxOctets = maxTxOctets
        self.maxTxTime = maxTxTime
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        maxRxOctets = try bytes.readUInt16()
        maxRxTime = try bytes.readUInt16()
        maxTxOctets = try bytes.readUInt16()
        maxTxTime = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(maxRxOctets)
        try output.write(maxRxTime)
        try output.write(maxTxOctets)
        try output.write(maxTxTime)
    }
}

extension LL.LengthRsp {
    package init(maxRxOctets: UInt16, maxRxTime: UInt16, maxTxOctets: UInt16, maxTxTime: UInt16, _: Void = ()) {
        self.maxRxOctets = maxRxOctets
        self.maxRxTime = maxRxTime
        self.maxTxOctets = maxTxOctets
        self.maxTxTime = maxTxTime
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        maxRxOctets = try bytes.readUInt16()
        maxRxTime = try bytes.readUInt16()
        maxTxOctets = try bytes.readUInt16()
        maxTxTime = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(maxRxOctets)
        try output.write(maxRxTime)
        try output.write(maxTxOctets)
        try output.write(maxTxTime)
    }
}

extension LL.PHYReq {
    package init(txPHYs: LL.PHYSet, rxPHYs: LL.PHYSet, _: Void = ()) {
        self.txPHYs = txPHYs
        self.rxPHYs = rxPHYs
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        txPHYs = LL.PHYSet(rawValue: try bytes.readUInt8())
        rxPHYs = LL.PHYSet(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(txPHYs.rawValue)
        try output.write(rxPHYs.rawValue)
    }
}

extension LL.PHYRsp {
    package init(txPHYs: LL.PHYSet, rxPHYs: LL.PHYSet, _: Void = ()) {
        self.txPHYs = txPHYs
        self.rxPHYs = rxPHYs
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        txPHYs = LL.PHYSet(rawValue: try bytes.readUInt8())
        rxPHYs = LL.PHYSet(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(txPHYs.rawValue)
        try output.write(rxPHYs.rawValue)
    }
}
