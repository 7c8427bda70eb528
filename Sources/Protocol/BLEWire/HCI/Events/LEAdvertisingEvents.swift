/// LE Meta events of extended advertising and scanning, other than reports.
extension HCI {
    /// A scan with a duration has ended (Vol 4, Part E, 7.7.65.17).
    package struct LEScanTimeout: HCILEEvent, ParameterlessPDU, Hashable, Sendable {
        package static var subeventCode: HCI.LESubeventCode { .scanTimeout }

        package init() {}
    }

    /// A set has stopped to advertise by itself (Vol 4, Part E, 7.7.65.18).
    package struct LEAdvertisingSetTerminated: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .advertisingSetTerminated }

        /// Success after a connection, Advertising Timeout after the duration, Limit Reached after the last event.
        package var status: HCI.ErrorCode
        package var advertisingHandle: UInt8
        /// Valid after a connection.
        package var connectionHandle: HCI.ConnectionHandle
        /// Valid for sets with a limit of events.
        package var completedEvents: UInt8
    }

    /// A set has received a scan request, and its host asked to be told (Vol 4, Part E, 7.7.65.19).
    package struct LEScanRequestReceived: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .scanRequestReceived }

        package var advertisingHandle: UInt8
        package var scannerAddress: DeviceAddress
    }
}
