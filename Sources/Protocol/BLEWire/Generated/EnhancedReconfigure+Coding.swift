// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/L2CAP/EnhancedReconfigure.swift. Do not edit.

extension L2CAP.EnhancedReconfigureResponse {
    package init(result: L2CAP.EnhancedReconfigureResponse.Result, _: Void = ()) {
        self.result = result
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        result = L2CAP.EnhancedReconfigureResponse.Result(rawValue: try bytes.readUInt16())
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(result.rawValue)
    }
}
