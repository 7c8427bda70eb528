/// LE commands for the filter accept list, the resolving list and private addresses.
extension HCI {
    /// Reads the capacity of the filter accept list, in devices (Vol 4, Part E, 7.8.14).
    package struct LEReadFilterAcceptListSize: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadFilterAcceptListSize }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var size: UInt8
        }
    }

    /// Empties the filter accept list (Vol 4, Part E, 7.8.15).
    package struct LEClearFilterAcceptList: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leClearFilterAcceptList }

        package init() {}
    }

    /// Adds a device to the filter accept list (Vol 4, Part E, 7.8.16).
    package struct LEAddDeviceToFilterAcceptList: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leAddDeviceToFilterAcceptList }

        package var address: DeviceAddress
    }

    /// Removes a device from the filter accept list (Vol 4, Part E, 7.8.17).
    package struct LERemoveDeviceFromFilterAcceptList: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leRemoveDeviceFromFilterAcceptList }

        package var address: DeviceAddress
    }

    /// Empties the resolving list (Vol 4, Part E, 7.8.40).
    package struct LEClearResolvingList: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leClearResolvingList }

        package init() {}
    }

    /// Reads the capacity of the resolving list, in devices (Vol 4, Part E, 7.8.41).
    package struct LEReadResolvingListSize: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadResolvingListSize }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var size: UInt8
        }
    }

    /// Turns address resolution in the controller on or off (Vol 4, Part E, 7.8.44).
    package struct LESetAddressResolutionEnable: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetAddressResolutionEnable }

        package var enable: Bool
    }

    /// Sets the lifetime of a resolvable private address (Vol 4, Part E, 7.8.45).
    package struct LESetResolvablePrivateAddressTimeout: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetResolvablePrivateAddressTimeout }

        /// In seconds, 1 to 3600.
        package var timeout: UInt16
    }
}
