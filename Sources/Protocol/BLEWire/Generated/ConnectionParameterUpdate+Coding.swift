// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/L2CAP/ConnectionParameterUpdate.swift. Do not edit.

extension L2CAP.ConnectionParameterUpdateRequest {
    package init(intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16, timeout: UInt16, _: Void = ()) {
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.latency = latency
        self.timeout = timeout
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        intervalMinimum = try bytes.readUInt16()
        intervalMaximum = try bytes.readUInt16()
        latency = try bytes.readUInt16()
        timeout = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(intervalMinimum)
        try output.write(intervalMaximum)
        try output.write(latency)
        try output.write(timeout)
    }
}

extension L2CAP.ConnectionParameterUpdateResponse {
    package init(result: L2CAP.ConnectionParameterUpdateResponse.Result, _: Void = ()) {
        self.result = result
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        result = L2CAP.ConnectionParameterUpdateResponse.Result(rawValue: try bytes.readUInt16())
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(result.rawValue)
    }
}
