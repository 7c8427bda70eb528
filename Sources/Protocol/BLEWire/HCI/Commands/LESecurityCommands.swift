/// LE commands that encrypt a connection.
extension HCI {
    /// Starts or refreshes encryption. Encryption Change or Encryption Key Refresh Complete follows (Vol 4, Part E,
    /// 7.8.24).
    package struct LEEnableEncryption: HCIStatusCommand, FieldPDU {
        package static var opcode: HCI.Opcode { .leEnableEncryption }

        package var connectionHandle: HCI.ConnectionHandle
        package var randomNumber: UInt64
        package var encryptedDiversifier: UInt16
        /// Least significant octet first.
        package var longTermKey: InlineArray<16, UInt8>
    }

    /// Answers LE Long Term Key Request with the key (Vol 4, Part E, 7.8.25).
    package struct LELongTermKeyRequestReply: HCICommand, FieldPDU {
        package static var opcode: HCI.Opcode { .leLongTermKeyRequestReply }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: HCI.ConnectionHandle
        /// Least significant octet first.
        package var longTermKey: InlineArray<16, UInt8>
    }

    /// Answers LE Long Term Key Request without a key (Vol 4, Part E, 7.8.26).
    package struct LELongTermKeyRequestNegativeReply: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leLongTermKeyRequestNegativeReply }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: HCI.ConnectionHandle
    }
}
