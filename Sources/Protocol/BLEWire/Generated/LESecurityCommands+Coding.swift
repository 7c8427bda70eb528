// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LESecurityCommands.swift. Do not edit.

extension HCI.LEEnableEncryption {
    package init(
        connectionHandle: HCI.ConnectionHandle, randomNumber: UInt64, encryptedDiversifier: UInt16,
        longTermKey: InlineArray<16, UInt8>, _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.randomNumber = randomNumber
        self.encryptedDiversifier = encryptedDiversifier
        self.longTermKey = longTermKey
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        randomNumber = try bytes.readUInt64()
        encryptedDiversifier = try bytes.readUInt16()
        longTermKey = try bytes.readArray()
        try bytes.finish()
    }

    package static var octetCount: Int { 28 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(randomNumber)
        try output.write(encryptedDiversifier)
        try output.write(longTermKey)
    }
}

extension HCI.LELongTermKeyRequestReply {
    package init(connectionHandle: HCI.ConnectionHandle, longTermKey: InlineArray<16, UInt8>, _: Void = ()) {
        self.connectionHandle = connectionHandle
        self.longTermKey = longTermKey
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        longTermKey = try bytes.readArray()
        try bytes.finish()
    }

    package static var octetCount: Int { 18 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(longTermKey)
    }
}

extension HCI.LELongTermKeyRequestNegativeReply {
    package init(connectionHandle: HCI.ConnectionHandle, _: Void = ()) {
        self.connectionHandle = connectionHandle
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
    }
}
