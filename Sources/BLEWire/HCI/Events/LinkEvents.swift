/// Events of connections.
extension HCI {
    /// A connection ended (Vol 4, Part E, 7.7.5).
    package struct DisconnectionComplete: HCIEvent, Hashable, Sendable {
        package static var eventCode: HCI.EventCode { .disconnectionComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: UInt16
        package var reason: HCI.ErrorCode

        package init(status: HCI.ErrorCode, connectionHandle: UInt16, reason: HCI.ErrorCode) {
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

        package var encodedCount: Int { 4 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(status.rawValue)
            try output.write(connectionHandle)
            try output.write(reason.rawValue)
        }
    }

    /// Encryption of a connection was turned on or off [v1] (Vol 4, Part E, 7.7.8).
    package struct EncryptionChange: HCIEvent, Hashable, Sendable {
        package static var eventCode: HCI.EventCode { .encryptionChange }

        package var status: HCI.ErrorCode
        package var connectionHandle: UInt16
        /// 0: off. 1: on (AES-CCM on LE). 2: on with AES-CCM on BR/EDR.
        package var encryptionEnabled: UInt8

        package init(status: HCI.ErrorCode, connectionHandle: UInt16, encryptionEnabled: UInt8) {
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

        package var encodedCount: Int { 4 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(status.rawValue)
            try output.write(connectionHandle)
            try output.write(encryptionEnabled)
        }
    }

    /// The peer's version (Vol 4, Part E, 7.7.12).
    package struct ReadRemoteVersionInformationComplete: HCIEvent, Hashable, Sendable {
        package static var eventCode: HCI.EventCode { .readRemoteVersionInformationComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: UInt16
        package var version: HCI.CoreVersion
        package var companyIdentifier: UInt16
        package var subversion: UInt16

        package init(
            status: HCI.ErrorCode, connectionHandle: UInt16, version: HCI.CoreVersion, companyIdentifier: UInt16,
            subversion: UInt16
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

        package var encodedCount: Int { 8 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(status.rawValue)
            try output.write(connectionHandle)
            try output.write(version.rawValue)
            try output.write(companyIdentifier)
            try output.write(subversion)
        }
    }

    /// The key of a connection was refreshed (Vol 4, Part E, 7.7.39).
    package struct EncryptionKeyRefreshComplete: HCIEvent, Hashable, Sendable {
        package static var eventCode: HCI.EventCode { .encryptionKeyRefreshComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: UInt16

        package init(status: HCI.ErrorCode, connectionHandle: UInt16) {
            self.status = status
            self.connectionHandle = connectionHandle
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
            connectionHandle = try bytes.readConnectionHandle()
            try bytes.finish()
        }

        package var encodedCount: Int { 3 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(status.rawValue)
            try output.write(connectionHandle)
        }
    }

    /// No authenticated packet arrived within the authenticated payload timeout (Vol 4, Part E, 7.7.75).
    package struct AuthenticatedPayloadTimeoutExpired: HCIEvent, Hashable, Sendable {
        package static var eventCode: HCI.EventCode { .authenticatedPayloadTimeoutExpired }

        package var connectionHandle: UInt16

        package init(connectionHandle: UInt16) {
            self.connectionHandle = connectionHandle
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            try bytes.finish()
        }

        package var encodedCount: Int { 2 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
        }
    }
}
