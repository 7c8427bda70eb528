/// LE commands that create and change connections.
extension HCI {
    /// Starts to connect. LE Connection Complete follows (Vol 4, Part E, 7.8.12).
    package struct LECreateConnection: HCIStatusCommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leCreateConnection }

        /// In units of 0.625 ms, 0x0004 to 0x4000.
        package var scanInterval: UInt16
        /// In units of 0.625 ms, 0x0004 to 0x4000.
        package var scanWindow: UInt16
        package var filterPolicy: HCI.InitiatorFilterPolicy
        /// Not used with the filter accept list.
        package var peerAddress: DeviceAddress
        package var ownAddressType: HCI.OwnAddressType
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMinimum: UInt16
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMaximum: UInt16
        /// In connection events, 0 to 499.
        package var maximumLatency: UInt16
        /// In units of 10 ms, 0x000A to 0x0C80.
        package var supervisionTimeout: UInt16
        /// In units of 0.625 ms.
        package var minimumConnectionEventLength: UInt16
        /// In units of 0.625 ms.
        package var maximumConnectionEventLength: UInt16

        package init(
            scanInterval: UInt16, scanWindow: UInt16, filterPolicy: HCI.InitiatorFilterPolicy,
            peerAddress: DeviceAddress, ownAddressType: HCI.OwnAddressType, intervalMinimum: UInt16,
            intervalMaximum: UInt16, maximumLatency: UInt16, supervisionTimeout: UInt16,
            minimumConnectionEventLength: UInt16 = 0, maximumConnectionEventLength: UInt16 = 0
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

        package var encodedCount: Int { 25 }

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

    /// Cancels LE Create Connection. LE Connection Complete with Unknown Connection Identifier follows (Vol 4, Part E,
    /// 7.8.13).
    package struct LECreateConnectionCancel: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leCreateConnectionCancel }

        package init() {}
    }

    /// Changes the parameters of a connection. LE Connection Update Complete follows (Vol 4, Part E, 7.8.18).
    package struct LEConnectionUpdate: HCIStatusCommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leConnectionUpdate }

        package var connectionHandle: UInt16
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMinimum: UInt16
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMaximum: UInt16
        /// In connection events, 0 to 499.
        package var maximumLatency: UInt16
        /// In units of 10 ms, 0x000A to 0x0C80.
        package var supervisionTimeout: UInt16
        /// In units of 0.625 ms.
        package var minimumConnectionEventLength: UInt16
        /// In units of 0.625 ms.
        package var maximumConnectionEventLength: UInt16

        package init(
            connectionHandle: UInt16, intervalMinimum: UInt16, intervalMaximum: UInt16, maximumLatency: UInt16,
            supervisionTimeout: UInt16, minimumConnectionEventLength: UInt16 = 0,
            maximumConnectionEventLength: UInt16 = 0
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

        package var encodedCount: Int { 14 }

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

    /// Reports the bad data channels to the controller (Vol 4, Part E, 7.8.19).
    package struct LESetHostChannelClassification: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetHostChannelClassification }

        package var channelMap: HCI.ChannelMap

        package init(channelMap: HCI.ChannelMap) {
            self.channelMap = channelMap
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            channelMap = HCI.ChannelMap(rawValue: try bytes.readUInt40())
            try bytes.finish()
        }

        package var encodedCount: Int { 5 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.writeLittleEndian(channelMap.rawValue, 5)
        }
    }

    /// Reads the channel map of a connection (Vol 4, Part E, 7.8.20).
    package struct LEReadChannelMap: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadChannelMap }

        package var connectionHandle: UInt16

        package init(connectionHandle: UInt16) {
            self.connectionHandle = connectionHandle
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            try bytes.finish()
        }

        package var encodedCount: Int { 2 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
        }

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var connectionHandle: UInt16
            package var channelMap: HCI.ChannelMap

            package init(status: HCI.ErrorCode, connectionHandle: UInt16, channelMap: HCI.ChannelMap) {
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

            package var encodedCount: Int { 8 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(connectionHandle)
                try output.writeLittleEndian(channelMap.rawValue, 5)
            }
        }
    }

    /// Requests the LE features of the peer (page 0). LE Read Remote Features Complete follows (Vol 4, Part E, 7.8.21).
    package struct LEReadRemoteFeatures: HCIStatusCommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadRemoteFeatures }

        package var connectionHandle: UInt16

        package init(connectionHandle: UInt16) {
            self.connectionHandle = connectionHandle
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            try bytes.finish()
        }

        package var encodedCount: Int { 2 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
        }
    }

    /// Accepts the peer's request for other connection parameters (Vol 4, Part E, 7.8.31).
    package struct LERemoteConnectionParameterRequestReply: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leRemoteConnectionParameterRequestReply }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: UInt16
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMinimum: UInt16
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMaximum: UInt16
        /// In connection events, 0 to 499.
        package var maximumLatency: UInt16
        /// In units of 10 ms, 0x000A to 0x0C80.
        package var supervisionTimeout: UInt16
        /// In units of 0.625 ms.
        package var minimumConnectionEventLength: UInt16
        /// In units of 0.625 ms.
        package var maximumConnectionEventLength: UInt16

        package init(
            connectionHandle: UInt16, intervalMinimum: UInt16, intervalMaximum: UInt16, maximumLatency: UInt16,
            supervisionTimeout: UInt16, minimumConnectionEventLength: UInt16 = 0,
            maximumConnectionEventLength: UInt16 = 0
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

        package var encodedCount: Int { 14 }

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

    /// Rejects the peer's request for other connection parameters (Vol 4, Part E, 7.8.32).
    package struct LERemoteConnectionParameterRequestNegativeReply: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leRemoteConnectionParameterRequestNegativeReply }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: UInt16
        package var reason: HCI.ErrorCode

        package init(connectionHandle: UInt16, reason: HCI.ErrorCode = .unacceptableConnectionParameters) {
            self.connectionHandle = connectionHandle
            self.reason = reason
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            reason = HCI.ErrorCode(rawValue: try bytes.readUInt8())
            try bytes.finish()
        }

        package var encodedCount: Int { 3 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(reason.rawValue)
        }
    }
}
