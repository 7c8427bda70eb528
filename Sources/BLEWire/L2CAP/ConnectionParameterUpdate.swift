extension L2CAP {
    /// L2CAP_CONNECTION_PARAMETER_UPDATE_REQ: a peripheral requests parameters from its central (Vol 3, Part A, 4.20).
    package struct ConnectionParameterUpdateRequest: Hashable, Sendable {
        /// In units of 1.25 ms, 6 to 3200.
        package var intervalMinimum: UInt16
        package var intervalMaximum: UInt16
        /// The number of connection events that the peripheral may skip, 0 to 499.
        package var latency: UInt16
        /// The supervision timeout in units of 10 ms, 10 to 3200.
        package var timeout: UInt16

        package init(intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16, timeout: UInt16) {
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.latency = latency
            self.timeout = timeout
        }
    }

    /// L2CAP_CONNECTION_PARAMETER_UPDATE_RSP (Vol 3, Part A, 4.21).
    package struct ConnectionParameterUpdateResponse: Hashable, Sendable {
        package struct Result: RawRepresentable, Hashable, Sendable {
            package let rawValue: UInt16
            package init(rawValue: UInt16) { self.rawValue = rawValue }
            package static let accepted = Result(rawValue: 0)
            package static let rejected = Result(rawValue: 1)
        }

        package var result: Result

        package init(result: Result) { self.result = result }
    }
}

extension L2CAP.ConnectionParameterUpdateRequest: L2CAP.Signal {
    package static var code: L2CAP.SignalCode { .connectionParameterUpdateRequest }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        intervalMinimum = try bytes.readUInt16()
        intervalMaximum = try bytes.readUInt16()
        latency = try bytes.readUInt16()
        timeout = try bytes.readUInt16()
        try bytes.finish()
    }

    package var encodedCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(intervalMinimum)
        try output.write(intervalMaximum)
        try output.write(latency)
        try output.write(timeout)
    }
}

extension L2CAP.ConnectionParameterUpdateResponse: L2CAP.Signal {
    package static var code: L2CAP.SignalCode { .connectionParameterUpdateResponse }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        result = Result(rawValue: try bytes.readUInt16())
        try bytes.finish()
    }

    package var encodedCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(result.rawValue)
    }
}
