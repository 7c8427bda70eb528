/// LE commands that create and change connections.
extension HCI {
    /// Starts to connect. LE Connection Complete follows (Vol 4, Part E, 7.8.12).
    package struct LECreateConnection: HCIStatusCommand, FieldPDU, Hashable {
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
        package var minimumConnectionEventLength: UInt16 = 0
        /// In units of 0.625 ms.
        package var maximumConnectionEventLength: UInt16 = 0
    }

    /// Cancels LE Create Connection. LE Connection Complete with Unknown Connection Identifier follows (Vol 4, Part E,
    /// 7.8.13).
    package struct LECreateConnectionCancel: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leCreateConnectionCancel }

        package init() {}
    }

    /// Changes the parameters of a connection. LE Connection Update Complete follows (Vol 4, Part E, 7.8.18).
    package struct LEConnectionUpdate: HCIStatusCommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leConnectionUpdate }

        package var connectionHandle: HCI.ConnectionHandle
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMinimum: UInt16
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMaximum: UInt16
        /// In connection events, 0 to 499.
        package var maximumLatency: UInt16
        /// In units of 10 ms, 0x000A to 0x0C80.
        package var supervisionTimeout: UInt16
        /// In units of 0.625 ms.
        package var minimumConnectionEventLength: UInt16 = 0
        /// In units of 0.625 ms.
        package var maximumConnectionEventLength: UInt16 = 0
    }

    /// Reports the bad data channels to the controller (Vol 4, Part E, 7.8.19).
    package struct LESetHostChannelClassification: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetHostChannelClassification }

        package var channelMap: HCI.ChannelMap
    }

    /// Reads the channel map of a connection (Vol 4, Part E, 7.8.20).
    package struct LEReadChannelMap: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leReadChannelMap }

        package var connectionHandle: HCI.ConnectionHandle

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var connectionHandle: HCI.ConnectionHandle
            package var channelMap: HCI.ChannelMap
        }
    }

    /// Requests the LE features of the peer (page 0). LE Read Remote Features Complete follows (Vol 4, Part E, 7.8.21).
    package struct LEReadRemoteFeatures: HCIStatusCommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leReadRemoteFeatures }

        package var connectionHandle: HCI.ConnectionHandle
    }

    /// Accepts the peer's request for other connection parameters (Vol 4, Part E, 7.8.31).
    package struct LERemoteConnectionParameterRequestReply: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leRemoteConnectionParameterRequestReply }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: HCI.ConnectionHandle
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMinimum: UInt16
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMaximum: UInt16
        /// In connection events, 0 to 499.
        package var maximumLatency: UInt16
        /// In units of 10 ms, 0x000A to 0x0C80.
        package var supervisionTimeout: UInt16
        /// In units of 0.625 ms.
        package var minimumConnectionEventLength: UInt16 = 0
        /// In units of 0.625 ms.
        package var maximumConnectionEventLength: UInt16 = 0
    }

    /// Rejects the peer's request for other connection parameters (Vol 4, Part E, 7.8.32).
    package struct LERemoteConnectionParameterRequestNegativeReply: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leRemoteConnectionParameterRequestNegativeReply }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: HCI.ConnectionHandle
        package var reason: HCI.ErrorCode = .unacceptableConnectionParameters
    }
}
