/// LE commands for the filter accept list, the resolving list and private addresses.
extension HCI {
    /// Reads the capacity of the filter accept list, in devices (Vol 4, Part E, 7.8.14).
    package struct LEReadFilterAcceptListSize: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadFilterAcceptListSize }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var size: UInt8

            package init(status: HCI.ErrorCode, size: UInt8) {
                self.status = status
                self.size = size
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                size = try bytes.readUInt8()
                try bytes.finish()
            }

            package var encodedCount: Int { 2 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(size)
            }
        }
    }

    /// Empties the filter accept list (Vol 4, Part E, 7.8.15).
    package struct LEClearFilterAcceptList: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leClearFilterAcceptList }

        package init() {}
    }

    /// Adds a device to the filter accept list (Vol 4, Part E, 7.8.16).
    package struct LEAddDeviceToFilterAcceptList: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leAddDeviceToFilterAcceptList }

        package var address: DeviceAddress

        package init(address: DeviceAddress) {
            self.address = address
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            address = try bytes.readTypedAddress()
            try bytes.finish()
        }

        package var encodedCount: Int { 7 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(typed: address)
        }
    }

    /// Removes a device from the filter accept list (Vol 4, Part E, 7.8.17).
    package struct LERemoveDeviceFromFilterAcceptList: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leRemoveDeviceFromFilterAcceptList }

        package var address: DeviceAddress

        package init(address: DeviceAddress) {
            self.address = address
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            address = try bytes.readTypedAddress()
            try bytes.finish()
        }

        package var encodedCount: Int { 7 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(typed: address)
        }
    }

    /// Empties the resolving list (Vol 4, Part E, 7.8.40).
    package struct LEClearResolvingList: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leClearResolvingList }

        package init() {}
    }

    /// Reads the capacity of the resolving list, in devices (Vol 4, Part E, 7.8.41).
    package struct LEReadResolvingListSize: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadResolvingListSize }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var size: UInt8

            package init(status: HCI.ErrorCode, size: UInt8) {
                self.status = status
                self.size = size
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                size = try bytes.readUInt8()
                try bytes.finish()
            }

            package var encodedCount: Int { 2 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(size)
            }
        }
    }

    /// Turns address resolution in the controller on or off (Vol 4, Part E, 7.8.44).
    package struct LESetAddressResolutionEnable: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetAddressResolutionEnable }

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

    /// Sets the lifetime of a resolvable private address (Vol 4, Part E, 7.8.45).
    package struct LESetResolvablePrivateAddressTimeout: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetResolvablePrivateAddressTimeout }

        /// In seconds, 1 to 3600.
        package var timeout: UInt16

        package init(timeout: UInt16) {
            self.timeout = timeout
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            timeout = try bytes.readUInt16()
            try bytes.finish()
        }

        package var encodedCount: Int { 2 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(timeout)
        }
    }
}
