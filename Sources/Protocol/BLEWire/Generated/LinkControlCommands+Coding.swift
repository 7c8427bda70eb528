// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LinkControlCommands.swift. Do not edit.

extension HCI.Disconnect {
    package init(
        connectionHandle: HCI.ConnectionHandle, reason: HCI.ErrorCode = .remoteUserTerminatedConnection, _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.reason = reason
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        reason = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(reason.rawValue)
    }
}

extension HCI.ReadRemoteVersionInformation {
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
