/// LE Meta events of connections.
extension HCI {
    /// Reports a new connection, or the failure to create one (Vol 4, Part E, 7.7.65.1).
    package struct LEConnectionComplete: HCILEEvent, Hashable, Sendable {
        package static var subeventCode: HCI.LESubeventCode { .connectionComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: UInt16
        package var role: HCI.Role
        package var peerAddress: DeviceAddress
        /// In units of 1.25 ms.
        package var interval: UInt16
        /// In connection events.
        package var latency: UInt16
        /// In units of 10 ms.
        package var supervisionTimeout: UInt16
        /// Valid for the peripheral only.
        package var centralClockAccuracy: HCI.ClockAccuracy

        package init(
            status: HCI.ErrorCode, connectionHandle: UInt16, role: HCI.Role, peerAddress: DeviceAddress,
            interval: UInt16, latency: UInt16, supervisionTimeout: UInt16,
            centralClockAccuracy: HCI.ClockAccuracy = .ppm500
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

        package var encodedCount: Int { 18 }

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

    /// Reports new connection parameters, or the failure to change them (Vol 4, Part E, 7.7.65.3).
    package struct LEConnectionUpdateComplete: HCILEEvent, Hashable, Sendable {
        package static var subeventCode: HCI.LESubeventCode { .connectionUpdateComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: UInt16
        /// In units of 1.25 ms.
        package var interval: UInt16
        /// In connection events.
        package var latency: UInt16
        /// In units of 10 ms.
        package var supervisionTimeout: UInt16

        package init(
            status: HCI.ErrorCode, connectionHandle: UInt16, interval: UInt16, latency: UInt16,
            supervisionTimeout: UInt16
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

        package var encodedCount: Int { 9 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(status.rawValue)
            try output.write(connectionHandle)
            try output.write(interval)
            try output.write(latency)
            try output.write(supervisionTimeout)
        }
    }

    /// Reports the peer's LE features (page 0) (Vol 4, Part E, 7.7.65.4).
    package struct LEReadRemoteFeaturesComplete: HCILEEvent, Hashable, Sendable {
        package static var subeventCode: HCI.LESubeventCode { .readRemoteFeaturesComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: UInt16
        package var features: HCI.LEFeatures

        package init(status: HCI.ErrorCode, connectionHandle: UInt16, features: HCI.LEFeatures) {
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

        package var encodedCount: Int { 11 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(status.rawValue)
            try output.write(connectionHandle)
            try output.write(features.rawValue)
        }
    }

    /// The peer starts encryption, and the controller requires the key (Vol 4, Part E, 7.7.65.5).
    package struct LELongTermKeyRequest: HCILEEvent, Hashable, Sendable {
        package static var subeventCode: HCI.LESubeventCode { .longTermKeyRequest }

        package var connectionHandle: UInt16
        package var randomNumber: UInt64
        package var encryptedDiversifier: UInt16

        package init(connectionHandle: UInt16, randomNumber: UInt64, encryptedDiversifier: UInt16) {
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

        package var encodedCount: Int { 12 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(randomNumber)
            try output.write(encryptedDiversifier)
        }
    }

    /// The peer requests other connection parameters (Vol 4, Part E, 7.7.65.6).
    package struct LERemoteConnectionParameterRequest: HCILEEvent, Hashable, Sendable {
        package static var subeventCode: HCI.LESubeventCode { .remoteConnectionParameterRequest }

        package var connectionHandle: UInt16
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMinimum: UInt16
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMaximum: UInt16
        /// In connection events, 0 to 499.
        package var maximumLatency: UInt16
        /// In units of 10 ms, 0x000A to 0x0C80.
        package var supervisionTimeout: UInt16

        package init(
            connectionHandle: UInt16, intervalMinimum: UInt16, intervalMaximum: UInt16, maximumLatency: UInt16,
            supervisionTimeout: UInt16
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

        package var encodedCount: Int { 10 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(intervalMinimum)
            try output.write(intervalMaximum)
            try output.write(maximumLatency)
            try output.write(supervisionTimeout)
        }
    }

    /// The largest packet of a connection changed (Vol 4, Part E, 7.7.65.7).
    package struct LEDataLengthChange: HCILEEvent, Hashable, Sendable {
        package static var subeventCode: HCI.LESubeventCode { .dataLengthChange }

        package var connectionHandle: UInt16
        /// In octets, 27 to 251.
        package var maximumTxOctets: UInt16
        /// In microseconds.
        package var maximumTxTime: UInt16
        /// In octets, 27 to 251.
        package var maximumRxOctets: UInt16
        /// In microseconds.
        package var maximumRxTime: UInt16

        package init(
            connectionHandle: UInt16, maximumTxOctets: UInt16, maximumTxTime: UInt16, maximumRxOctets: UInt16,
            maximumRxTime: UInt16
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

        package var encodedCount: Int { 10 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(maximumTxOctets)
            try output.write(maximumTxTime)
            try output.write(maximumRxOctets)
            try output.write(maximumRxTime)
        }
    }

    /// Reports a new connection, or the failure to create one, with the resolvable addresses used [v1] (Vol 4, Part E,
    /// 7.7.65.10).
    package struct LEEnhancedConnectionComplete: HCILEEvent, Hashable, Sendable {
        package static var subeventCode: HCI.LESubeventCode { .enhancedConnectionComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: UInt16
        package var role: HCI.Role
        package var peerAddress: DeviceAddress
        /// Zero if none was used.
        package var localResolvablePrivateAddress: DeviceAddress
        /// Zero if none was used.
        package var peerResolvablePrivateAddress: DeviceAddress
        /// In units of 1.25 ms.
        package var interval: UInt16
        /// In connection events.
        package var latency: UInt16
        /// In units of 10 ms.
        package var supervisionTimeout: UInt16
        /// Valid for the peripheral only.
        package var centralClockAccuracy: HCI.ClockAccuracy

        package init(
            status: HCI.ErrorCode, connectionHandle: UInt16, role: HCI.Role, peerAddress: DeviceAddress,
            localResolvablePrivateAddress: DeviceAddress = DeviceAddress(kind: .random, value: 0),
            peerResolvablePrivateAddress: DeviceAddress = DeviceAddress(kind: .random, value: 0), interval: UInt16,
            latency: UInt16, supervisionTimeout: UInt16, centralClockAccuracy: HCI.ClockAccuracy = .ppm500
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

        package var encodedCount: Int { 30 }

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

    /// Reports new PHYs of a connection, or the failure to change them (Vol 4, Part E, 7.7.65.12).
    package struct LEPHYUpdateComplete: HCILEEvent, Hashable, Sendable {
        package static var subeventCode: HCI.LESubeventCode { .phyUpdateComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: UInt16
        package var txPHY: HCI.PHY
        package var rxPHY: HCI.PHY

        package init(status: HCI.ErrorCode, connectionHandle: UInt16, txPHY: HCI.PHY, rxPHY: HCI.PHY) {
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

        package var encodedCount: Int { 5 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(status.rawValue)
            try output.write(connectionHandle)
            try output.write(txPHY.rawValue)
            try output.write(rxPHY.rawValue)
        }
    }

    /// Reports the channel selection algorithm of a connection (Vol 4, Part E, 7.7.65.20).
    package struct LEChannelSelectionAlgorithm: HCILEEvent, Hashable, Sendable {
        package static var subeventCode: HCI.LESubeventCode { .channelSelectionAlgorithm }

        package var connectionHandle: UInt16
        /// 0: algorithm #1. 1: algorithm #2.
        package var algorithm: UInt8

        package init(connectionHandle: UInt16, algorithm: UInt8) {
            self.connectionHandle = connectionHandle
            self.algorithm = algorithm
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            algorithm = try bytes.readUInt8()
            try bytes.finish()
        }

        package var encodedCount: Int { 3 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(algorithm)
        }
    }
}
