import BLEWire

/// The encryption start procedure and the encryption pause procedure of one link, in either role (Vol 6, Part B, 5.1.3). The value
/// takes the host's commands, the peer's PDUs and acknowledgements, and returns effects. `isSending` and `isReceiving` are the
/// directions that are encrypted.
struct EncryptionProcedure {
    /// The central's host enables encryption.
    struct Request: Hashable {
        var longTermKey: LongTermKey
        var pdu: LL.EncReq
    }

    /// The inputs of the session key and of the nonces.
    struct Session: Hashable {
        var longTermKey: LongTermKey
        var diversifier: UInt128
        var vector: UInt64

        init(_ longTermKey: LongTermKey, central: LL.SessionPart, peripheral: LL.SessionPart) {
            self.longTermKey = longTermKey
            diversifier = UInt128(peripheral.diversifier) << 64 | UInt128(central.diversifier)
            vector = UInt64(peripheral.vector) << 32 | UInt64(central.vector)
        }
    }

    // The payloads are apart, so that a link without encryption does not pay for them.
    enum State: Hashable {
        case idle
        /// Central: LL_PAUSE_ENC_REQ was sent.
        indirect case pausing(Request)
        /// Central: LL_ENC_REQ was sent.
        indirect case requesting(Request)
        /// Central: LL_ENC_RSP was received.
        case awaitingStart
        /// Central: LL_START_ENC_RSP was sent.
        case starting
        /// Peripheral: LL_PAUSE_ENC_RSP was sent.
        case paused
        /// Peripheral: the central's LL_PAUSE_ENC_RSP was received.
        case awaitingRequest
        /// Peripheral: LL_ENC_REQ was received, and LL_ENC_RSP is next.
        indirect case answering(LL.SessionPart)
        /// Peripheral: the host has to provide the key.
        indirect case askingHost(central: LL.SessionPart, peripheral: LL.SessionPart)
        /// Peripheral: LL_START_ENC_REQ was sent.
        case awaitingResponse
    }

    /// A control PDU of the procedures.
    enum Message: Hashable {
        case encReq(LL.EncReq)
        case encRsp(LL.EncRsp)
        case startEncReq
        case startEncRsp
        case pauseEncReq
        case pauseEncRsp
        /// LL_REJECT_EXT_IND or LL_REJECT_IND, for LL_ENC_REQ.
        case reject(HCI.ErrorCode)
    }

    enum Effect: Hashable {
        case send(Message)
        /// Peripheral: draws this side's part for `answer`, and asks the host for the key.
        case askHost(LL.EncReq)
        /// Derives the session key and resets the packet counters.
        case begin(Session)
        /// The procedure is complete, or failed without a change. The report goes to the host, except nil.
        case finished(Report?)
        /// Terminates the link with LL_TERMINATE_IND.
        case terminate(HCI.ErrorCode)
        /// Ends the link without another PDU.
        case end(HCI.ErrorCode)
    }

    struct Report: Hashable {
        var status: HCI.ErrorCode
        /// Whether the link was encrypted with another key before.
        var isRefresh: Bool
    }

    /// What the procedure makes of a PDU.
    enum Reaction: Hashable {
        /// The PDU does not belong to the procedure.
        case none
        /// The PDU is not valid here outside of a procedure.
        case refused
        /// The PDU waits for the end of the procedure.
        case deferred
        case effects([Effect])
    }

    let role: HCI.Role
    private(set) var state = State.idle
    /// Whether a procedure runs. Data PDUs, and control PDUs of other procedures, are held back meanwhile.
    private(set) var isRunning = false
    /// Whether PDUs to the peer are encrypted.
    private(set) var isSending = false
    /// Whether PDUs of the peer are encrypted.
    private(set) var isReceiving = false
    /// Whether the procedure replaces the key of an encrypted link.
    private(set) var isRefresh = false

    init(role: HCI.Role) { self.role = role }

    private mutating func move(to state: State) {
        self.state = state
        isRunning = state != .idle
    }

    /// Whether the peer may send only PDUs of the procedure. Each other one ends the link. That holds for a peripheral from its
    /// first received PDU on, and for a central from the peer's first answer on (Vol 6, Part B, 5.1.3.1 and 5.1.3.2).
    var isStrict: Bool {
        switch state {
        case .idle, .pausing: false
        case .requesting: isRefresh
        case .awaitingStart, .starting, .paused, .awaitingRequest, .answering, .askingHost, .awaitingResponse: true
        }
    }

    /// Whether the procedure waits for a PDU of the peer, which the procedure response timeout limits.
    var isWaitingForPeer: Bool {
        switch state {
        case .idle, .answering, .askingHost: false
        case .pausing, .requesting, .awaitingStart, .starting, .paused, .awaitingRequest, .awaitingResponse: true
        }
    }

    /// Whether the host has to provide the key.
    var hostIsAsked: Bool { if case .askingHost = state { true } else { false } }

    // MARK: The host's commands

    /// Starts encryption, or pauses it for another key.
    mutating func begin(_ request: Request) -> [Effect] {
        isRefresh = isReceiving
        if isRefresh {
            move(to: .pausing(request))
            return [.send(.pauseEncReq)]
        }
        move(to: .requesting(request))
        return [.send(.encReq(request.pdu))]
    }

