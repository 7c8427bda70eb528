// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Events/ControllerEvents.swift. Do not edit.

extension HCI.CommandStatus {
    package init(status: HCI.ErrorCode, numberOfCommandPackets: UInt8 = 1, opcode: HCI.Opcode, _: Void = ()) {
        self.status = status
        self.numberOfCommandPackets = numberOfCommandPackets
        self.opcode = opcode
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        numberOfCommandPackets = try bytes.readUInt8()
        opcode = HCI.Opcode(rawValue: try bytes.readUInt16())
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(numberOfCommandPackets)
        try output.write(opcode.rawValue)
    }
}

extension HCI.HardwareError {
    package init(hardwareCode: UInt8, _: Void = ()) {
        self.hardwareCode = hardwareCode
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        hardwareCode = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(hardwareCode)
    }
}

extension HCI.DataBufferOverflow {
    package init(linkType: UInt8 = 1, _: Void = ()) {
        self.linkType = linkType
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        linkType = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(linkType)
    }
}
