/// Link Control commands (OGF 0x01).
extension HCI {
    /// Ends a connection. Disconnection Complete follows (Vol 4, Part E, 7.1.6).
    package struct Disconnect: HCIStatusCommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .disconnect }

        package var connectionHandle: UInt16
        /// Authentication Failure, Remote User Terminated Connection, Remote Device Terminated Connection (low
        /// resources, power off), Unsupported Remote Feature, Pairing With Unit Key Not Supported or Unacceptable
        /// Connection Parameters.
        package var reason: HCI.ErrorCode

        package init(connectionHandle: UInt16, reason: HCI.ErrorCode = .remoteUserTerminatedConnection) {
            self.connectionHandle = connectionHandle
            self.reason = reason
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            reason = HCI.ErrorCode(rawValue: try bytes.readUInt8())
            try bytes.finish()
        }

        package var encodedCount: Int { 3 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(reason.rawValue)
        }
    }

    /// Requests the version of the peer. Read Remote Version Information Complete follows (Vol 4, Part E, 7.1.23).
    package struct ReadRemoteVersionInformation: HCIStatusCommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readRemoteVersionInformation }

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
