import BLEWire

/// The client and server side of the ATT bearers of one link (Vol 3, Part F, 3.2.11), sans-IO. It takes operations, PDUs
/// and the time, and appends PDUs and events to an `ATTOutput`. No input of the peer makes it trap or grow without a
/// bound.
///
/// A link has one unenhanced bearer, and may have enhanced ones. `mtu`, `hasFailed` and the transactions in `client` and `server`
/// are those of the bearer that a call concerns, usually the unenhanced one; `enhanced` has those of the others.
package struct ATTBearer: ~Copyable {
    /// The default of the offered ATT_MTU, in octets. Values of 495 octets fill two link-layer data PDUs of 251.
    package static let preferredMTU: UInt16 = 498

    let localMTU: UInt16
    /// The bearer that the current call concerns: 0 for the unenhanced one, otherwise the number of its channel.
    var number: UInt32 = 0
    /// The current ATT_MTU in octets.
    package internal(set) var mtu: UInt16 = ATT.defaultMTU
    /// Whether the bearer has failed (see `ATTEvent.bearerFailed`).
    package internal(set) var hasFailed = false
    /// The cause of the failure; nil if the bearer works, or if the link ended instead.
    package internal(set) var failure: BearerFailure?

    var client: ClientState
    var server = ATTServer()
    /// The state of the other bearers.
    var enhanced: [BearerState] = []

    /// - Parameters:
    ///   - localMTU: The ATT_MTU that this side offers, 23 to 517 octets.
    ///   - suspendsForSecurity: Whether to suspend a client operation that the peer refuses for insufficient security,
    ///     instead of failing it.
    package init(localMTU: UInt16 = ATTBearer.preferredMTU, suspendsForSecurity: Bool = false) {
        self.localMTU = min(max(localMTU, ATT.defaultMTU), 517)
        client = ClientState(suspendsForSecurity: suspendsForSecurity)
    }

    /// The time at which `handleTimeout` is due: an answer is overdue, or the bearer has been quiet for long enough to
    /// run the host's background tasks.
    package var deadline: Instant? {
        // `mutating`: for an ordinary getter another module copies the bearer with each packet.
        mutating get {
            var answer = answerDeadline
            var isShared = false
            for index in enhanced.indices {
                let bearer = server.indicationDeadline(of: enhanced[index].number)
                answer = Self.earlier(answer, Self.earlier(enhanced[index].deadline, bearer))
                if enhanced[index].current != nil { isShared = true }
            }
            // Without background tasks, which is most of the time, there is no other one.
            guard !client.background.isEmpty, !hasFailed, !isShared else { return answer }
            return Self.earlier(answer, client.backgroundStart)
        }
    }

    /// The deadline of the oldest unanswered request or indication.
    var answerDeadline: Instant? { Self.earlier(client.deadline, server.indicationDeadline(of: number)) }

    private static func earlier(_ first: Instant?, _ second: Instant?) -> Instant? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }
}

extension ATTBearer {
    /// Takes one PDU of the fixed channel.
    ///
    /// - Parameter security: The present security of the link. It decides about access to attributes (Vol 3, Part F,
    ///   4).
    package mutating func receive(
        _ pdu: Span<UInt8>, database: inout AttributeDatabase, security: LinkSecurity, at now: Instant,
        output: inout ATTOutput
    ) {
        guard !hasFailed, !pdu.isEmpty else { return }
        let opcode = ATT.Opcode(rawValue: pdu[0])
        let packet: ATT.Packet
        do throws(DecodeError) {
            packet = try ATT.Packet(decoding: pdu)
        } catch {
            receiveMalformed(opcode, at: now, output: &output)
            return
        }
        switch packet {
        case .notification(let notification): receive(notification, output: &output)
        case .multipleNotification(let notifications):
            var rest = notifications.octets
            while let notification = ATT.MultipleHandleValueNotification.next(from: &rest) {
                receive(notification, output: &output)
            }
        case .indication(let indication): receiveIndication(indication, at: now, output: &output)
        case .confirmation:
            server.receiveConfirmation(database, security, Int(mtu), at: now, output: &output)
            sendIndications(at: now, output: &output)
        case .writeCommand(let command): server.receive(command, database, security, output: &output)
        // The bearer has no keys to verify a signature: the owner does that, and calls `receiveAuthentic`. On an enhanced bearer the
        // command is not allowed (Vol 3, Part F, 3.4.5.4).
        case .signedWriteCommand: break
        case .errorResponse(let error):
            guard let request = client.request else { return }
            guard error.request == request else { return fail(.violation, output: &output) }
            if number != 0, client.moves(for: error.code) { return moveOperation() }
            if client.suspend(for: error, output: &output) { return }
            receiveResponse(packet, at: now, output: &output)
        default:
            if opcode.kind == .request {
                // The PDU exceeds the ATT_MTU, and so would its echo.
                guard pdu.count <= Int(mtu) else { return refuse(opcode, .invalidPDU, output: &output) }
                guard server.admits(packet, opcode, database, security, Int(mtu), at: now, output: &output)
                else { return }
                if case .exchangeMTURequest(let request) = packet {
                    // The MTU of an enhanced bearer is that of its channel (Vol 3, Part F, 3.4.2.1).
                    guard number == 0 else { return refuse(opcode, .requestNotSupported, output: &output) }
                    return answer(request, output: &output)
                }
                server.answer(packet, opcode, database, security, Int(mtu), output: &output)
            } else {
                guard let request = client.request else { return }
                guard opcode == request.response else { return fail(.violation, output: &output) }
                receiveResponse(packet, at: now, output: &output)
            }
        }
    }

