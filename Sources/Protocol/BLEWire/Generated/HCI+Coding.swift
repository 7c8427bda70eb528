// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/HCI.swift. Do not edit.

extension HCI.StatusReturn {
    package init(status: HCI.ErrorCode, _: Void = ()) {
        self.status = status
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
    }
}

extension HCI.ConnectionReturn {
    package init(status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, _: Void = ()) {
        self.status = status
        self.connectionHandle = connectionHandle
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
    }
}
