// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEPowerCommands.swift. Do not edit.

extension HCI.LEEnhancedReadTransmitPowerLevel {
    package init(connectionHandle: HCI.ConnectionHandle, phy: HCI.PowerPHY, _: Void = ()) {
        self.connectionHandle = connectionHandle
        self.phy = phy
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        phy = HCI.PowerPHY(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(phy.rawValue)
    }
}

extension HCI.LEEnhancedReadTransmitPowerLevel.ReturnParameters {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, phy: HCI.PowerPHY, current: Int8, maximum: Int8,
        _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.phy = phy
        self.current = current
        self.maximum = maximum
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        phy = HCI.PowerPHY(rawValue: try bytes.readUInt8())
        current = try bytes.readInt8()
        maximum = try bytes.readInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 6 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(phy.rawValue)
        try output.write(current)
        try output.write(maximum)
    }
}

extension HCI.LEReadRemoteTransmitPowerLevel {
    package init(connectionHandle: HCI.ConnectionHandle, phy: HCI.PowerPHY, _: Void = ()) {
        self.connectionHandle = connectionHandle
        self.phy = phy
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        phy = HCI.PowerPHY(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(phy.rawValue)
    }
}

extension HCI.LESetPathLossReportingParameters {
    package init(
        connectionHandle: HCI.ConnectionHandle, highThreshold: UInt8, highHysteresis: UInt8, lowThreshold: UInt8,
        lowHysteresis: UInt8, minimumTime: UInt16, _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.highThreshold = highThreshold
        self.highHysteresis = highHysteresis
        self.lowThreshold = lowThreshold
        self.lowHysteresis = lowHysteresis
        self.minimumTime = minimumTime
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        highThreshold = try bytes.readUInt8()
        highHysteresis = try bytes.readUInt8()
        lowThreshold = try bytes.readUInt8()
        lowHysteresis = try bytes.readUInt8()
        minimumTime = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(highThreshold)
        try output.write(highHysteresis)
        try output.write(lowThreshold)
        try output.write(lowHysteresis)
        try output.write(minimumTime)
    }
}

extension HCI.LESetPathLossReportingEnable {
    package init(connectionHandle: HCI.ConnectionHandle, isOn: Bool, _: Void = ()) {
        self.connectionHandle = connectionHandle
        self.isOn = isOn
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        isOn = try bytes.readFlag()
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(isOn ? 1 : 0 as UInt8)
    }
}

extension HCI.LESetTransmitPowerReportingEnable {
    package init(connectionHandle: HCI.ConnectionHandle, reportsLocal: Bool, reportsRemote: Bool, _: Void = ()) {
        self.connectionHandle = connectionHandle
        self.reportsLocal = reportsLocal
        self.reportsRemote = reportsRemote
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        reportsLocal = try bytes.readFlag()
        reportsRemote = try bytes.readFlag()
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(reportsLocal ? 1 : 0 as UInt8)
        try output.write(reportsRemote ? 1 : 0 as UInt8)
    }
}

extension HCI.LEPathLossThreshold {
    package init(connectionHandle: HCI.ConnectionHandle, pathLoss: UInt8, zone: HCI.PathLossZone, _: Void = ()) {
        self.connectionHandle = connectionHandle
        self.pathLoss = pathLoss
        self.zone = zone
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        pathLoss = try bytes.readUInt8()
        zone = HCI.PathLossZone(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(pathLoss)
        try output.write(zone.rawValue)
    }
}

extension HCI.LETransmitPowerReporting {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, reason: HCI.TransmitPowerReason,
        phy: HCI.PowerPHY, power: Int8, limits: LL.PowerLimits, delta: Int8, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.reason = reason
        self.phy = phy
        self.power = power
        self.limits = limits
        self.delta = delta
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        reason = HCI.TransmitPowerReason(rawValue: try bytes.readUInt8())
        phy = HCI.PowerPHY(rawValue: try bytes.readUInt8())
        power = try bytes.readInt8()
        limits = LL.PowerLimits(rawValue: try bytes.readUInt8())
        delta = try bytes.readInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(reason.rawValue)
        try output.write(phy.rawValue)
        try output.write(power)
        try output.write(limits.rawValue)
        try output.write(delta)
    }
}
