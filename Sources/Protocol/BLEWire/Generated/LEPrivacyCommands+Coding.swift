// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEPrivacyCommands.swift. Do not edit.

extension HCI.LEAddDeviceToResolvingList {
    package init(identity: DeviceAddress, peerKey: IdentityResolvingKey, localKey: IdentityResolvingKey, _: Void = ()) {
        self.identity = identity
        self.peerKey = peerKey
        self.localKey = localKey
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        identity = try bytes.readTypedAddress()
        peerKey = IdentityResolvingKey(value: try bytes.readUInt128())
        localKey = IdentityResolvingKey(value: try bytes.readUInt128())
        try bytes.finish()
    }

    package static var octetCount: Int { 39 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(typed: identity)
        try output.write(peerKey.value)
        try output.write(localKey.value)
    }
}

extension HCI.LERemoveDeviceFromResolvingList {
    package init(identity: DeviceAddress, _: Void = ()) {
        self.identity = identity
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        identity = try bytes.readTypedAddress()
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(typed: identity)
    }
}

extension HCI.ResolvableAddressReturn {
    package init(status: HCI.ErrorCode, address: HCI.RandomDeviceAddress, _: Void = ()) {
        self.status = status
        self.address = address
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        address = try bytes.readAddress(.random)
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.writeLittleEndian(address.value, 6)
    }
}

extension HCI.LEReadPeerResolvableAddress {
    package init(identity: DeviceAddress, _: Void = ()) {
        self.identity = identity
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        identity = try bytes.readTypedAddress()
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(typed: identity)
    }
}

extension HCI.LEReadLocalResolvableAddress {
    package init(identity: DeviceAddress, _: Void = ()) {
        self.identity = identity
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        identity = try bytes.readTypedAddress()
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(typed: identity)
    }
}

extension HCI.LESetPrivacyMode {
    package init(identity: DeviceAddress, mode: PrivacyMode, _: Void = ()) {
        self.identity = identity
        self.mode = mode
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        identity = try bytes.readTypedAddress()
        mode = PrivacyMode(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(typed: identity)
        try output.write(mode.rawValue)
    }
}
