/// Link Control commands (OGF 0x01).
extension HCI {
    /// Ends a connection. Disconnection Complete follows (Vol 4, Part E, 7.1.6).
    package struct Disconnect: HCIStatusCommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .disconnect }

        package var connectionHandle: HCI.ConnectionHandle
        /// Authentication Failure, Remote User Terminated Connection, Remote Device Terminated Connection (low
        /// resources, power off), Unsupported Remote Feature, Pairing With Unit Key Not Supported or Unacceptable
        /// Connection Parameters.
        package var reason: HCI.ErrorCode = .remoteUserTerminatedConnection
    }

    /// Requests the version of the peer. Read Remote Version Information Complete follows (Vol 4, Part E, 7.1.23).
    package struct ReadRemoteVersionInformation: HCIStatusCommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .readRemoteVersionInformation }

        package var connectionHandle: HCI.ConnectionHandle
    }
}
