import BLEWire

/// The procedures of the link layer that run on one link (Vol 6, Part B, 5.1).
struct ControlConversations: Sendable {
    private struct Running: Sendable {
        var procedure: Procedure
        /// The side that began it. Both sides may run the same procedure.
        var initiator: LinkSide
        var conversation: Int
        /// The encrypted control PDUs after LL_START_ENC_REQ.
        var encryptedPDUs = 0
    }

    /// At most one for each procedure and side.
    private var running: [Running] = []

    /// Takes a control PDU whose first octet is the opcode.
    mutating func add(
        _ payload: ArraySlice<UInt8>, from side: LinkSide, _ conversations: inout ConversationCounter
    ) -> ConversationPosition {
        guard let first = payload.first else { return ConversationPosition(.otherControl, nil) }
        let opcode = LL.ControlOpcode(rawValue: first)
        switch opcode {
        case .channelMapInd: return ConversationPosition(.channelMapUpdate, conversations.begin())
        case .terminateInd: return ConversationPosition(.termination, conversations.begin())
        case .versionInd where index(of: .versionExchange, by: side.other) == nil:
            return begin(.versionExchange, side, &conversations)
        case .encReq, .featureReq, .peripheralFeatureReq, .pauseEncReq, .connectionParamReq, .pingReq, .lengthReq,
            .phyReq:
            return begin(Self.procedure(of: opcode) ?? .otherControl, side, &conversations)
        case .encRsp, .startEncReq, .pauseEncRsp, .connectionParamRsp, .phyRsp:
            return next(Self.procedure(of: opcode) ?? .otherControl, side, &conversations)
        case .startEncRsp: return addEncrypted() ?? ConversationPosition(.encryptionStart, conversations.begin())
        case .featureRsp, .versionInd, .pingRsp, .lengthRsp, .connectionUpdateInd, .phyUpdateInd:
            return last(Self.procedure(of: opcode) ?? .otherControl, side, &conversations)
        case .rejectExtInd, .unknownRsp:
            let refused = payload.dropFirst().first.flatMap { Self.procedure(of: LL.ControlOpcode(rawValue: $0)) }
            return refused.map { last($0, side, &conversations) } ?? ConversationPosition(.otherControl, nil)
        case .rejectInd:
            // LL_REJECT_IND answers LL_ENC_REQ, and other requests of devices without extended rejects (Vol 6, Part B, 2.4.2.14).
            let refused =
                running.first { $0.procedure == .encryptionStart }
                ?? running.last { $0.initiator == side.other }
            return refused.map { last($0.procedure, side, &conversations) } ?? ConversationPosition(.otherControl, nil)
        default: return ConversationPosition(.otherControl, nil)
        }
    }

    /// Takes an encrypted control PDU. The first two after LL_START_ENC_REQ end that procedure (Vol 6, Part B, 5.1.3.1).
    mutating func addEncrypted() -> ConversationPosition? {
        guard let index = running.firstIndex(where: { $0.procedure == .encryptionStart }) else { return nil }
        running[index].encryptedPDUs += 1
        let place = ConversationPosition(.encryptionStart, running[index].conversation)
        if running[index].encryptedPDUs >= 2 { running.remove(at: index) }
        return place
    }

    /// Continues an update of the connection that the peripheral began on the signalling channel of L2CAP.
    mutating func expectConnectionUpdate(in conversation: Int) {
        remove(.connectionUpdate, by: .peripheral)
        running.append(Running(procedure: .connectionUpdate, initiator: .peripheral, conversation: conversation))
    }

    private mutating func begin(
        _ procedure: Procedure, _ side: LinkSide, _ conversations: inout ConversationCounter
    ) -> ConversationPosition {
        remove(procedure, by: side)
        let conversation = conversations.begin()
        running.append(Running(procedure: procedure, initiator: side, conversation: conversation))
        return ConversationPosition(procedure, conversation)
    }

    /// The procedure that a PDU of a side continues: one that the other side began, or one of its own.
    private func current(_ procedure: Procedure, _ side: LinkSide) -> Int? {
        index(of: procedure, by: side.other) ?? index(of: procedure, by: side)
    }

    private mutating func next(
        _ procedure: Procedure, _ side: LinkSide, _ conversations: inout ConversationCounter
    ) -> ConversationPosition {
        guard let index = current(procedure, side) else { return begin(procedure, side.other, &conversations) }
        return ConversationPosition(procedure, running[index].conversation)
    }

    private mutating func last(
        _ procedure: Procedure, _ side: LinkSide, _ conversations: inout ConversationCounter
    ) -> ConversationPosition {
        let place = next(procedure, side, &conversations)
        if let index = current(procedure, side) { running.remove(at: index) }
        return place
    }

    private func index(of procedure: Procedure, by side: LinkSide) -> Int? {
        running.firstIndex { $0.procedure == procedure && $0.initiator == side }
    }

    private mutating func remove(_ procedure: Procedure, by side: LinkSide) {
        if let index = index(of: procedure, by: side) { running.remove(at: index) }
    }

    private static func procedure(of opcode: LL.ControlOpcode) -> Procedure? {
        switch opcode {
        case .connectionParamReq, .connectionParamRsp, .connectionUpdateInd: .connectionUpdate
        case .encReq, .encRsp, .startEncReq, .startEncRsp: .encryptionStart
        case .pauseEncReq, .pauseEncRsp: .encryptionPause
        case .featureReq, .featureRsp, .peripheralFeatureReq: .featureExchange
        case .versionInd: .versionExchange
        case .pingReq, .pingRsp: .ping
        case .lengthReq, .lengthRsp: .dataLengthUpdate
        case .phyReq, .phyRsp, .phyUpdateInd: .phyUpdate
        default: nil
        }
    }
}
