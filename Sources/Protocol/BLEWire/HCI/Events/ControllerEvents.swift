/// Events of commands and of the controller itself.
extension HCI {
    /// Reports a received command. Another event carries its result (Vol 4, Part E, 7.7.15).
    package struct CommandStatus: HCIEvent, FieldPDU, Hashable {
        package static var eventCode: HCI.EventCode { .commandStatus }

        package var status: HCI.ErrorCode
        /// The number of commands that the host may now send.
        package var numberOfCommandPackets: UInt8 = 1
        /// The command; 0 if the event only changes the number of commands.
        package var opcode: HCI.Opcode
    }

    /// Reports a failure of the controller (Vol 4, Part E, 7.7.16).
    package struct HardwareError: HCIEvent, FieldPDU, Hashable {
        package static var eventCode: HCI.EventCode { .hardwareError }

        package var hardwareCode: UInt8
    }

    /// Reports that the host sent more data than the controller can buffer (Vol 4, Part E, 7.7.26).
    package struct DataBufferOverflow: HCIEvent, FieldPDU, Hashable {
        package static var eventCode: HCI.EventCode { .dataBufferOverflow }

        /// 0: synchronous. 1: ACL. 2: ISO.
        package var linkType: UInt8 = 1
    }
}
