// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/SMP/SMP+Pairing.swift. Do not edit.

extension SMP.PairingConfirm {
    package init(number: UInt128, _: Void = ()) {
        self.number = number
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        number = try bytes.readUInt128()
        try bytes.finish()
    }

    package static var octetCount: Int { 16 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(number)
    }
}

extension SMP.PairingRandom {
    package init(number: UInt128, _: Void = ()) {
        self.number = number
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        number = try bytes.readUInt128()
        try bytes.finish()
    }

    package static var octetCount: Int { 16 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(number)
    }
}

extension SMP.PairingFailed {
    package init(reason: SMP.FailureReason, _: Void = ()) {
        self.reason = reason
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        reason = SMP.FailureReason(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(reason.rawValue)
    }
}

extension SMP.PairingDHKeyCheck {
    package init(number: UInt128, _: Void = ()) {
        self.number = number
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        number = try bytes.readUInt128()
        try bytes.finish()
    }

    package static var octetCount: Int { 16 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(number)
    }
}

extension SMP.KeypressNotification {
    package init(kind: SMP.KeypressNotification.Kind, _: Void = ()) {
        self.kind = kind
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        kind = SMP.KeypressNotification.Kind(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(kind.rawValue)
    }
}
