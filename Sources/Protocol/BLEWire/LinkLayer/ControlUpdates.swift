extension LL {
    /// Changes the parameters of the connection at an instant (Vol 6, Part B, 2.4.2.1).
    package struct ConnectionUpdateInd: ControlPayload, FieldPDU, Hashable {
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
    }

    /// Changes the used channels at an instant (Vol 6, Part B, 2.4.2.2).
    package struct ChannelMapInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .channelMapInd }
        package var channelMap: ChannelMap
        /// The event counter at which the change takes effect.
        package var instant: UInt16
    }

    /// Changes the PHYs at an instant (Vol 6, Part B, 2.4.2.23).
    package struct PHYUpdateInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .phyUpdateInd }
        /// One PHY, or no PHY for no change.
        package var centralToPeripheral: PHYSet
        /// One PHY, or no PHY for no change.
        package var peripheralToCentral: PHYSet
        /// The event counter at which the change takes effect.
        package var instant: UInt16
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
    package struct ConnectionParam<Direction: ConnectionParamDirection>: ControlPayload, FieldPDU, Hashable {
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
    }
}
