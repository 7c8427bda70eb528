/// LE commands for the entries of the resolving list. The commands for the whole list are with the filter accept list.
extension HCI {
    /// Adds a device to the resolving list (Vol 4, Part E, 7.8.38).
    package struct LEAddDeviceToResolvingList: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leAddDeviceToResolvingList }

        /// A public or static random address.
        package var identity: DeviceAddress
        /// All zeros if the peer uses its identity address.
        package var peerKey: IdentityResolvingKey
        /// All zeros if this device uses its identity address with the peer.
        package var localKey: IdentityResolvingKey

        package init(identity: DeviceAddress, peerKey: IdentityResolvingKey, localKey: IdentityResolvingKey) {
            self.identity = identity
            self.peerKey = peerKey
            self.localKey = localKey
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            identity = try bytes.readTypedAddress()
            peerKey = try bytes.readResolvingKey()
            localKey = try bytes.readResolvingKey()
            try bytes.finish()
        }

        package var encodedCount: Int { 39 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(typed: identity)
            try output.write(peerKey)
            try output.write(localKey)
        }
    }

    /// Removes a device from the resolving list (Vol 4, Part E, 7.8.39).
    package struct LERemoveDeviceFromResolvingList: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leRemoveDeviceFromResolvingList }

        package var identity: DeviceAddress

        package init(identity: DeviceAddress) {
            self.identity = identity
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            identity = try bytes.readTypedAddress()
            try bytes.finish()
        }

        package var encodedCount: Int { 7 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(typed: identity)
        }
    }

    /// A status and a resolvable private address.
    package struct ResolvableAddressReturn: PDU, Hashable, Sendable {
        package var status: HCI.ErrorCode
        /// Its kind is `.random`; zero after an error.
        package var address: DeviceAddress

        package init(status: HCI.ErrorCode, address: DeviceAddress) {
            self.status = status
            self.address = address
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
            address = try bytes.readAddress(.random)
            try bytes.finish()
        }

        package var encodedCount: Int { 7 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(status.rawValue)
            try output.writeLittleEndian(address.value, 6)
        }
    }

    /// Reads the private address that a peer uses at present (Vol 4, Part E, 7.8.42).
    package struct LEReadPeerResolvableAddress: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadPeerResolvableAddress }
        package typealias ReturnParameters = HCI.ResolvableAddressReturn

        package var identity: DeviceAddress

        package init(identity: DeviceAddress) {
            self.identity = identity
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            identity = try bytes.readTypedAddress()
            try bytes.finish()
        }

        package var encodedCount: Int { 7 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(typed: identity)
        }
    }

    /// Reads the private address that this device uses with a peer at present (Vol 4, Part E, 7.8.43).
    package struct LEReadLocalResolvableAddress: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadLocalResolvableAddress }
        package typealias ReturnParameters = HCI.ResolvableAddressReturn

        package var identity: DeviceAddress

        package init(identity: DeviceAddress) {
            self.identity = identity
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            identity = try bytes.readTypedAddress()
            try bytes.finish()
        }

        package var encodedCount: Int { 7 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(typed: identity)
        }
    }

    /// Sets the privacy mode of a device in the resolving list (Vol 4, Part E, 7.8.77).
    package struct LESetPrivacyMode: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetPrivacyMode }

        package var identity: DeviceAddress
        package var mode: PrivacyMode

        package init(identity: DeviceAddress, mode: PrivacyMode) {
            self.identity = identity
            self.mode = mode
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            identity = try bytes.readTypedAddress()
            mode = PrivacyMode(rawValue: try bytes.readUInt8())
            try bytes.finish()
        }

        package var encodedCount: Int { 8 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(typed: identity)
            try output.write(mode.rawValue)
        }
    }
}

extension Span where Element == UInt8 {
    /// 16 octets, least significant octet first.
    @_lifetime(self: copy self)
    fileprivate mutating func readResolvingKey() throws(DecodeError) -> IdentityResolvingKey {
        let low = try readUInt64()
        return IdentityResolvingKey(value: UInt128(try readUInt64()) << 64 | UInt128(low))
    }
}

extension OutputSpan where Element == UInt8 {
    /// 16 octets, least significant octet first.
    @_lifetime(self: copy self)
    fileprivate mutating func write(_ key: IdentityResolvingKey) throws(EncodeError) {
        try write(UInt64(truncatingIfNeeded: key.value))
        try write(UInt64(truncatingIfNeeded: key.value >> 64))
    }
}
