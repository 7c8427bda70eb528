// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEControllerCommands.swift. Do not edit.

extension HCI.LESetEventMask {
    package init(mask: HCI.LEEventMask, _: Void = ()) {
        self.mask = mask
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        mask = HCI.LEEventMask(rawValue: try bytes.readUInt64())
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(mask.rawValue)
    }
}

extension HCI.LEReadBufferSize.ReturnParameters {
    package init(status: HCI.ErrorCode, leACLDataPacketLength: UInt16, totalLEACLDataPackets: UInt8, _: Void = ()) {
        self.status = status
        self.leACLDataPacketLength = leACLDataPacketLength
        self.totalLEACLDataPackets = totalLEACLDataPackets
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        leACLDataPacketLength = try bytes.readUInt16()
        totalLEACLDataPackets = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(leACLDataPacketLength)
        try output.write(totalLEACLDataPackets)
    }
}

extension HCI.LEReadBufferSizeV2.ReturnParameters {
    package init(
        status: HCI.ErrorCode, leACLDataPacketLength: UInt16, totalLEACLDataPackets: UInt8, isoDataPacketLength: UInt16,
        totalISODataPackets: UInt8, _: Void = ()
    ) {
        self.status = status
        self.leACLDataPacketLength = leACLDataPacketLength
        self.totalLEACLDataPackets = totalLEACLDataPackets
        self.isoDataPacketLength = isoDataPacketLength
        self.totalISODataPackets = totalISODataPackets
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        leACLDataPacketLength = try bytes.readUInt16()
        totalLEACLDataPackets = try bytes.readUInt8()
        isoDataPacketLength = try bytes.readUInt16()
        totalISODataPackets = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(leACLDataPacketLength)
        try output.write(totalLEACLDataPackets)
        try output.write(isoDataPacketLength)
        try output.write(totalISODataPackets)
    }
}

extension HCI.LEReadLocalSupportedFeatures.ReturnParameters {
    package init(status: HCI.ErrorCode, features: HCI.LEFeatures, _: Void = ()) {
        self.status = status
        self.features = features
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        features = HCI.LEFeatures(rawValue: try bytes.readUInt64())
        try bytes.finish()
    }

    package static var octetCount: Int { 9 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(features.rawValue)
    }
}

extension HCI.LESetRandomAddress {
    package init(address: HCI.RandomDeviceAddress, _: Void = ()) {
        self.address = address
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        address = try bytes.readAddress(.random)
        try bytes.finish()
    }

    package static var octetCount: Int { 6 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.writeLittleEndian(address.value, 6)
    }
}

extension HCI.LEEncrypt {
    package init(key: InlineArray<16, UInt8>, plaintext: InlineArray<16, UInt8>, _: Void = ()) {
        self.key = key
        self.plaintext = plaintext
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        key = try bytes.readArray()
        plaintext = try bytes.readArray()
        try bytes.finish()
    }

    package static var octetCount: Int { 32 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(key)
        try output.write(plaintext)
    }
}

extension HCI.LEEncrypt.ReturnParameters {
    package init(status: HCI.ErrorCode, encrypted: InlineArray<16, UInt8>, _: Void = ()) {
        self.status = status
        self.encrypted = encrypted
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        encrypted = try bytes.readArray()
        try bytes.finish()
    }

    package static var octetCount: Int { 17 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(encrypted)
    }
}

extension HCI.LERand.ReturnParameters {
    package init(status: HCI.ErrorCode, random: UInt64, _: Void = ()) {
        self.status = status
        self.random = random
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        random = try bytes.readUInt64()
        try bytes.finish()
    }

    package static var octetCount: Int { 9 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(random)
    }
}

extension HCI.LEReadSupportedStates.ReturnParameters {
    package init(status: HCI.ErrorCode, states: UInt64, _: Void = ()) {
        self.status = status
        self.states = states
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        states = try bytes.readUInt64()
        try bytes.finish()
    }

    package static var octetCount: Int { 9 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(states)
    }
}

extension HCI.LEReadTransmitPower.ReturnParameters {
    package init(status: HCI.ErrorCode, minimum: Int8, maximum: Int8, _: Void = ()) {
        self.status = status
        self.minimum = minimum
        self.maximum = maximum
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        minimum = try bytes.readInt8()
        maximum = try bytes.readInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(minimum)
        try output.write(maximum)
    }
}
