// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Events/LinkEvents.swift. Do not edit.

extension HCI.DisconnectionComplete {
    package init(status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, reason: HCI.ErrorCode, _: Void = ()) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.reason = reason
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        reason = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(reason.rawValue)
    }
}

extension HCI.EncryptionChange {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, encryptionEnabled: UInt8, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.encryptionEnabled = encryptionEnabled
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        encryptionEnabled = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(encryptionEnabled)
    }
}

extension HCI.ReadRemoteVersionInformationComplete {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, version: HCI.CoreVersion,
        companyIdentifier: UInt16, subversion: UInt16, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.version = version
        self.companyIdentifier = companyIdentifier
        self.subversion = subversion
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        version = HCI.CoreVersion(rawValue: try bytes.readUInt8())
        companyIdentifier = try bytes.readUInt16()
        subversion = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(version.rawValue)
        try output.write(companyIdentifier)
        try output.write(subversion)
    }
}

extension HCI.EncryptionKeyRefreshComplete {
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

extension HCI.AuthenticatedPayloadTimeoutExpired {
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
