// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEConnectionCommands.swift. Do not edit.

extension HCI.LECreateConnection {
    package init(
        scanInterval: UInt16, scanWindow: UInt16, filterPolicy: HCI.InitiatorFilterPolicy, peerAddress: DeviceAddress,
        ownAddressType: HCI.OwnAddressType, intervalMinimum: UInt16, intervalMaximum: UInt16, maximumLatency: UInt16,
        supervisionTimeout: UInt16, minimumConnectionEventLength: UInt16 = 0, maximumConnectionEventLength: UInt16 = 0,
        _: Void = ()
    ) {
        self.scanInterval = scanInterval
        self.scanWindow = scanWindow
        self.filterPolicy = filterPolicy
        self.peerAddress = peerAddress
        self.ownAddressType = ownAddressType
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.maximumLatency = maximumLatency
        self.supervisionTimeout = supervisionTimeout
        self.minimumConnectionEventLength = minimumConnectionEventLength
        self.maximumConnectionEventLength = maximumConnectionEventLength
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        scanInterval = try bytes.readUInt16()
        scanWindow = try bytes.readUInt16()
        filterPolicy = HCI.InitiatorFilterPolicy(rawValue: try bytes.readUInt8())
        peerAddress = try bytes.readTypedAddress()
        ownAddressType = HCI.OwnAddressType(rawValue: try bytes.readUInt8())
        intervalMinimum = try bytes.readUInt16()
        intervalMaximum = try bytes.readUInt16()
        maximumLatency = try bytes.readUInt16()
        supervisionTimeout = try bytes.readUInt16()
        minimumConnectionEventLength = try bytes.readUInt16()
        maximumConnectionEventLength = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 25 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(scanInterval)
        try output.write(scanWindow)
        try output.write(filterPolicy.rawValue)
        try output.write(typed: peerAddress)
        try output.write(ownAddressType.rawValue)
        try output.write(intervalMinimum)
        try output.write(intervalMaximum)
        try output.write(maximumLatency)
        try output.write(supervisionTimeout)
        try output.write(minimumConnectionEventLength)
        try output.write(maximumConnectionEventLength)
    }
}

extension HCI.LEConnectionUpdate {
    package init(
        connectionHandle: HCI.ConnectionHandle, intervalMinimum: UInt16, intervalMaximum: UInt16,
        maximumLatency: UInt16, supervisionTimeout: UInt16, minimumConnectionEventLength: UInt16 = 0,
        maximumConnectionEventLength: UInt16 = 0, _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.maximumLatency = maximumLatency
        self.supervisionTimeout = supervisionTimeout
        self.minimumConnectionEventLength = minimumConnectionEventLength
        self.maximumConnectionEventLength = maximumConnectionEventLength
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        intervalMinimum = try bytes.readUInt16()
        intervalMaximum = try bytes.readUInt16()
        maximumLatency = try bytes.readUInt16()
        supervisionTimeout = try bytes.readUInt16()
        minimumConnectionEventLength = try bytes.readUInt16()
        maximumConnectionEventLength = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 14 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(intervalMinimum)
        try output.write(intervalMaximum)
        try output.write(maximumLatency)
        try output.write(supervisionTimeout)
        try output.write(minimumConnectionEventLength)
        try output.write(maximumConnectionEventLength)
    }
}

extension HCI.LESetHostChannelClassification {
    package init(channelMap: HCI.ChannelMap, _: Void = ()) {
        self.channelMap = channelMap
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        channelMap = HCI.ChannelMap(rawValue: try bytes.readUInt40())
        try bytes.finish()
    }

    package static var octetCount: Int { 5 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.writeLittleEndian(channelMap.rawValue, 5)
    }
}

extension HCI.LEReadChannelMap {
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

extension HCI.LEReadChannelMap.ReturnParameters {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, channelMap: HCI.ChannelMap, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.channelMap = channelMap
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        channelMap = HCI.ChannelMap(rawValue: try bytes.readUInt40())
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.writeLittleEndian(channelMap.rawValue, 5)
    }
}

extension HCI.LEReadRemoteFeatures {
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

extension HCI.LERemoteConnectionParameterRequestReply {
    package init(
        connectionHandle: HCI.ConnectionHandle, intervalMinimum: UInt16, intervalMaximum: UInt16,
        maximumLatency: UInt16, supervisionTimeout: UInt16, minimumConnectionEventLength: UInt16 = 0,
        maximumConnectionEventLength: UInt16 = 0, _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.maximumLatency = maximumLatency
        self.supervisionTimeout = supervisionTimeout
        self.minimumConnectionEventLength = minimumConnectionEventLength
        self.maximumConnectionEventLength = maximumConnectionEventLength
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        intervalMinimum = try bytes.readUInt16()
        intervalMaximum = try bytes.readUInt16()
        maximumLatency = try bytes.readUInt16()
        supervisionTimeout = try bytes.readUInt16()
        minimumConnectionEventLength = try bytes.readUInt16()
        maximumConnectionEventLength = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 14 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(intervalMinimum)
        try output.write(intervalMaximum)
        try output.write(maximumLatency)
        try output.write(supervisionTimeout)
        try output.write(minimumConnectionEventLength)
        try output.write(maximumConnectionEventLength)
    }
}

extension HCI.LERemoteConnectionParameterRequestNegativeReply {
    package init(
        connectionHandle: HCI.ConnectionHandle, reason: HCI.ErrorCode = .unacceptableConnectionParameters, _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.reason = reason
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        reason = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(reason.rawValue)
    }
}
