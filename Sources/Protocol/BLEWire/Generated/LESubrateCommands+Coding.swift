// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LESubrateCommands.swift. Do not edit.

extension HCI.LERequestPeerSCA {
    package init(connectionHandle: HCI.ConnectionHandle, _: Void = ()) {
        self.connectionHandle = connectionHandle
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
    }
}

extension HCI.LESetHostFeature {
    package init(bitNumber: UInt8, isOn: Bool, _: Void = ()) {
        self.bitNumber = bitNumber
        self.isOn = isOn
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        bitNumber = try bytes.readUInt8()
        isOn = try bytes.readFlag()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(bitNumber)
        try output.write(isOn ? 1 : 0 as UInt8)
    }
}

extension HCI.LESetDefaultSubrate {
    package init(
        factorMinimum: UInt16 = 1, factorMaximum: UInt16 = 1, maximumLatency: UInt16 = 0,
        continuationNumber: UInt16 = 0, supervisionTimeout: UInt16 = 0x0C80, _: Void = ()
    ) {
        self.factorMinimum = factorMinimum
        self.factorMaximum = factorMaximum
        self.maximumLatency = maximumLatency
        self.continuationNumber = continuationNumber
        self.supervisionTimeout = supervisionTimeout
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        factorMinimum = try bytes.readUInt16()
        factorMaximum = try bytes.readUInt16()
        maximumLatency = try bytes.readUInt16()
        continuationNumber = try bytes.readUInt16()
        supervisionTimeout = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 10 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(factorMinimum)
        try output.write(factorMaximum)
        try output.write(maximumLatency)
        try output.write(continuationNumber)
        try output.write(supervisionTimeout)
    }
}

extension HCI.LESubrateRequest {
    package init(
        connectionHandle: HCI.ConnectionHandle, factorMinimum: UInt16, factorMaximum: UInt16, maximumLatency: UInt16,
        continuationNumber: UInt16, supervisionTimeout: UInt16, _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.factorMinimum = factorMinimum
        self.factorMaximum = factorMaximum
        self.maximumLatency = maximumLatency
        self.continuationNumber = continuationNumber
        self.supervisionTimeout = supervisionTimeout
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        factorMinimum = try bytes.readUInt16()
        factorMaximum = try bytes.readUInt16()
        maximumLatency = try bytes.readUInt16()
        continuationNumber = try bytes.readUInt16()
        supervisionTimeout = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 12 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(factorMinimum)
        try output.write(factorMaximum)
        try output.write(maximumLatency)
        try output.write(continuationNumber)
        try output.write(supervisionTimeout)
    }
}

extension HCI.LERequestPeerSCAComplete {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, clockAccuracy: HCI.ClockAccuracy, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.clockAccuracy = clockAccuracy
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        clockAccuracy = HCI.ClockAccuracy(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(clockAccuracy.rawValue)
    }
}

extension HCI.LESubrateChange {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, factor: UInt16, latency: UInt16,
        continuationNumber: UInt16, supervisionTimeout: UInt16, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.factor = factor
        self.latency = latency
        self.continuationNumber = continuationNumber
        self.supervisionTimeout = supervisionTimeout
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        factor = try bytes.readUInt16()
        latency = try bytes.readUInt16()
        continuationNumber = try bytes.readUInt16()
        supervisionTimeout = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 11 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(factor)
        try output.write(latency)
        try output.write(continuationNumber)
        try output.write(supervisionTimeout)
    }
}
