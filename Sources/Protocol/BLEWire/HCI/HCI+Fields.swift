extension HCI {
    /// A connection handle of 12 bits, 0x0000 to 0x0EFF (Vol 4, Part E, 5.4.2).
    package typealias ConnectionHandle = UInt16

    /// An unsigned integer of 24 bits.
    package typealias UInt24 = UInt32

    /// An address that is public by its field's definition: six octets without an address type.
    package typealias PublicDeviceAddress = DeviceAddress

    /// An address that is random by its field's definition: six octets without an address type.
    package typealias RandomDeviceAddress = DeviceAddress
}

/// Fields of many commands and events.
extension Span where Element == UInt8 {
    /// A connection handle of 12 bits. The reserved bits above are ignored (Vol 4, Part E, 5.4.2).
    @inlinable
    @_lifetime(self: copy self)
    package mutating func readConnectionHandle() throws(DecodeError) -> UInt16 {
        try readUInt16() & 0x0FFF
    }

    /// An octet that must be 0 or 1.
    @_lifetime(self: copy self)
    mutating func readFlag() throws(DecodeError) -> Bool {
        switch try readUInt8() {
        case 0: return false
        case 1: return true
        default: throw .invalidValue
        }
    }

    /// Six octets of an address with a known type.
    @_lifetime(self: copy self)
    mutating func readAddress(_ kind: DeviceAddress.Kind) throws(DecodeError) -> DeviceAddress {
        DeviceAddress(kind: kind, value: try readUInt48())
    }

    /// An address type and an address.
    @_lifetime(self: copy self)
    mutating func readTypedAddress() throws(DecodeError) -> DeviceAddress {
        let kind = DeviceAddress.Kind(rawValue: try readUInt8())
        return DeviceAddress(kind: kind, value: try readUInt48())
    }

    /// A length and 31 octets.
    @_lifetime(self: copy self)
    mutating func readAdvertisingData() throws(DecodeError) -> HCI.AdvertisingData {
        let field = try readBytes(HCI.AdvertisingData.encodedLength)
        return try HCI.AdvertisingData(decoding: field)
    }
}

extension OutputSpan where Element == UInt8 {
    /// An address type and an address.
    @_lifetime(self: copy self)
    mutating func write(typed address: DeviceAddress) throws(EncodeError) {
        try write(address.kind.rawValue)
        try writeLittleEndian(address.value, 6)
    }
}