    /// Answers `askHost` with this side's part. The host provides the key afterwards.
    mutating func answer(_ part: LL.SessionPart) -> [Effect] {
        guard case .answering(let central) = state else { return [] }
        move(to: .askingHost(central: central, peripheral: part))
        return [.send(.encRsp(LL.EncRsp(part: part)))]
    }

    /// Takes the key from the host, or nil if there is none. Returns nil if the host was not asked.
    mutating func provide(_ key: LongTermKey?) -> [Effect]? {
        guard case .askingHost(let central, let peripheral) = state else { return nil }
        if let key {
            move(to: .awaitingResponse)
            return [.begin(Session(key, central: central, peripheral: peripheral)), .send(.startEncReq)]
        }
        // A link that was encrypted must not continue without encryption (Vol 6, Part B, 5.1.3.1).
        guard !isRefresh else { return [.terminate(.pinOrKeyMissing)] }
        move(to: .idle)
        return [.send(.reject(.pinOrKeyMissing)), .finished(nil)]
    }

    // MARK: The peer

    /// The peer acknowledged a control PDU. From then on it uses the next state of each direction.
    mutating func acknowledged(_ opcode: LL.ControlOpcode) {
        switch (opcode, state) {
        case (.pauseEncRsp, .paused): isReceiving = false
        case (.startEncReq, .awaitingResponse):
            isSending = true
            isReceiving = true
        default: break
        }
    }

    /// Takes a control PDU of the peer.
    mutating func receive(_ pdu: LL.ControlPDU) -> Reaction {
        if case .terminateInd = pdu { return .none }
        let effects = role == .central ? receiveAsCentral(pdu) : receiveAsPeripheral(pdu)
        if let effects { return .effects(effects) }
        if isStrict { return .effects([.end(.connectionTerminatedDueToMICFailure)]) }
        if isRunning { return .deferred }
        return Self.isOfProcedure(pdu.opcode) ? .refused : .none
    }

    private static func isOfProcedure(_ opcode: LL.ControlOpcode) -> Bool {
        switch opcode {
        case .encReq, .encRsp, .startEncReq, .startEncRsp, .pauseEncReq, .pauseEncRsp: true
        default: false
        }
    }

    /// Nil if the central does not expect the PDU.
    private mutating func receiveAsCentral(_ pdu: LL.ControlPDU) -> [Effect]? {
        switch state {
        case .pausing(let request):
            if case .pauseEncRsp = pdu {
                isSending = false
                isReceiving = false
                move(to: .requesting(request))
                return [.send(.pauseEncRsp), .send(.encReq(request.pdu))]
            }
            // The link stays encrypted with its key.
            return Self.rejection(pdu, of: .pauseEncReq).map { fail($0) }
        case .requesting(let request):
            if case .encRsp(let answer) = pdu {
                move(to: .awaitingStart)
                return [.begin(Session(request.longTermKey, central: request.pdu.part, peripheral: answer.part))]
            }
            return isRefresh ? nil : Self.rejection(pdu, of: .encReq).map { fail($0) }
        case .awaitingStart:
            if case .startEncReq = pdu {
                isSending = true
                isReceiving = true
                move(to: .starting)
                return [.send(.startEncRsp)]
            }
            return isRefresh ? nil : Self.rejection(pdu, of: .encReq).map { fail($0) }
        case .starting:
            guard case .startEncRsp = pdu else { return nil }
            return complete([])
        default: return nil
        }
    }

    /// Nil if the peripheral does not expect the PDU.
    private mutating func receiveAsPeripheral(_ pdu: LL.ControlPDU) -> [Effect]? {
        switch state {
        case .idle:
            switch pdu {
            case .encReq(let request):
                // A central pauses encryption before it requests another key. Without that rule a forged request would turn
                // encryption off.
                guard !isReceiving else { return [.end(.connectionTerminatedDueToMICFailure)] }
                isRefresh = false
                move(to: .answering(request.part))
                return [.askHost(request)]
            case .pauseEncReq where isReceiving:
                isRefresh = true
                move(to: .paused)
                return [.send(.pauseEncRsp)]
            default: return nil
            }
        case .paused:
            guard case .pauseEncRsp = pdu, !isReceiving else { return nil }
            isSending = false
            move(to: .awaitingRequest)
            return []
        case .awaitingRequest:
            guard case .encReq(let request) = pdu else { return nil }
            move(to: .answering(request.part))
            return [.askHost(request)]
        case .awaitingResponse:
            guard case .startEncRsp = pdu, isReceiving else { return nil }
            return complete([.send(.startEncRsp)])
        default: return nil
        }
    }

    private mutating func complete(_ effects: [Effect]) -> [Effect] {
        move(to: .idle)
        return effects + [.finished(Report(status: .success, isRefresh: isRefresh))]
    }

    private mutating func fail(_ error: HCI.ErrorCode) -> [Effect] {
        move(to: .idle)
        return [.finished(Report(status: error, isRefresh: isRefresh))]
    }

    /// The error with which the peer rejects the request `opcode`; nil if the PDU does not reject it.
    private static func rejection(_ pdu: LL.ControlPDU, of opcode: LL.ControlOpcode) -> HCI.ErrorCode? {
        switch pdu {
        case .rejectInd(let answer): HCI.ErrorCode(rawValue: answer.errorCode)
        case .rejectExtInd(let answer) where answer.rejectOpcode == opcode: HCI.ErrorCode(rawValue: answer.errorCode)
        case .unknownRsp(let answer) where answer.unknownType == opcode: .unsupportedRemoteFeature
        default: nil
        }
    }
}
