/// LE commands about the times at which a link uses the radio.
extension HCI {
    /// Requests the accuracy of the peer's sleep clock. LE Request Peer SCA Complete follows (Vol 4, Part E, 7.8.108).
    package struct LERequestPeerSCA: HCIStatusCommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leRequestPeerSCA }

        package var connectionHandle: HCI.ConnectionHandle
    }

    /// Sets a feature bit that the host decides about, for new links (Vol 4, Part E, 7.8.115).
    package struct LESetHostFeature: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetHostFeature }

        /// The bit of `LEFeatures`.
        package var bitNumber: UInt8
        package var isOn: Bool
    }

    /// Sets what a new link as central accepts of its peripheral's subrate requests (Vol 4, Part E, 7.8.123).
    package struct LESetDefaultSubrate: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetDefaultSubrate }

        /// 1 to 500.
        package var factorMinimum: UInt16 = 1
        /// 1 to 500.
        package var factorMaximum: UInt16 = 1
        /// In subrated events, 0 to 499.
        package var maximumLatency: UInt16 = 0
        /// In connection events, 0 to 499, less than the greatest factor.
        package var continuationNumber: UInt16 = 0
        /// In units of 10 ms, 0x000A to 0x0C80.
        package var supervisionTimeout: UInt16 = 0x0C80
    }

    /// Requests that a link uses only a part of its connection events. LE Subrate Change follows (Vol 4, Part E, 7.8.124).
    package struct LESubrateRequest: HCIStatusCommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSubrateRequest }

        package var connectionHandle: HCI.ConnectionHandle
        /// 1 to 500.
        package var factorMinimum: UInt16
        /// 1 to 500.
        package var factorMaximum: UInt16
        /// In subrated events, 0 to 499.
        package var maximumLatency: UInt16
        /// In connection events, 0 to 499, less than the greatest factor.
        package var continuationNumber: UInt16
        /// In units of 10 ms, 0x000A to 0x0C80.
        package var supervisionTimeout: UInt16
    }

    /// The accuracy of the peer's sleep clock (Vol 4, Part E, 7.7.65.31).
    package struct LERequestPeerSCAComplete: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .requestPeerSCAComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        package var clockAccuracy: HCI.ClockAccuracy
    }

    /// The connection events that a link uses have changed, or could not be changed (Vol 4, Part E, 7.7.65.35).
    package struct LESubrateChange: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .subrateChange }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        /// 1 to 500.
        package var factor: UInt16
        /// In subrated events, 0 to 499.
        package var latency: UInt16
        /// In connection events, 0 to 499.
        package var continuationNumber: UInt16
        /// In units of 10 ms, 0x000A to 0x0C80.
        package var supervisionTimeout: UInt16
    }
}
