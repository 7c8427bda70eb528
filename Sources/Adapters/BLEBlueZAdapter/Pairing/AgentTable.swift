import BLEAdapter
import BLESecurity
import BLEWire

/// The agents of pairing sessions, and the questions of bluetoothd without an answer.
struct AgentTable {
    struct Question: Hashable {
        enum Kind: Hashable {
            case accept
            case compare
            case enterPasskey
            /// Needs no answer and stays until its dismissal. With the number of digits that the peer's user has entered.
            case display(entered: UInt16)
        }

        let number: PairingQuestionNumber
        /// The path of the device.
        let device: String
        let session: Int
        var kind: Kind

        var isDisplay: Bool { if case .display = kind { true } else { false } }
    }

    /// What happens with a call of bluetoothd.
    enum Decision: Hashable {
        /// The agent is asked. Earlier questions about the device are void.
        case ask(Question, AgentRequest, void: [Question])
        case reply(AgentReply)
        /// The display of a passkey goes on.
        case progress(SMP.KeypressNotification.Kind?)
        /// Questions are void.
        case void([Question])
    }

    /// What an answer of the user leads to.
    enum Outcome: Hashable {
        /// Nothing, as for an unknown question or an answer of another kind.
        case nothing
        case reply(AgentReply, Question)
        /// The pairing of a displayed passkey has to end.
        case end(Question)
    }

    /// bluetoothd asks an agent about one device at a time, and displays one passkey for each.
    static let limit = 32

    private struct Agent {
        let session: Int
        let capability: PairingAgentCapability
    }

    /// The last one answers.
    private var agents: [Agent] = []
    private(set) var questions: [Question] = []
    private var lastNumber: UInt64 = 0

    /// The capability of the agent that is asked; nil without an agent.
    var capability: SMP.IOCapability? { agents.last?.capability.ioCapability }

    /// Sets or removes the agent of a session. Returns the questions that are void.
    mutating func setAgent(_ capability: PairingAgentCapability?, session: Int) -> [Question] {
        agents.removeAll { $0.session == session }
        guard let capability else { return remove { $0.session == session } }
        agents.append(Agent(session: session, capability: capability))
        return []
    }

    // MARK: Calls of bluetoothd

    /// - Parameters:
    ///   - proposal: What a pairing without authentication with a device leads to; nil for a device that is unknown.
    ///   - isServing: Whether pairings that devices begin are accepted also without an agent.
    ///   - isLE: Whether a device supports LE.
    mutating func decide(
        _ call: AgentCall, proposal: (String) -> PairingProposal?, isServing: Bool, isLE: (String) -> Bool
    ) -> Decision {
        switch call {
        case .release: return .void(removeAll())
        case .cancel:
            // bluetoothd sends no Cancel for a display, although its documentation says so.
            let waiting = remove { !$0.isDisplay }
            return .void(waiting.isEmpty ? removeAll() : waiting)
        case .pinCode, .authorizeService, .invalid: return .reply(.reject)
        case .requestAuthorization(let device):
            guard let proposal = proposal(device) else { return .reply(.reject) }
            guard agents.last?.capability.acceptsPairings == true else {
                return .reply((isServing || !agents.isEmpty) && isLE(device) ? .accept : .reject)
            }
            return ask(.accept, device, .accept(proposal))
        case .requestConfirmation(let device, let value): return ask(.compare, device, .compare(value))
        case .requestPasskey(let device): return ask(.enterPasskey, device, .enterPasskey)
        case .displayPasskey(let device, let passkey, let entered):
            if let index = questions.firstIndex(where: { $0.device == device && $0.isDisplay }),
                case .display(let before) = questions[index].kind, entered > 0
            {
                questions[index].kind = .display(entered: entered)
                return .progress(entered > before ? .digitEntered : entered < before ? .digitErased : nil)
            }
            return ask(.display(entered: entered), device, .display(passkey))
        }
    }

    private mutating func ask(_ kind: Question.Kind, _ device: String, _ request: AgentRequest) -> Decision {
        guard let agent = agents.last else { return .reply(.reject) }
        let void = remove { $0.device == device }
        guard questions.count < Self.limit else { return .reply(.reject) }
        lastNumber += 1
        let question = Question(
            number: PairingQuestionNumber(rawValue: lastNumber), device: device, session: agent.session, kind: kind)
        questions.append(question)
        return .ask(question, request, void: void)
    }

    // MARK: Answers

    mutating func answer(_ number: PairingQuestionNumber, _ answer: AgentAnswer, session: Int) -> Outcome {
        guard let question = questions.first(where: { $0.number == number && $0.session == session }) else {
            return .nothing
        }
        let reply: AgentReply
        switch (question.kind, answer) {
        case (.display, .cancel): return .end(question)
        case (.accept, .accept(true)), (.compare, .accept(true)): reply = .accept
        case (.accept, .accept(false)), (.compare, .accept(false)): reply = .reject
        case (.enterPasskey, .passkey(let passkey)): reply = .passkey(UInt32(passkey.value))
        case (_, .cancel): reply = .cancel
        // bluetoothd has no call for the keys that are pressed before the passkey is complete.
        default: return .nothing
        }
        _ = remove { $0.number == number }
        return .reply(reply, question)
    }

    /// The pairing with a device ended. Returns the questions that are void.
    mutating func end(_ device: String) -> [Question] { remove { $0.device == device } }

    mutating func removeAll() -> [Question] { remove { _ in true } }

    private mutating func remove(_ isVoid: (Question) -> Bool) -> [Question] {
        let void = questions.filter(isVoid)
        questions.removeAll(where: isVoid)
        return void
    }
}
