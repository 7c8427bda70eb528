/// LE Controller commands (OGF 0x08) for the controller itself.
extension HCI {
    /// Selects the LE events that the controller may send (Vol 4, Part E, 7.8.1).
    package struct LESetEventMask: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetEventMask }

        package var mask: HCI.LEEventMask
    }

    /// Reads the sizes of the LE buffers [v1] (Vol 4, Part E, 7.8.2).
    package struct LEReadBufferSize: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadBufferSize }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            /// In octets, without the header. 0 means that the buffers of Read Buffer Size are shared.
            package var leACLDataPacketLength: UInt16
            package var totalLEACLDataPackets: UInt8
        }
    }

    /// Reads the sizes of the LE buffers, including isochronous ones [v2] (Vol 4, Part E, 7.8.2).
    package struct LEReadBufferSizeV2: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadBufferSizeV2 }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            /// In octets, without the header. 0 means that the buffers of Read Buffer Size are shared.
            package var leACLDataPacketLength: UInt16
            package var totalLEACLDataPackets: UInt8
            /// In octets, without the header.
            package var isoDataPacketLength: UInt16
            package var totalISODataPackets: UInt8
        }
    }

    /// Reads the LE features of the controller (page 0) (Vol 4, Part E, 7.8.3).
    package struct LEReadLocalSupportedFeatures: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadLocalSupportedFeatures }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var features: HCI.LEFeatures
        }
    }

    /// Sets the random device address (Vol 4, Part E, 7.8.4).
    package struct LESetRandomAddress: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetRandomAddress }

        package var address: HCI.RandomDeviceAddress
    }

    /// Encrypts one block with AES-128. Both fields have the least significant octet first (Vol 4, Part E, 7.8.22).
    package struct LEEncrypt: HCICommand, FieldPDU {
        package static var opcode: HCI.Opcode { .leEncrypt }

        package var key: InlineArray<16, UInt8>
        package var plaintext: InlineArray<16, UInt8>

        package struct ReturnParameters: FieldPDU {
            package var status: HCI.ErrorCode
            package var encrypted: InlineArray<16, UInt8>
        }
    }

    /// Reads 64 random bits (Vol 4, Part E, 7.8.23).
    package struct LERand: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leRand }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var random: UInt64
        }
    }

    /// Reads the supported combinations of link-layer states and roles (Vol 4, Part E, 7.8.27).
    package struct LEReadSupportedStates: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadSupportedStates }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            /// The bits of the table in 7.8.27.
            package var states: UInt64
        }
    }

    /// Reads the range of transmit power (Vol 4, Part E, 7.8.74).
    package struct LEReadTransmitPower: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadTransmitPower }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            /// In dBm.
            package var minimum: Int8
            /// In dBm.
            package var maximum: Int8
        }
    }
}
