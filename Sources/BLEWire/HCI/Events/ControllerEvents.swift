/// Events of commands and of the controller itself.
extension HCI {
    /// Reports a received command. Another event carries its result (Vol 4, Part E, 7.7.15).
    package struct CommandStatus: HCIEvent, Hashable, Sendable {
        package static var eventCode: HCI.EventCode { .commandStatus }

        package var status: HCI.ErrorCode
        /// The number of commands that the host may now send.
        package var numberOfCommandPackets: UInt8
        /// The command; 0 if the event only changes the number of commands.
        package var opcode: HCI.Opcode

        package init(status: HCI.ErrorCode, numberOfCommandPackets: UInt8 = 1, opcode: HCI.Opcode) {
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

        package var encodedCount: Int { 4 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(status.rawValue)
            try output.write(numberOfCommandPackets)
            try output.write(opcode.rawValue)
        }
    }

    /// Reports a failure of the controller (Vol 4, Part E, 7.7.16).
    package struct HardwareError: HCIEvent, Hashable, Sendable {
        package static var eventCode: HCI.EventCode { .hardwareError }

        package var hardwareCode: UInt8

        package init(hardwareCode: UInt8) {
            self.hardwareCode = hardwareCode
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            hardwareCode = try bytes.readUInt8()
            try bytes.finish()
        }

        package var encodedCount: Int { 1 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(hardwareCode)
        }
    }

    /// Reports that the host sent more data than the controller can buffer (Vol 4, Part E, 7.7.26).
    package struct DataBufferOverflow: HCIEvent, Hashable, Sendable {
        package static var eventCode: HCI.EventCode { .dataBufferOverflow }

        /// 0: synchronous. 1: ACL. 2: ISO.
        package var linkType: UInt8

        package init(linkType: UInt8 = 1) {
            self.linkType = linkType
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            linkType = try bytes.readUInt8()
            try bytes.finish()
        }

        package var encodedCount: Int { 1 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(linkType)
        }
    }
}
