extension LL {
    /// Changes the parameters of the connection at an instant (Vol 6, Part B, 2.4.2.1).
    package struct ConnectionUpdateInd: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .connectionUpdateInd }
        /// In units of 1.25 ms.
        package var windowSize: UInt8
        /// In units of 1.25 ms.
        package var windowOffset: UInt16
        /// In units of 1.25 ms, 6 to 3200.
        package var interval: UInt16
        /// The number of connection events that the peripheral may skip, 0 to 499.
        package var latency: UInt16
        /// Supervision timeout in units of 10 ms, 10 to 3200.
        package var timeout: UInt16
        /// The event counter at which the change takes effect.
        package var instant: UInt16

        package init(
            windowSize: UInt8, windowOffset: UInt16, interval: UInt16, latency: UInt16, timeout: UInt16,
            instant: UInt16
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

        package var encodedCount: Int { 11 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(windowSize)
            try output.write(windowOffset)
            try output.write(interval)
            try output.write(latency)
            try output.write(timeout)
            try output.write(instant)
        }
    }

    /// Changes the used channels at an instant (Vol 6, Part B, 2.4.2.2).
    package struct ChannelMapInd: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .channelMapInd }
        package var channelMap: ChannelMap
        /// The event counter at which the change takes effect.
        package var instant: UInt16

        package init(channelMap: ChannelMap, instant: UInt16) {
            self.channelMap = channelMap
            self.instant = instant
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            channelMap = ChannelMap(rawValue: try bytes.readUInt40())
            instant = try bytes.readUInt16()
            try bytes.finish()
        }

        package var encodedCount: Int { 7 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.writeLittleEndian(channelMap.rawValue, 5)
            try output.write(instant)
        }
    }

    /// Changes the PHYs at an instant (Vol 6, Part B, 2.4.2.23).
    package struct PHYUpdateInd: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .phyUpdateInd }
        /// One PHY, or no PHY for no change.
        package var centralToPeripheral: PHYSet
        /// One PHY, or no PHY for no change.
        package var peripheralToCentral: PHYSet
        /// The event counter at which the change takes effect.
        package var instant: UInt16

        package init(centralToPeripheral: PHYSet, peripheralToCentral: PHYSet, instant: UInt16) {
            self.centralToPeripheral = centralToPeripheral
            self.peripheralToCentral = peripheralToCentral
            self.instant = instant
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            centralToPeripheral = PHYSet(rawValue: try bytes.readUInt8())
            peripheralToCentral = PHYSet(rawValue: try bytes.readUInt8())
            instant = try bytes.readUInt16()
            try bytes.finish()
        }

        package var encodedCount: Int { 4 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(centralToPeripheral.rawValue)
            try output.write(peripheralToCentral.rawValue)
            try output.write(instant)
        }
    }

    /// Whether connection parameters are requested or accepted.
    package protocol ConnectionParamDirection: Sendable {
        static var opcode: ControlOpcode { get }
    }

    package enum ConnectionParamRequest: ConnectionParamDirection {
        package static var opcode: ControlOpcode { .connectionParamReq }
    }

    package enum ConnectionParamResponse: ConnectionParamDirection {
        package static var opcode: ControlOpcode { .connectionParamRsp }
    }

    /// Requests new connection parameters.
    package typealias ConnectionParamReq = ConnectionParam<ConnectionParamRequest>
    /// Accepts new connection parameters.
    package typealias ConnectionParamRsp = ConnectionParam<ConnectionParamResponse>

    /// The fields that LL_CONNECTION_PARAM_REQ and LL_CONNECTION_PARAM_RSP share (Vol 6, Part B, 2.4.2.16 and
    /// 2.4.2.17).
    package struct ConnectionParam<Direction: ConnectionParamDirection>: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { Direction.opcode }
        /// In units of 1.25 ms.
        package var intervalMin: UInt16
        /// In units of 1.25 ms.
        package var intervalMax: UInt16
        package var latency: UInt16
        /// In units of 10 ms.
        package var timeout: UInt16
        /// The preferred divisor of the interval, in units of 1.25 ms; 0 for any interval.
        package var preferredPeriodicity: UInt8
        /// The event counter from which the offsets count.
        package var referenceConnectionEvent: UInt16
        /// Preferred offsets of the new anchor, best first; 0xFFFF for none.
        package var offset0: UInt16
        package var offset1: UInt16
        package var offset2: UInt16
        package var offset3: UInt16
        package var offset4: UInt16
        package var offset5: UInt16

        package init(
            intervalMin: UInt16, intervalMax: UInt16, latency: UInt16, timeout: UInt16,
            preferredPeriodicity: UInt8, referenceConnectionEvent: UInt16, offset0: UInt16, offset1: UInt16,
            offset2: UInt16, offset3: UInt16, offset4: UInt16, offset5: UInt16
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

        package var encodedCount: Int { 23 }

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
}
