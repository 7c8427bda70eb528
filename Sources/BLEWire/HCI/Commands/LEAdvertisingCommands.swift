/// LE commands of legacy advertising.
extension HCI {
    /// Sets the parameters of legacy advertising (Vol 4, Part E, 7.8.5).
    package struct LESetAdvertisingParameters: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetAdvertisingParameters }

        /// In units of 0.625 ms, 0x0020 to 0x4000.
        package var intervalMinimum: UInt16
        /// In units of 0.625 ms, 0x0020 to 0x4000.
        package var intervalMaximum: UInt16
        package var advertisingType: HCI.AdvertisingType
        package var ownAddressType: HCI.OwnAddressType
        /// For directed advertising.
        package var peerAddress: DeviceAddress
        package var channelMap: HCI.AdvertisingChannelMap
        package var filterPolicy: HCI.AdvertisingFilterPolicy

        package init(
            intervalMinimum: UInt16 = 0x0800, intervalMaximum: UInt16 = 0x0800,
            advertisingType: HCI.AdvertisingType = .connectableUndirected,
            ownAddressType: HCI.OwnAddressType = .public,
            peerAddress: DeviceAddress = DeviceAddress(kind: .public, value: 0),
            channelMap: HCI.AdvertisingChannelMap = .all, filterPolicy: HCI.AdvertisingFilterPolicy = .everyone
        ) {
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.advertisingType = advertisingType
            self.ownAddressType = ownAddressType
            self.peerAddress = peerAddress
            self.channelMap = channelMap
            self.filterPolicy = filterPolicy
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            intervalMinimum = try bytes.readUInt16()
            intervalMaximum = try bytes.readUInt16()
            advertisingType = HCI.AdvertisingType(rawValue: try bytes.readUInt8())
            ownAddressType = HCI.OwnAddressType(rawValue: try bytes.readUInt8())
            peerAddress = try bytes.readTypedAddress()
            channelMap = HCI.AdvertisingChannelMap(rawValue: try bytes.readUInt8())
            filterPolicy = HCI.AdvertisingFilterPolicy(rawValue: try bytes.readUInt8())
            try bytes.finish()
        }

        package var encodedCount: Int { 15 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(intervalMinimum)
            try output.write(intervalMaximum)
            try output.write(advertisingType.rawValue)
            try output.write(ownAddressType.rawValue)
            try output.write(typed: peerAddress)
            try output.write(channelMap.rawValue)
            try output.write(filterPolicy.rawValue)
        }
    }

    /// Reads the transmit power of advertising (Vol 4, Part E, 7.8.6).
    package struct LEReadAdvertisingPhysicalChannelTxPower: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadAdvertisingPhysicalChannelTxPower }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            /// In dBm, -20 to 20.
            package var transmitPowerLevel: Int8

            package init(status: HCI.ErrorCode, transmitPowerLevel: Int8) {
                self.status = status
                self.transmitPowerLevel = transmitPowerLevel
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                transmitPowerLevel = try bytes.readInt8()
                try bytes.finish()
            }

            package var encodedCount: Int { 2 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(transmitPowerLevel)
            }
        }
    }

    /// Sets the data of advertising packets (Vol 4, Part E, 7.8.7).
    package struct LESetAdvertisingData: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetAdvertisingData }

        package var data: HCI.AdvertisingData

        package init(data: HCI.AdvertisingData) {
            self.data = data
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            data = try bytes.readAdvertisingData()
            try bytes.finish()
        }

        package var encodedCount: Int { 32 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try data.encode(into: &output)
        }
    }

    /// Sets the data of scan responses (Vol 4, Part E, 7.8.8).
    package struct LESetScanResponseData: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetScanResponseData }

        package var data: HCI.AdvertisingData

        package init(data: HCI.AdvertisingData) {
            self.data = data
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            data = try bytes.readAdvertisingData()
            try bytes.finish()
        }

        package var encodedCount: Int { 32 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try data.encode(into: &output)
        }
    }

    /// Starts or stops advertising (Vol 4, Part E, 7.8.9).
    package struct LESetAdvertisingEnable: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetAdvertisingEnable }

        package var enable: Bool

        package init(enable: Bool) {
            self.enable = enable
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            enable = try bytes.readFlag()
            try bytes.finish()
        }

        package var encodedCount: Int { 1 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(enable ? 1 : 0 as UInt8)
        }
    }
}
