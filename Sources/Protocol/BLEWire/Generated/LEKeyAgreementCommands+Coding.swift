// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEKeyAgreementCommands.swift. Do not edit.

extension HCI.LEGenerateDHKey {
    package init(remoteKey: P256PublicKey, _: Void = ()) {
        self.remoteKey = remoteKey
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        remoteKey = try bytes.readP256PublicKey()
        try bytes.finish()
    }

    package static var octetCount: Int { 64 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(remoteKey)
    }
}

extension HCI.LEGenerateDHKeyV2 {
    package init(remoteKey: P256PublicKey, keyType: HCI.LEGenerateDHKeyV2.KeyType, _: Void = ()) {
        self.remoteKey = remoteKey
        self.keyType = keyType
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        remoteKey = try bytes.readP256PublicKey()
        keyType = HCI.LEGenerateDHKeyV2.KeyType(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 65 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(remoteKey)
        try output.write(keyType.rawValue)
    }
}