    /// Takes a PDU with an unknown opcode, or with octets that contradict its opcode (Vol 3, Part F, 3.3 and 3.4.1.1).
    private mutating func receiveMalformed(_ opcode: ATT.Opcode, at now: Instant, output: inout ATTOutput) {
        switch opcode.kind {
        case .request: refuse(opcode, .invalidPDU, output: &output)
        case .response:
            // A malformed response to the outstanding request still ends the transaction. Any other response is out of
            // sequence.
            guard let request = client.request else { return }
            guard opcode == request.response else { return fail(.violation, output: &output) }
            finish(.failure(.attribute(ATT.ErrorCode.invalidPDU.rawValue)), at: now, output: &output)
        case .unknown:
            if !opcode.isCommand { refuse(opcode, .requestNotSupported, output: &output) }
        case .command, .notification, .indication, .confirmation: break
        }
    }

    /// Sends an Error Response to a request that names no attribute (Vol 3, Part F, 3.4.1.1).
    private func refuse(_ request: ATT.Opcode, _ code: ATT.ErrorCode, output: inout ATTOutput) {
        output.send(ATT.ErrorResponse(request: request, handle: 0, code: code))
    }

    /// Handles the time. An overdue answer fails the bearer.
    package mutating func handleTimeout(at now: Instant, output: inout ATTOutput) {
        if let answerDeadline, answerDeadline <= now {
            fail(.timeout, output: &output)
        } else {
            enhancedTimedOut(at: now, output: &output)
            startNext(at: now, output: &output)
        }
    }

    /// Fails the bearer. Nothing more is sent on it. The unenhanced bearer is needed for the others, so all operations end with
    /// `.bearerLost`.
    mutating func fail(_ failure: BearerFailure, output: inout ATTOutput) {
        guard !hasFailed else { return }
        hasFailed = true
        guard number == 0 else { return enhancedFailed(failure, output: &output) }
        self.failure = failure
        client.emitCache(output: &output)
        let ended = client.order.removeAll(failing: .bearerLost, output: &output)
        let others = [client.current?.id] + client.waiting.map(\.id) + client.background.map(\.id)
        for case let id? in others where !ended.contains(id) {
            output.emit(.completed(id: id, .failure(.bearerLost)))
        }
        enhanced.removeAll()
        client = ClientState(suspendsForSecurity: client.suspendsForSecurity)
        let configurations = server.configurations
        server = ATTServer()
        server.configurations = configurations
        output.emit(.bearerFailed)
    }

    /// Takes the end of the link. Operations end silently. Subscriptions end with `subscriptionChanged(…, 0)`.
    package mutating func close(output: inout ATTOutput) {
        hasFailed = true
        client.emitCache(output: &output)
        for configuration in server.configurations where configuration.bits != 0 {
            output.emit(.subscriptionChanged(valueHandle: configuration.valueHandle, configuration: 0))
        }
        enhanced.removeAll()
        client = ClientState(suspendsForSecurity: client.suspendsForSecurity)
        server = ATTServer()
    }
}

/// The reason why a bearer failed while its link is up.
package enum BearerFailure: Hashable, Sendable {
    /// A request or an indication remained unanswered for 30 s (Vol 3, Part F, 3.3.3).
    case timeout
    /// The peer sent an answer without a matching request.
    case violation
}
