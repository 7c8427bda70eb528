// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Events/LEKeyAgreementEvents.swift. Do not edit.

extension HCI.LEReadLocalP256PublicKeyComplete {
    package init(status: HCI.ErrorCode, publicKey: P256PublicKey, _: Void = ()) {
        self.status = status
        self.publicKey = publicKey
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        publicKey = try bytes.readP256PublicKey()
        try bytes.finish()
    }

    package static var octetCount: Int { 65 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(publicKey)
    }
}

extension HCI.LEGenerateDHKeyComplete {
    package init(status: HCI.ErrorCode, key: SharedSecret, _: Void = ()) {
        self.status = status
        self.key = key
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        key = SharedSecret(value: try bytes.readUInt256())
        try bytes.finish()
    }

    package static var octetCount: Int { 33 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(key.value)
    }
}
