import BLEWire

/// The LE signalling channel of one link (Vol 3, Part A, 4): identifiers, the connection parameter update of both
/// roles, and the refusal of unknown requests. It appends whole packets to an array of the caller. Packets of
/// credit-based channels go to `CreditBasedChannels` first.
package struct SignallingChannel {
    package enum Role: Hashable, Sendable { case central, peripheral }

    private enum Update {
        case idle
        case waiting(identifier: UInt8, until: Instant)
    }

    /// The owner's next action after a packet or a timeout.
    package enum Action: Hashable, Sendable {
        case none
        /// `output` has a packet to send.
        case send
        /// The peripheral requests parameters. Answer with `respond`.
        case parameterUpdateRequested(identifier: UInt8, L2CAP.ConnectionParameterUpdateRequest)
        /// The central answered our request.
        case parameterUpdateAnswered(accepted: Bool)
        /// The central did not answer our request in time.
        case parameterUpdateTimedOut
        /// The packet violates the protocol and was ignored.
        case ignored(Fault)
        /// The packet was refused. `output` has the Command Reject.
        case refused(Fault)
    }

    package enum Fault: Hashable, Sendable {
        case malformed
        case tooLong
        case unknownCode(UInt8)
        /// A response that matches no request of ours.
        case unexpectedResponse
        /// A request while too many answers wait for transmission to the peer.
        case tooManyRequests
        /// A request that is reserved to the other role.
        case wrongRole
    }

    /// The time that the peer has to answer a parameter update request: the GAP connection parameter timeout (Vol 3,
    /// Part C, appendix A).
    package static let responseTimeout = TimeSpan.seconds(30)

    private let role: Role
    private var lastIdentifier: UInt8 = 0
    private var update: Update = .idle

    package init(role: Role) { self.role = role }

    package var deadline: Instant? {
        if case .waiting(_, let until) = update { until } else { nil }
    }

    /// Whether a parameter update request waits for its answer.
    package var isUpdating: Bool { deadline != nil }

    /// As peripheral: requests other parameters from the central. Returns false if a request is already under way, or
    /// as central.
    package mutating func requestParameterUpdate(
        _ request: L2CAP.ConnectionParameterUpdateRequest, at now: Instant, output: inout [UInt8]
    ) -> Bool {
        guard role == .peripheral, !isUpdating else { return false }
        let identifier = nextIdentifier()
        guard (try? output.append(signal: request, identifier: identifier)) != nil else { return false }
        update = .waiting(identifier: identifier, until: now + Self.responseTimeout)
        return true
    }

    /// As central: answers the request of the peripheral.
    package func respond(identifier: UInt8, accepted: Bool, output: inout [UInt8]) {
        let response = L2CAP.ConnectionParameterUpdateResponse(result: accepted ? .accepted : .rejected)
        try? output.append(signal: response, identifier: identifier)
    }

    package mutating func handleTimeout(at now: Instant) -> Action {
        guard case .waiting(_, let until) = update, until <= now else { return .none }
        update = .idle
        return .parameterUpdateTimedOut
    }

    /// Takes the payload of one frame on this channel.
    package mutating func receive(_ payload: Span<UInt8>, output: inout [UInt8]) -> Action {
        guard payload.count <= L2CAP.signallingMTU else {
            // The identifier is that of the first packet, if it can be decoded (Vol 3, Part A, 4.1).
            var mtu: [2 of UInt8] = [0, 0]
            mtu[0] = UInt8(truncatingIfNeeded: L2CAP.signallingMTU)
            reject(.signallingMTUExceeded, data: mtu.span, identifier: payload[1], output: &output)
            return .refused(.tooLong)
        }
        guard let packet = try? L2CAP.SignalPacket(decoding: payload), packet.identifier != 0 else {
            return .ignored(.malformed)
        }
        switch packet.code {
        case .connectionParameterUpdateRequest:
            return parameterUpdateRequest(packet.identifier, packet.data, output: &output)
        case .connectionParameterUpdateResponse:
            guard let response = try? L2CAP.ConnectionParameterUpdateResponse(decoding: packet.data) else {
                return .ignored(.malformed)
            }
            return answered(packet.identifier, accepted: response.result == .accepted)
        case .commandReject:
            guard (try? L2CAP.CommandReject(decoding: packet.data)) != nil else { return .ignored(.malformed) }
            return answered(packet.identifier, accepted: false)
        default:
            if packet.code.isResponse { return .ignored(.unexpectedResponse) }
            reject(.notUnderstood, identifier: packet.identifier, output: &output)
            return .refused(.unknownCode(packet.code.rawValue))
        }
    }

    private mutating func parameterUpdateRequest(
        _ identifier: UInt8, _ data: Span<UInt8>, output: inout [UInt8]
    ) -> Action {
        guard role == .central else {
            reject(.notUnderstood, identifier: identifier, output: &output)
            return .refused(.wrongRole)
        }
        guard let request = try? L2CAP.ConnectionParameterUpdateRequest(decoding: data) else {
            reject(.notUnderstood, identifier: identifier, output: &output)
            return .refused(.malformed)
        }
        return .parameterUpdateRequested(identifier: identifier, request)
    }

    private mutating func answered(_ identifier: UInt8, accepted: Bool) -> Action {
        guard case .waiting(identifier, _) = update else { return .ignored(.unexpectedResponse) }
        update = .idle
        return .parameterUpdateAnswered(accepted: accepted)
    }

    private func reject(
        _ reason: L2CAP.CommandReject.Reason, data: Span<UInt8> = Span(), identifier: UInt8, output: inout [UInt8]
    ) {
        try? output.append(signal: L2CAP.CommandReject(reason: reason, data: data), identifier: identifier)
    }

    /// Returns an identifier of the lower half. `CreditBasedChannels` uses the upper half.
    private mutating func nextIdentifier() -> UInt8 {
        lastIdentifier = lastIdentifier == 0x7F ? 1 : lastIdentifier + 1
        return lastIdentifier
    }
}
