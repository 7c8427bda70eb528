/// LE Controller commands (OGF 0x08) for the controller itself.
extension HCI {
    /// Selects the LE events that the controller may send (Vol 4, Part E, 7.8.1).
    package struct LESetEventMask: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetEventMask }

        package var mask: HCI.LEEventMask

        package init(mask: HCI.LEEventMask) {
            self.mask = mask
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            mask = HCI.LEEventMask(rawValue: try bytes.readUInt64())
            try bytes.finish()
        }

        package var encodedCount: Int { 8 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(mask.rawValue)
        }
    }

    /// Reads the sizes of the LE buffers [v1] (Vol 4, Part E, 7.8.2).
    package struct LEReadBufferSize: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadBufferSize }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            /// In octets, without the header. 0 means that the buffers of Read Buffer Size are shared.
            package var leACLDataPacketLength: UInt16
            package var totalLEACLDataPackets: UInt8

            package init(status: HCI.ErrorCode, leACLDataPacketLength: UInt16, totalLEACLDataPackets: UInt8) {
                self.status = status
                self.leACLDataPacketLength = leACLDataPacketLength
                self.totalLEACLDataPackets = totalLEACLDataPackets
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                leACLDataPacketLength = try bytes.readUInt16()
                totalLEACLDataPackets = try bytes.readUInt8()
                try bytes.finish()
            }

            package var encodedCount: Int { 4 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(leACLDataPacketLength)
                try output.write(totalLEACLDataPackets)
            }
        }
    }

    /// Reads the sizes of the LE buffers, including isochronous ones [v2] (Vol 4, Part E, 7.8.2).
    package struct LEReadBufferSizeV2: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadBufferSizeV2 }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            /// In octets, without the header. 0 means that the buffers of Read Buffer Size are shared.
            package var leACLDataPacketLength: UInt16
            package var totalLEACLDataPackets: UInt8
            /// In octets, without the header.
            package var isoDataPacketLength: UInt16
            package var totalISODataPackets: UInt8

            package init(
                status: HCI.ErrorCode, leACLDataPacketLength: UInt16, totalLEACLDataPackets: UInt8,
                isoDataPacketLength: UInt16, totalISODataPackets: UInt8
            ) {
                self.status = status
                self.leACLDataPacketLength = leACLDataPacketLength
                self.totalLEACLDataPackets = totalLEACLDataPackets
                self.isoDataPacketLength = isoDataPacketLength
                self.totalISODataPackets = totalISODataPackets
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                leACLDataPacketLength = try bytes.readUInt16()
                totalLEACLDataPackets = try bytes.readUInt8()
                isoDataPacketLength = try bytes.readUInt16()
                totalISODataPackets = try bytes.readUInt8()
                try bytes.finish()
            }

            package var encodedCount: Int { 7 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(leACLDataPacketLength)
                try output.write(totalLEACLDataPackets)
                try output.write(isoDataPacketLength)
                try output.write(totalISODataPackets)
            }
        }
    }

    /// Reads the LE features of the controller (page 0) (Vol 4, Part E, 7.8.3).
    package struct LEReadLocalSupportedFeatures: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadLocalSupportedFeatures }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var features: HCI.LEFeatures

            package init(status: HCI.ErrorCode, features: HCI.LEFeatures) {
                self.status = status
                self.features = features
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                features = HCI.LEFeatures(rawValue: try bytes.readUInt64())
                try bytes.finish()
            }

            package var encodedCount: Int { 9 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(features.rawValue)
            }
        }
    }

    /// Sets the random device address (Vol 4, Part E, 7.8.4).
    package struct LESetRandomAddress: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetRandomAddress }

        package var address: DeviceAddress

        package init(address: DeviceAddress) {
            self.address = address
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            address = try bytes.readAddress(.random)
            try bytes.finish()
        }

        package var encodedCount: Int { 6 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.writeLittleEndian(address.value, 6)
        }
    }

    /// Encrypts one block with AES-128. Both fields have the least significant octet first (Vol 4, Part E, 7.8.22).
    package struct LEEncrypt: HCICommand, Sendable {
        package static var opcode: HCI.Opcode { .leEncrypt }

        package var key: InlineArray<16, UInt8>
        package var plaintext: InlineArray<16, UInt8>

        package init(key: InlineArray<16, UInt8>, plaintext: InlineArray<16, UInt8>) {
            self.key = key
            self.plaintext = plaintext
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            key = try bytes.readArray()
            plaintext = try bytes.readArray()
            try bytes.finish()
        }

        package var encodedCount: Int { 32 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(key)
            try output.write(plaintext)
        }

        package struct ReturnParameters: PDU, Sendable {
            package var status: HCI.ErrorCode
            package var encrypted: InlineArray<16, UInt8>

            package init(status: HCI.ErrorCode, encrypted: InlineArray<16, UInt8>) {
                self.status = status
                self.encrypted = encrypted
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                encrypted = try bytes.readArray()
                try bytes.finish()
            }

            package var encodedCount: Int { 17 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(encrypted)
            }
        }
    }

    /// Reads 64 random bits (Vol 4, Part E, 7.8.23).
    package struct LERand: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leRand }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var random: UInt64

            package init(status: HCI.ErrorCode, random: UInt64) {
                self.status = status
                self.random = random
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                random = try bytes.readUInt64()
                try bytes.finish()
            }

            package var encodedCount: Int { 9 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(random)
            }
        }
    }

    /// Reads the supported combinations of link-layer states and roles (Vol 4, Part E, 7.8.27).
    package struct LEReadSupportedStates: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadSupportedStates }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            /// The bits of the table in 7.8.27.
            package var states: UInt64

            package init(status: HCI.ErrorCode, states: UInt64) {
                self.status = status
                self.states = states
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                states = try bytes.readUInt64()
                try bytes.finish()
            }

            package var encodedCount: Int { 9 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(states)
            }
        }
    }

    /// Reads the range of transmit power (Vol 4, Part E, 7.8.74).
    package struct LEReadTransmitPower: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadTransmitPower }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            /// In dBm.
            package var minimum: Int8
            /// In dBm.
            package var maximum: Int8

            package init(status: HCI.ErrorCode, minimum: Int8, maximum: Int8) {
                self.status = status
                self.minimum = minimum
                self.maximum = maximum
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                minimum = try bytes.readInt8()
                maximum = try bytes.readInt8()
                try bytes.finish()
            }

            package var encodedCount: Int { 3 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(minimum)
                try output.write(maximum)
            }
        }
    }
}
