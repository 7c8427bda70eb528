import BLEWire

/// The LE signalling channel of one link (Vol 3, Part A, 4): identifiers, the connection parameter update of both roles, and
/// the refusal of what this host does not know. Packets to send are appended to an array of the caller, whole. What is about
/// credit-based channels goes to `CreditBasedChannels` first.
package struct SignallingChannel {
    package enum Role: Hashable, Sendable { case central, peripheral }

    private enum Update {
        case idle
        case waiting(identifier: UInt8, until: Instant)
    }

    /// What the owner has to do after a packet came in or a timer ran out.
    package enum Action: Hashable, Sendable {
        case none
        /// `output` has a packet to send.
        case send
        /// The peripheral asks for parameters: answer with `respond`.
        case parameterUpdateRequested(identifier: UInt8, L2CAP.ConnectionParameterUpdateRequest)
        /// Our request was answered.
        case parameterUpdateAnswered(accepted: Bool)
        /// Our request was not answered in time.
        case parameterUpdateTimedOut
        /// The packet breaks the protocol and was ignored.
        case ignored(Fault)
        /// The packet was refused: `output` has the Command Reject.
        case refused(Fault)
    }

    package enum Fault: Hashable, Sendable {
        case malformed
        case tooLong
        case unknownCode(UInt8)
        /// A response to nothing we asked.
        case unexpectedResponse
        /// A request while many answers wait that the peer does not take.
        case tooManyRequests
        /// A request that only the other role may send.
        case wrongRole
    }

    /// How long the answer to a parameter update request may take: the GAP connection parameter timeout
    /// (Vol 3, Part C, appendix A).
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

    /// As peripheral: asks the central for other parameters. False if a request is already under way, or as central.
    package mutating func requestParameterUpdate(
        _ request: L2CAP.ConnectionParameterUpdateRequest, at now: Instant, output: inout [UInt8]
    ) -> Bool {
        guard role == .peripheral, !isUpdating else { return false }
        let identifier = nextIdentifier()
        guard (try? output.append(signal: request, identifier: identifier)) != nil else { return false }
        update = .waiting(identifier: identifier, until: now + Self.responseTimeout)
        return true
    }

    /// As central: answers the peripheral's request.
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
            // The identifier is the first packet's, if it can be seen (Vol 3, Part A, 4.1).
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

    /// The lower half of the identifiers; the upper one is that of `CreditBasedChannels`.
    private mutating func nextIdentifier() -> UInt8 {
        lastIdentifier = lastIdentifier == 0x7F ? 1 : lastIdentifier + 1
        return lastIdentifier
    }
}
