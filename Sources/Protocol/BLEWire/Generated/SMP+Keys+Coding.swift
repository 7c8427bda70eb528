// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/SMP/SMP+Keys.swift. Do not edit.

extension SMP.EncryptionInformation {
    package init(key: LongTermKey, _: Void = ()) {
        self.key = key
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        key = LongTermKey(value: try bytes.readUInt128())
        try bytes.finish()
    }

    package static var octetCount: Int { 16 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(key.value)
    }
}

extension SMP.CentralIdentification {
    package init(diversifier: UInt16, random: UInt64, _: Void = ()) {
        self.diversifier = diversifier
        self.random = random
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        diversifier = try bytes.readUInt16()
        random = try bytes.readUInt64()
        try bytes.finish()
    }

    package static var octetCount: Int { 10 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(diversifier)
        try output.write(random)
    }
}

extension SMP.IdentityInformation {
    package init(key: IdentityResolvingKey, _: Void = ()) {
        self.key = key
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        key = IdentityResolvingKey(value: try bytes.readUInt128())
        try bytes.finish()
    }

    package static var octetCount: Int { 16 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(key.value)
    }
}

extension SMP.SigningInformation {
    package init(key: SignatureKey, _: Void = ()) {
        self.key = key
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        key = SignatureKey(value: try bytes.readUInt128())
        try bytes.finish()
    }

    package static var octetCount: Int { 16 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(key.value)
    }
}
