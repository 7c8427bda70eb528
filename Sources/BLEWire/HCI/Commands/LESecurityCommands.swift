/// LE commands that encrypt a connection.
extension HCI {
    /// Starts or refreshes encryption. Encryption Change or Encryption Key Refresh Complete follows (Vol 4, Part E,
    /// 7.8.24).
    package struct LEEnableEncryption: HCIStatusCommand, Sendable {
        package static var opcode: HCI.Opcode { .leEnableEncryption }

        package var connectionHandle: UInt16
        package var randomNumber: UInt64
        package var encryptedDiversifier: UInt16
        /// Least significant octet first.
        package var longTermKey: InlineArray<16, UInt8>

        package init(
            connectionHandle: UInt16, randomNumber: UInt64, encryptedDiversifier: UInt16,
            longTermKey: InlineArray<16, UInt8>
        ) {
            self.connectionHandle = connectionHandle
            self.randomNumber = randomNumber
            self.encryptedDiversifier = encryptedDiversifier
            self.longTermKey = longTermKey
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            randomNumber = try bytes.readUInt64()
            encryptedDiversifier = try bytes.readUInt16()
            longTermKey = try bytes.readArray()
            try bytes.finish()
        }

        package var encodedCount: Int { 28 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(randomNumber)
            try output.write(encryptedDiversifier)
            try output.write(longTermKey)
        }
    }

    /// Answers LE Long Term Key Request with the key (Vol 4, Part E, 7.8.25).
    package struct LELongTermKeyRequestReply: HCICommand, Sendable {
        package static var opcode: HCI.Opcode { .leLongTermKeyRequestReply }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: UInt16
        /// Least significant octet first.
        package var longTermKey: InlineArray<16, UInt8>

        package init(connectionHandle: UInt16, longTermKey: InlineArray<16, UInt8>) {
            self.connectionHandle = connectionHandle
            self.longTermKey = longTermKey
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            longTermKey = try bytes.readArray()
            try bytes.finish()
        }

        package var encodedCount: Int { 18 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(longTermKey)
        }
    }

    /// Answers LE Long Term Key Request without a key (Vol 4, Part E, 7.8.26).
    package struct LELongTermKeyRequestNegativeReply: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leLongTermKeyRequestNegativeReply }
        package typealias ReturnParameters = HCI.ConnectionReturn

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
