import BLEWire

/// The procedures of the link layer that run on one link (Vol 6, Part B, 5.1).
struct ControlConversations: Sendable {
    private struct Running: Sendable {
        var procedure: Procedure
        var conversation: Int
        /// The encrypted control PDUs after LL_START_ENC_REQ.
        var encryptedPDUs = 0
    }

    /// At most one for each procedure.
    private var running: [Running] = []

    /// Takes a control PDU whose first octet is the opcode.
    mutating func add(_ payload: ArraySlice<UInt8>, _ conversations: inout ConversationCounter) -> ConversationPlace {
        guard let first = payload.first else { return ConversationPlace(.otherControl, nil) }
        let opcode = LL.ControlOpcode(rawValue: first)
        switch opcode {
        case .connectionUpdateInd: return last(of: .connectionUpdate, &conversations)
        case .channelMapInd: return ConversationPlace(.channelMapUpdate, conversations.begin())
        case .terminateInd: return ConversationPlace(.termination, conversations.begin())
        case .encReq: return begin(.encryptionStart, &conversations)
        case .encRsp, .startEncReq: return next(of: .encryptionStart, &conversations)
        case .startEncRsp: return startResponse(&conversations)
        case .featureReq, .peripheralFeatureReq: return begin(.featureExchange, &conversations)
        case .featureRsp: return last(of: .featureExchange, &conversations)
        case .pauseEncReq: return begin(.encryptionPause, &conversations)
        case .pauseEncRsp: return next(of: .encryptionPause, &conversations)
        case .versionInd:
            let isAnswer = index(of: .versionExchange) != nil
            return isAnswer ? last(of: .versionExchange, &conversations) : begin(.versionExchange, &conversations)
        case .connectionParamReq: return begin(.connectionUpdate, &conversations)
        case .connectionParamRsp: return next(of: .connectionUpdate, &conversations)
        case .pingReq: return begin(.ping, &conversations)
        case .pingRsp: return last(of: .ping, &conversations)
        case .lengthReq: return begin(.dataLengthUpdate, &conversations)
        case .lengthRsp: return last(of: .dataLengthUpdate, &conversations)
        case .phyReq: return begin(.phyUpdate, &conversations)
        case .phyRsp: return next(of: .phyUpdate, &conversations)
        case .phyUpdateInd: return last(of: .phyUpdate, &conversations)
        case .rejectExtInd, .unknownRsp:
            let refused = payload.dropFirst().first.flatMap { Self.procedure(of: LL.ControlOpcode(rawValue: $0)) }
            return refused.map { last(of: $0, &conversations) } ?? ConversationPlace(.otherControl, nil)
        case .rejectInd:
            // LL_REJECT_IND answers LL_ENC_REQ, and other requests of devices without extended rejects (Vol 6, Part B, 2.4.2.14).
            let refused = index(of: .encryptionStart) == nil ? running.last?.procedure : .encryptionStart
            return refused.map { last(of: $0, &conversations) } ?? ConversationPlace(.otherControl, nil)
        default: return ConversationPlace(.otherControl, nil)
        }
    }

    /// Takes an encrypted control PDU. The first two after LL_START_ENC_REQ end that procedure (Vol 6, Part B, 5.1.3.1).
    mutating func addEncrypted() -> ConversationPlace? {
        guard let index = index(of: .encryptionStart) else { return nil }
        running[index].encryptedPDUs += 1
        let place = ConversationPlace(.encryptionStart, running[index].conversation)
        if running[index].encryptedPDUs >= 2 { running.remove(at: index) }
        return place
    }

    /// Continues an update of the connection that began on the signalling channel of L2CAP.
    mutating func expectConnectionUpdate(in conversation: Int) {
        remove(.connectionUpdate)
        running.append(Running(procedure: .connectionUpdate, conversation: conversation))
    }

    private mutating func startResponse(_ conversations: inout ConversationCounter) -> ConversationPlace {
        addEncrypted() ?? ConversationPlace(.encryptionStart, conversations.begin())
    }

    private mutating func begin(_ procedure: Procedure, _ conversations: inout ConversationCounter) -> ConversationPlace
    {
        remove(procedure)
        let conversation = conversations.begin()
        running.append(Running(procedure: procedure, conversation: conversation))
        return ConversationPlace(procedure, conversation)
    }

    private mutating func next(of procedure: Procedure, _ conversations: inout ConversationCounter) -> ConversationPlace
    {
        guard let index = index(of: procedure) else { return begin(procedure, &conversations) }
        return ConversationPlace(procedure, running[index].conversation)
    }

    private mutating func last(of procedure: Procedure, _ conversations: inout ConversationCounter) -> ConversationPlace
    {
        let place = next(of: procedure, &conversations)
        remove(procedure)
        return place
    }

    private func index(of procedure: Procedure) -> Int? { running.firstIndex { $0.procedure == procedure } }

    private mutating func remove(_ procedure: Procedure) {
        if let index = index(of: procedure) { running.remove(at: index) }
    }

    private static func procedure(of opcode: LL.ControlOpcode) -> Procedure? {
        switch opcode {
        case .connectionParamReq, .connectionParamRsp, .connectionUpdateInd: .connectionUpdate
        case .encReq, .startEncReq: .encryptionStart
        case .pauseEncReq: .encryptionPause
        case .featureReq, .peripheralFeatureReq: .featureExchange
        case .versionInd: .versionExchange
        case .pingReq: .ping
        case .lengthReq: .dataLengthUpdate
        case .phyReq: .phyUpdate
        default: nil
        }
    }
}
