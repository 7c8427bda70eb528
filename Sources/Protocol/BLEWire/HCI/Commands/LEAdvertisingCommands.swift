/// LE commands of legacy advertising.
extension HCI {
    /// Sets the parameters of legacy advertising (Vol 4, Part E, 7.8.5).
    package struct LESetAdvertisingParameters: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetAdvertisingParameters }

        /// In units of 0.625 ms, 0x0020 to 0x4000.
        package var intervalMinimum: UInt16 = 0x0800
        /// In units of 0.625 ms, 0x0020 to 0x4000.
        package var intervalMaximum: UInt16 = 0x0800
        package var advertisingType: HCI.AdvertisingType = .connectableUndirected
        package var ownAddressType: HCI.OwnAddressType = .public
        /// For directed advertising.
        package var peerAddress: DeviceAddress = DeviceAddress(kind: .public, value: 0)
        package var channelMap: HCI.AdvertisingChannelMap = .all
        package var filterPolicy: HCI.AdvertisingFilterPolicy = .everyone
    }

    /// Reads the transmit power of advertising (Vol 4, Part E, 7.8.6).
    package struct LEReadAdvertisingPhysicalChannelTxPower: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadAdvertisingPhysicalChannelTxPower }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            /// In dBm, -20 to 20.
            package var transmitPowerLevel: Int8
        }
    }

    /// Sets the data of advertising packets (Vol 4, Part E, 7.8.7).
    package struct LESetAdvertisingData: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetAdvertisingData }

        package var data: HCI.AdvertisingData
    }

    /// Sets the data of scan responses (Vol 4, Part E, 7.8.8).
    package struct LESetScanResponseData: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetScanResponseData }

        package var data: HCI.AdvertisingData
    }

    /// Starts or stops advertising (Vol 4, Part E, 7.8.9).
    package struct LESetAdvertisingEnable: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetAdvertisingEnable }

        package var enable: Bool
    }
}
