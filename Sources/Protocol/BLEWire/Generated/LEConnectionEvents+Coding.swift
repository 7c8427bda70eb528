// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Events/LEConnectionEvents.swift. Do not edit.

extension HCI.LEConnectionComplete {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, role: HCI.Role, peerAddress: DeviceAddress,
        interval: UInt16, latency: UInt16, supervisionTimeout: UInt16,
        centralClockAccuracy: HCI.ClockAccuracy = .ppm500, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.role = role
        self.peerAddress = peerAddress
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
        self.centralClockAccuracy = centralClockAccuracy
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        role = HCI.Role(rawValue: try bytes.readUInt8())
        peerAddress = try bytes.readTypedAddress()
        interval = try bytes.readUInt16()
        latency = try bytes.readUInt16()
        supervisionTimeout = try bytes.readUInt16()
        centralClockAccuracy = HCI.ClockAccuracy(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 18 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(role.rawValue)
        try output.write(typed: peerAddress)
        try output.write(interval)
        try output.write(latency)
        try output.write(supervisionTimeout)
        try output.write(centralClockAccuracy.rawValue)
    }
}

extension HCI.LEConnectionUpdateComplete {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, interval: UInt16, latency: UInt16,
        supervisionTimeout: UInt16, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        interval = try bytes.readUInt16()
        latency = try bytes.readUInt16()
        supervisionTimeout = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 9 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(interval)
        try output.write(latency)
        try output.write(supervisionTimeout)
    }
}

extension HCI.LEReadRemoteFeaturesComplete {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, features: HCI.LEFeatures, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.features = features
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        features = HCI.LEFeatures(rawValue: try bytes.readUInt64())
        try bytes.finish()
    }

    package static var octetCount: Int { 11 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(features.rawValue)
    }
}

extension HCI.LELongTermKeyRequest {
    package init(
        connectionHandle: HCI.ConnectionHandle, randomNumber: UInt64, encryptedDiversifier: UInt16, _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.randomNumber = randomNumber
        self.encryptedDiversifier = encryptedDiversifier
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        randomNumber = try bytes.readUInt64()
        encryptedDiversifier = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 12 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(randomNumber)
        try output.write(encryptedDiversifier)
    }
}

extension HCI.LERemoteConnectionParameterRequest {
    package init(
        connectionHandle: HCI.ConnectionHandle, intervalMinimum: UInt16, intervalMaximum: UInt16,
        maximumLatency: UInt16, supervisionTimeout: UInt16, _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.maximumLatency = maximumLatency
        self.supervisionTimeout = supervisionTimeout
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        intervalMinimum = try bytes.readUInt16()
        intervalMaximum = try bytes.readUInt16()
        maximumLatency = try bytes.readUInt16()
        supervisionTimeout = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 10 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(intervalMinimum)
        try output.write(intervalMaximum)
        try output.write(maximumLatency)
        try output.write(supervisionTimeout)
    }
}

extension HCI.LEDataLengthChange {
    package init(
        connectionHandle: HCI.ConnectionHandle, maximumTxOctets: UInt16, maximumTxTime: UInt16, maximumRxOctets: UInt16,
        maximumRxTime: UInt16, _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.maximumTxOctets = maximumTxOctets
        self.maximumTxTime = maximumTxTime
        self.maximumRxOctets = maximumRxOctets
        self.maximumRxTime = maximumRxTime
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        maximumTxOctets = try bytes.readUInt16()
        maximumTxTime = try bytes.readUInt16()
        maximumRxOctets = try bytes.readUInt16()
        maximumRxTime = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 10 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(maximumTxOctets)
        try output.write(maximumTxTime)
        try output.write(maximumRxOctets)
        try output.write(maximumRxTime)
    }
}

extension HCI.LEEnhancedConnectionComplete {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, role: HCI.Role, peerAddress: DeviceAddress,
        localResolvablePrivateAddress: HCI.RandomDeviceAddress = DeviceAddress(kind: .random, value: 0),
        peerResolvablePrivateAddress: HCI.RandomDeviceAddress = DeviceAddress(kind: .random, value: 0),
        interval: UInt16, latency: UInt16, supervisionTimeout: UInt16,
        centralClockAccuracy: HCI.ClockAccuracy = .ppm500, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.role = role
        self.peerAddress = peerAddress
        self.localResolvablePrivateAddress = localResolvablePrivateAddress
        self.peerResolvablePrivateAddress = peerResolvablePrivateAddress
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
        self.centralClockAccuracy = centralClockAccuracy
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        role = HCI.Role(rawValue: try bytes.readUInt8())
        peerAddress = try bytes.readTypedAddress()
        localResolvablePrivateAddress = try bytes.readAddress(.random)
        peerResolvablePrivateAddress = try bytes.readAddress(.random)
        interval = try bytes.readUInt16()
        latency = try bytes.readUInt16()
        supervisionTimeout = try bytes.readUInt16()
        centralClockAccuracy = HCI.ClockAccuracy(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 30 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(role.rawValue)
        try output.write(typed: peerAddress)
        try output.writeLittleEndian(localResolvablePrivateAddress.value, 6)
        try output.writeLittleEndian(peerResolvablePrivateAddress.value, 6)
        try output.write(interval)
        try output.write(latency)
        try output.write(supervisionTimeout)
        try output.write(centralClockAccuracy.rawValue)
    }
}

extension HCI.LEPHYUpdateComplete {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, txPHY: HCI.PHY, rxPHY: HCI.PHY, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.txPHY = txPHY
        self.rxPHY = rxPHY
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        txPHY = HCI.PHY(rawValue: try bytes.readUInt8())
        rxPHY = HCI.PHY(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 5 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(txPHY.rawValue)
        try output.write(rxPHY.rawValue)
    }
}

extension HCI.LEChannelSelectionAlgorithm {
    package init(connectionHandle: HCI.ConnectionHandle, algorithm: UInt8, _: Void = ()) {
        self.connectionHandle = connectionHandle
        self.algorithm = algorithm
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        algorithm = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(algorithm)
    }
}
