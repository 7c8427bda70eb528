/// Informational (OGF 0x04) and Status (OGF 0x05) commands.
extension HCI {
    /// Reads the controller's version (Vol 4, Part E, 7.4.1).
    package struct ReadLocalVersionInformation: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readLocalVersionInformation }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var hciVersion: HCI.CoreVersion
            package var hciSubversion: UInt16
            /// The version of the link layer.
            package var lmpVersion: HCI.CoreVersion
            package var companyIdentifier: UInt16
            package var lmpSubversion: UInt16
        }
    }

    /// Reads the commands that the controller supports (Vol 4, Part E, 7.4.2).
    package struct ReadLocalSupportedCommands: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readLocalSupportedCommands }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var supportedCommands: HCI.SupportedCommands
        }
    }

    /// Reads the first page of LMP features (Vol 4, Part E, 7.4.3).
    package struct ReadLocalSupportedFeatures: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readLocalSupportedFeatures }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var features: HCI.LMPFeatures
        }
    }

    /// Reads one page of LMP features (Vol 4, Part E, 7.4.4).
    package struct ReadLocalExtendedFeatures: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .readLocalExtendedFeatures }

        package var pageNumber: UInt8

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var pageNumber: UInt8
            package var maximumPageNumber: UInt8
            package var features: HCI.LMPFeatures
        }
    }

    /// Reads the sizes of the ACL and synchronous buffers (Vol 4, Part E, 7.4.5). If a size is zero, LE Read Buffer
    /// Size returns it.
    package struct ReadBufferSize: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readBufferSize }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            /// In octets, without the header.
            package var aclDataPacketLength: UInt16
            /// In octets, without the header.
            package var synchronousDataPacketLength: UInt8
            package var totalACLDataPackets: UInt16
            package var totalSynchronousDataPackets: UInt16
        }
    }

    /// Reads the public device address. Some controllers have none and return zero (Vol 4, Part E, 7.4.6).
    package struct ReadBDADDR: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readBDADDR }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var address: HCI.PublicDeviceAddress
        }
    }

    /// Reads the RSSI of a connection (Vol 4, Part E, 7.5.4).
    package struct ReadRSSI: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .readRSSI }

        package var connectionHandle: HCI.ConnectionHandle

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var connectionHandle: HCI.ConnectionHandle
            /// In dBm, -127 to 20; 127 means not available.
            package var rssi: Int8
        }
    }
}
