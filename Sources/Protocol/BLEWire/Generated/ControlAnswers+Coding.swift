// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/LinkLayer/ControlAnswers.swift. Do not edit.

extension LL.TerminateInd {
    package init(reason: UInt8, _: Void = ()) {
        self.reason = reason
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        reason = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(reason)
    }
}

extension LL.UnknownRsp {
    package init(unknownType: LL.ControlOpcode, _: Void = ()) {
        self.unknownType = unknownType
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        unknownType = LL.ControlOpcode(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(unknownType.rawValue)
    }
}

extension LL.VersionInd {
    package init(version: UInt8, company: UInt16, subversion: UInt16, _: Void = ()) {
        self.version = version
        self.company = company
        self.subversion = subversion
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        version = try bytes.readUInt8()
        company = try bytes.readUInt16()
        subversion = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 5 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(version)
        try output.write(company)
        try output.write(subversion)
    }
}

extension LL.RejectInd {
    package init(errorCode: UInt8, _: Void = ()) {
        self.errorCode = errorCode
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        errorCode = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(errorCode)
    }
}

extension LL.RejectExtInd {
    package init(rejectOpcode: LL.ControlOpcode, errorCode: UInt8, _: Void = ()) {
        self.rejectOpcode = rejectOpcode
        self.errorCode = errorCode
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        rejectOpcode = LL.ControlOpcode(rawValue: try bytes.readUInt8())
        errorCode = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(rejectOpcode.rawValue)
        try output.write(errorCode)
    }
}
