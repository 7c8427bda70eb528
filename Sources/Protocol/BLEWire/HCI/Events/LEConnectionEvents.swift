/// LE Meta events of connections.
extension HCI {
    /// Reports a new connection, or the failure to create one (Vol 4, Part E, 7.7.65.1).
    package struct LEConnectionComplete: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .connectionComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        package var role: HCI.Role
        package var peerAddress: DeviceAddress
        /// In units of 1.25 ms.
        package var interval: UInt16
        /// In connection events.
        package var latency: UInt16
        /// In units of 10 ms.
        package var supervisionTimeout: UInt16
        /// Valid for the peripheral only.
        package var centralClockAccuracy: HCI.ClockAccuracy = .ppm500
    }

    /// Reports new connection parameters, or the failure to change them (Vol 4, Part E, 7.7.65.3).
    package struct LEConnectionUpdateComplete: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .connectionUpdateComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        /// In units of 1.25 ms.
        package var interval: UInt16
        /// In connection events.
        package var latency: UInt16
        /// In units of 10 ms.
        package var supervisionTimeout: UInt16
    }

    /// Reports the peer's LE features (page 0) (Vol 4, Part E, 7.7.65.4).
    package struct LEReadRemoteFeaturesComplete: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .readRemoteFeaturesComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        package var features: HCI.LEFeatures
    }

    /// The peer starts encryption, and the controller requires the key (Vol 4, Part E, 7.7.65.5).
    package struct LELongTermKeyRequest: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .longTermKeyRequest }

        package var connectionHandle: HCI.ConnectionHandle
        package var randomNumber: UInt64
        package var encryptedDiversifier: UInt16
    }

    /// The peer requests other connection parameters (Vol 4, Part E, 7.7.65.6).
    package struct LERemoteConnectionParameterRequest: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .remoteConnectionParameterRequest }

        package var connectionHandle: HCI.ConnectionHandle
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMinimum: UInt16
        /// In units of 1.25 ms, 0x0006 to 0x0C80.
        package var intervalMaximum: UInt16
        /// In connection events, 0 to 499.
        package var maximumLatency: UInt16
        /// In units of 10 ms, 0x000A to 0x0C80.
        package var supervisionTimeout: UInt16
    }

    /// The largest packet of a connection changed (Vol 4, Part E, 7.7.65.7).
    package struct LEDataLengthChange: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .dataLengthChange }

        package var connectionHandle: HCI.ConnectionHandle
        /// In octets, 27 to 251.
        package var maximumTxOctets: UInt16
        /// In microseconds.
        package var maximumTxTime: UInt16
        /// In octets, 27 to 251.
        package var maximumRxOctets: UInt16
        /// In microseconds.
        package var maximumRxTime: UInt16
    }

    /// Reports a new connection, or the failure to create one, with the resolvable addresses used [v1] (Vol 4, Part E,
    /// 7.7.65.10).
    package struct LEEnhancedConnectionComplete: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .enhancedConnectionComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        package var role: HCI.Role
        package var peerAddress: DeviceAddress
        /// Zero if none was used.
        package var localResolvablePrivateAddress: HCI.RandomDeviceAddress = DeviceAddress(kind: .random, value: 0)
        /// Zero if none was used.
        package var peerResolvablePrivateAddress: HCI.RandomDeviceAddress = DeviceAddress(kind: .random, value: 0)
        /// In units of 1.25 ms.
        package var interval: UInt16
        /// In connection events.
        package var latency: UInt16
        /// In units of 10 ms.
        package var supervisionTimeout: UInt16
        /// Valid for the peripheral only.
        package var centralClockAccuracy: HCI.ClockAccuracy = .ppm500
    }

    /// Reports new PHYs of a connection, or the failure to change them (Vol 4, Part E, 7.7.65.12).
    package struct LEPHYUpdateComplete: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .phyUpdateComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        package var txPHY: HCI.PHY
        package var rxPHY: HCI.PHY
    }

    /// Reports the channel selection algorithm of a connection (Vol 4, Part E, 7.7.65.20).
    package struct LEChannelSelectionAlgorithm: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .channelSelectionAlgorithm }

        package var connectionHandle: HCI.ConnectionHandle
        /// 0: algorithm #1. 1: algorithm #2.
        package var algorithm: UInt8
    }
}
