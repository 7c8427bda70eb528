// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/LinkLayer/ControlEncryption.swift. Do not edit.

extension LL.EncReq {
    package init(randomNumber: UInt64, encryptedDiversifier: UInt16, part: LL.SessionPart, _: Void = ()) {
        self.randomNumber = randomNumber
        self.encryptedDiversifier = encryptedDiversifier
        self.part = part
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        randomNumber = try bytes.readUInt64()
        encryptedDiversifier = try bytes.readUInt16()
        part = try bytes.readSessionPart()
        try bytes.finish()
    }

    package static var octetCount: Int { 22 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(randomNumber)
        try output.write(encryptedDiversifier)
        try output.write(part)
    }
}

extension LL.EncRsp {
    package init(part: LL.SessionPart, _: Void = ()) {
        self.part = part
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        part = try bytes.readSessionPart()
        try bytes.finish()
    }

    package static var octetCount: Int { 12 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(part)
    }
}
