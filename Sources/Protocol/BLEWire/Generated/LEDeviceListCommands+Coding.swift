// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEDeviceListCommands.swift. Do not edit.

extension HCI.LEReadFilterAcceptListSize.ReturnParameters {
    package init(status: HCI.ErrorCode, size: UInt8, _: Void = ()) {
        self.status = status
        self.size = size
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        size = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(size)
    }
}

extension HCI.LEAddDeviceToFilterAcceptList {
    package init(address: DeviceAddress, _: Void = ()) {
        self.address = address
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        address = try bytes.readTypedAddress()
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(typed: address)
    }
}

extension HCI.LERemoveDeviceFromFilterAcceptList {
    package init(address: DeviceAddress, _: Void = ()) {
        self.address = address
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        address = try bytes.readTypedAddress()
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(typed: address)
    }
}

extension HCI.LEReadResolvingListSize.ReturnParameters {
    package init(status: HCI.ErrorCode, size: UInt8, _: Void = ()) {
        self.status = status
        self.size = size
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        size = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(size)
    }
}

extension HCI.LESetAddressResolutionEnable {
    package init(enable: Bool, _: Void = ()) {
        self.enable = enable
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        enable = try bytes.readFlag()
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(enable ? 1 : 0 as UInt8)
    }
}

extension HCI.LESetResolvablePrivateAddressTimeout {
    package init(timeout: UInt16, _: Void = ()) {
        self.timeout = timeout
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        timeout = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(timeout)
    }
}
