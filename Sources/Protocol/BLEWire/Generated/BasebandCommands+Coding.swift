// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/BasebandCommands.swift. Do not edit.

extension HCI.SetEventMask {
    package init(mask: HCI.EventMask, _: Void = ()) {
        self.mask = mask
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        mask = HCI.EventMask(rawValue: try bytes.readUInt64())
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(mask.rawValue)
    }
}

extension HCI.ReadTransmitPowerLevel {
    package init(connectionHandle: HCI.ConnectionHandle, kind: HCI.TransmitPowerLevelKind, _: Void = ()) {
        self.connectionHandle = connectionHandle
        self.kind = kind
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        kind = HCI.TransmitPowerLevelKind(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(kind.rawValue)
    }
}

extension HCI.ReadTransmitPowerLevel.ReturnParameters {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, transmitPowerLevel: Int8, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.transmitPowerLevel = transmitPowerLevel
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        transmitPowerLevel = try bytes.readInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(transmitPowerLevel)
    }
}

extension HCI.SetControllerToHostFlowControl {
    package init(flowControl: UInt8, _: Void = ()) {
        self.flowControl = flowControl
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        flowControl = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(flowControl)
    }
}

extension HCI.HostBufferSize {
    package init(
        aclDataPacketLength: UInt16, synchronousDataPacketLength: UInt8, totalACLDataPackets: UInt16,
        totalSynchronousDataPackets: UInt16, _: Void = ()
    ) {
        self.aclDataPacketLength = aclDataPacketLength
        self.synchronousDataPacketLength = synchronousDataPacketLength
        self.totalACLDataPackets = totalACLDataPackets
        self.totalSynchronousDataPackets = totalSynchronousDataPackets
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        aclDataPacketLength = try bytes.readUInt16()
        synchronousDataPacketLength = try bytes.readUInt8()
        totalACLDataPackets = try bytes.readUInt16()
        totalSynchronousDataPackets = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(aclDataPacketLength)
        try output.write(synchronousDataPacketLength)
        try output.write(totalACLDataPackets)
        try output.write(totalSynchronousDataPackets)
    }
}

extension HCI.SetEventMaskPage2 {
    package init(mask: HCI.EventMaskPage2, _: Void = ()) {
        self.mask = mask
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        mask = HCI.EventMaskPage2(rawValue: try bytes.readUInt64())
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(mask.rawValue)
    }
}

extension HCI.ReadLEHostSupport.ReturnParameters {
    package init(status: HCI.ErrorCode, leSupportedHost: Bool, unused: UInt8 = 0, _: Void = ()) {
        self.status = status
        self.leSupportedHost = leSupportedHost
        self.unused = unused
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        leSupportedHost = try bytes.readFlag()
        unused = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(leSupportedHost ? 1 : 0 as UInt8)
        try output.write(unused)
    }
}

extension HCI.WriteLEHostSupport {
    package init(leSupportedHost: Bool, unused: UInt8 = 0, _: Void = ()) {
        self.leSupportedHost = leSupportedHost
        self.unused = unused
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        leSupportedHost = try bytes.readFlag()
        unused = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(leSupportedHost ? 1 : 0 as UInt8)
        try output.write(unused)
    }
}

extension HCI.ReadAuthenticatedPayloadTimeout {
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

extension HCI.ReadAuthenticatedPayloadTimeout.ReturnParameters {
    package init(status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, timeout: UInt16, _: Void = ()) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.timeout = timeout
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        timeout = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 5 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(timeout)
    }
}

extension HCI.WriteAuthenticatedPayloadTimeout {
    package init(connectionHandle: HCI.ConnectionHandle, timeout: UInt16, _: Void = ()) {
        self.connectionHandle = connectionHandle
        self.timeout = timeout
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        timeout = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(timeout)
    }
}
