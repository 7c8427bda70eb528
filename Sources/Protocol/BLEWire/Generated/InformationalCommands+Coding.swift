// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/InformationalCommands.swift. Do not edit.

extension HCI.ReadLocalVersionInformation.ReturnParameters {
    package init(
        status: HCI.ErrorCode, hciVersion: HCI.CoreVersion, hciSubversion: UInt16, lmpVersion: HCI.CoreVersion,
        companyIdentifier: UInt16, lmpSubversion: UInt16, _: Void = ()
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

    package static var octetCount: Int { 9 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(hciVersion.rawValue)
        try output.write(hciSubversion)
        try output.write(lmpVersion.rawValue)
        try output.write(companyIdentifier)
        try output.write(lmpSubversion)
    }
}

extension HCI.ReadLocalSupportedCommands.ReturnParameters {
    package init(status: HCI.ErrorCode, supportedCommands: HCI.SupportedCommands, _: Void = ()) {
        self.status = status
        self.supportedCommands = supportedCommands
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        supportedCommands = HCI.SupportedCommands(octets: try bytes.readArray())
        try bytes.finish()
    }

    package static var octetCount: Int { 65 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(supportedCommands.octets)
    }
}

extension HCI.ReadLocalSupportedFeatures.ReturnParameters {
    package init(status: HCI.ErrorCode, features: HCI.LMPFeatures, _: Void = ()) {
        self.status = status
        self.features = features
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        features = HCI.LMPFeatures(rawValue: try bytes.readUInt64())
        try bytes.finish()
    }

    package static var octetCount: Int { 9 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(features.rawValue)
    }
}

extension HCI.ReadLocalExtendedFeatures {
    package init(pageNumber: UInt8, _: Void = ()) {
        self.pageNumber = pageNumber
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        pageNumber = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(pageNumber)
    }
}

extension HCI.ReadLocalExtendedFeatures.ReturnParameters {
    package init(
        status: HCI.ErrorCode, pageNumber: UInt8, maximumPageNumber: UInt8, features: HCI.LMPFeatures, _: Void = ()
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

    package static var octetCount: Int { 11 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(pageNumber)
        try output.write(maximumPageNumber)
        try output.write(features.rawValue)
    }
}

extension HCI.ReadBufferSize.ReturnParameters {
    package init(
        status: HCI.ErrorCode, aclDataPacketLength: UInt16, synchronousDataPacketLength: UInt8,
        totalACLDataPackets: UInt16, totalSynchronousDataPackets: UInt16, _: Void = ()
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

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(aclDataPacketLength)
        try output.write(synchronousDataPacketLength)
        try output.write(totalACLDataPackets)
        try output.write(totalSynchronousDataPackets)
    }
}

extension HCI.ReadBDADDR.ReturnParameters {
    package init(status: HCI.ErrorCode, address: HCI.PublicDeviceAddress, _: Void = ()) {
        self.status = status
        self.address = address
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        address = try bytes.readAddress(.public)
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.writeLittleEndian(address.value, 6)
    }
}

extension HCI.ReadRSSI {
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

extension HCI.ReadRSSI.ReturnParameters {
    package init(status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, rssi: Int8, _: Void = ()) {
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

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(rssi)
    }
}
