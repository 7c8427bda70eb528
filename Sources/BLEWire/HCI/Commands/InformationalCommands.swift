/// Informational (OGF 0x04) and Status (OGF 0x05) commands.
extension HCI {
    /// Reads the controller's version (Vol 4, Part E, 7.4.1).
    package struct ReadLocalVersionInformation: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readLocalVersionInformation }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var hciVersion: HCI.CoreVersion
            package var hciSubversion: UInt16
            /// The version of the link layer.
            package var lmpVersion: HCI.CoreVersion
            package var companyIdentifier: UInt16
            package var lmpSubversion: UInt16

            package init(
                status: HCI.ErrorCode, hciVersion: HCI.CoreVersion, hciSubversion: UInt16,
                lmpVersion: HCI.CoreVersion, companyIdentifier: UInt16, lmpSubversion: UInt16
            ) {
                self.status = status
                self.hciVersion = hciVersion
                self.hciSubversion = hciSubversion
                self.lmpVersion = lmpVersion
                self.companyIdentifier = companyIdentifier
                self.lmpSubversion = lmpSubversion
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                hciVersion = HCI.CoreVersion(rawValue: try bytes.readUInt8())
                hciSubversion = try bytes.readUInt16()
                lmpVersion = HCI.CoreVersion(rawValue: try bytes.readUInt8())
                companyIdentifier = try bytes.readUInt16()
                lmpSubversion = try bytes.readUInt16()
                try bytes.finish()
            }

            package var encodedCount: Int { 9 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(hciVersion.rawValue)
                try output.write(hciSubversion)
                try output.write(lmpVersion.rawValue)
                try output.write(companyIdentifier)
                try output.write(lmpSubversion)
            }
        }
    }

    /// Reads the commands that the controller supports (Vol 4, Part E, 7.4.2).
    package struct ReadLocalSupportedCommands: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readLocalSupportedCommands }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var supportedCommands: HCI.SupportedCommands

            package init(status: HCI.ErrorCode, supportedCommands: HCI.SupportedCommands) {
                self.status = status
                self.supportedCommands = supportedCommands
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                supportedCommands = HCI.SupportedCommands(octets: try bytes.readArray())
                try bytes.finish()
            }

            package var encodedCount: Int { 65 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(supportedCommands.octets)
            }
        }
    }

    /// Reads the first page of LMP features (Vol 4, Part E, 7.4.3).
    package struct ReadLocalSupportedFeatures: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readLocalSupportedFeatures }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var features: HCI.LMPFeatures

            package init(status: HCI.ErrorCode, features: HCI.LMPFeatures) {
                self.status = status
                self.features = features
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                features = HCI.LMPFeatures(rawValue: try bytes.readUInt64())
                try bytes.finish()
            }

            package var encodedCount: Int { 9 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(features.rawValue)
            }
        }
    }

    /// Reads one page of LMP features (Vol 4, Part E, 7.4.4).
    package struct ReadLocalExtendedFeatures: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readLocalExtendedFeatures }

        package var pageNumber: UInt8

        package init(pageNumber: UInt8) {
            self.pageNumber = pageNumber
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            pageNumber = try bytes.readUInt8()
            try bytes.finish()
        }

        package var encodedCount: Int { 1 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(pageNumber)
        }

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var pageNumber: UInt8
            package var maximumPageNumber: UInt8
            package var features: HCI.LMPFeatures

            package init(
                status: HCI.ErrorCode, pageNumber: UInt8, maximumPageNumber: UInt8, features: HCI.LMPFeatures
            ) {
                self.status = status
                self.pageNumber = pageNumber
                self.maximumPageNumber = maximumPageNumber
                self.features = features
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                pageNumber = try bytes.readUInt8()
                maximumPageNumber = try bytes.readUInt8()
                features = HCI.LMPFeatures(rawValue: try bytes.readUInt64())
                try bytes.finish()
            }

            package var encodedCount: Int { 11 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(pageNumber)
                try output.write(maximumPageNumber)
                try output.write(features.rawValue)
            }
        }
    }

    /// Reads the sizes of the ACL and synchronous buffers (Vol 4, Part E, 7.4.5). If a size is zero, LE Read Buffer
    /// Size returns it.
    package struct ReadBufferSize: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readBufferSize }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            /// In octets, without the header.
            package var aclDataPacketLength: UInt16
            /// In octets, without the header.
            package var synchronousDataPacketLength: UInt8
            package var totalACLDataPackets: UInt16
            package var totalSynchronousDataPackets: UInt16

            package init(
                status: HCI.ErrorCode, aclDataPacketLength: UInt16, synchronousDataPacketLength: UInt8,
                totalACLDataPackets: UInt16, totalSynchronousDataPackets: UInt16
            ) {
                self.status = status
                self.aclDataPacketLength = aclDataPacketLength
                self.synchronousDataPacketLength = synchronousDataPacketLength
                self.totalACLDataPackets = totalACLDataPackets
                self.totalSynchronousDataPackets = totalSynchronousDataPackets
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                aclDataPacketLength = try bytes.readUInt16()
                synchronousDataPacketLength = try bytes.readUInt8()
                totalACLDataPackets = try bytes.readUInt16()
                totalSynchronousDataPackets = try bytes.readUInt16()
                try bytes.finish()
            }

            package var encodedCount: Int { 8 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(aclDataPacketLength)
                try output.write(synchronousDataPacketLength)
                try output.write(totalACLDataPackets)
                try output.write(totalSynchronousDataPackets)
            }
        }
    }

    /// Reads the public device address. Some controllers have none and return zero (Vol 4, Part E, 7.4.6).
    package struct ReadBDADDR: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readBDADDR }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var address: DeviceAddress

            package init(status: HCI.ErrorCode, address: DeviceAddress) {
                self.status = status
                self.address = address
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                address = try bytes.readAddress(.public)
                try bytes.finish()
            }

            package var encodedCount: Int { 7 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.writeLittleEndian(address.value, 6)
            }
        }
    }

    /// Reads the RSSI of a connection (Vol 4, Part E, 7.5.4).
    package struct ReadRSSI: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readRSSI }

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

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var connectionHandle: UInt16
            /// In dBm, -127 to 20; 127 means not available.
            package var rssi: Int8

            package init(status: HCI.ErrorCode, connectionHandle: UInt16, rssi: Int8) {
                self.status = status
                self.connectionHandle = connectionHandle
                self.rssi = rssi
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                connectionHandle = try bytes.readConnectionHandle()
                rssi = try bytes.readInt8()
                try bytes.finish()
            }

            package var encodedCount: Int { 4 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(connectionHandle)
                try output.write(rssi)
            }
        }
    }
}
