/// LE commands for the entries of the resolving list. The commands for the whole list are with the filter accept list.
extension HCI {
    /// Adds a device to the resolving list (Vol 4, Part E, 7.8.38).
    package struct LEAddDeviceToResolvingList: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leAddDeviceToResolvingList }

        /// A public or static random address.
        package var identity: DeviceAddress
        /// All zeros if the peer uses its identity address.
        package var peerKey: IdentityResolvingKey
        /// All zeros if this device uses its identity address with the peer.
        package var localKey: IdentityResolvingKey
    }

    /// Removes a device from the resolving list (Vol 4, Part E, 7.8.39).
    package struct LERemoveDeviceFromResolvingList: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leRemoveDeviceFromResolvingList }

        package var identity: DeviceAddress
    }

    /// A status and a resolvable private address.
    package struct ResolvableAddressReturn: FieldPDU, Hashable {
        package var status: HCI.ErrorCode
        /// Its kind is `.random`; zero after an error.
        package var address: HCI.RandomDeviceAddress
    }

    /// Reads the private address that a peer uses at present (Vol 4, Part E, 7.8.42).
    package struct LEReadPeerResolvableAddress: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leReadPeerResolvableAddress }
        package typealias ReturnParameters = HCI.ResolvableAddressReturn

        package var identity: DeviceAddress
    }

    /// Reads the private address that this device uses with a peer at present (Vol 4, Part E, 7.8.43).
    package struct LEReadLocalResolvableAddress: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leReadLocalResolvableAddress }
        package typealias ReturnParameters = HCI.ResolvableAddressReturn

        package var identity: DeviceAddress
    }

    /// Sets the privacy mode of a device in the resolving list (Vol 4, Part E, 7.8.77).
    package struct LESetPrivacyMode: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetPrivacyMode }

        package var identity: DeviceAddress
        package var mode: PrivacyMode
    }
}
