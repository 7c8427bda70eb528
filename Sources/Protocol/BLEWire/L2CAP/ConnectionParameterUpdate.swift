extension L2CAP {
    /// L2CAP_CONNECTION_PARAMETER_UPDATE_REQ: a peripheral requests parameters from its central (Vol 3, Part A, 4.20).
    package struct ConnectionParameterUpdateRequest: Signal, FieldPDU, Hashable {
        package static var code: L2CAP.SignalCode { .connectionParameterUpdateRequest }

        /// In units of 1.25 ms, 6 to 3200.
        package var intervalMinimum: UInt16
        package var intervalMaximum: UInt16
        /// The number of connection events that the peripheral may skip, 0 to 499.
        package var latency: UInt16
        /// The supervision timeout in units of 10 ms, 10 to 3200.
        package var timeout: UInt16
    }

    /// L2CAP_CONNECTION_PARAMETER_UPDATE_RSP (Vol 3, Part A, 4.21).
    package struct ConnectionParameterUpdateResponse: Signal, FieldPDU, Hashable {
        package static var code: L2CAP.SignalCode { .connectionParameterUpdateResponse }

        package struct Result: RawRepresentable, Hashable, Sendable {
            package let rawValue: UInt16
            package init(rawValue: UInt16) { self.rawValue = rawValue }
            package static let accepted = Result(rawValue: 0)
            package static let rejected = Result(rawValue: 1)
        }

        package var result: Result
    }
}
