import BLEAdapter
import BLEHost
import BLESecurity
import BLEWire

/// The agents of pairing sessions, the policy of pairings, and the questions without an answer.
struct PairingTable {
    private struct Agent {
        let session: Int
        let capability: PairingAgentCapability
    }

    struct Question {
        let number: PairingQuestionNumber
        let link: LinkIdentifier
        let session: Int
        /// `.display` needs no answer and stays until its dismissal.
        let isDisplay: Bool
    }

    let bondStore: any BondStore
    var policy = PairingPolicy()
    /// The last one answers.
    private var agents: [Agent] = []
    /// At most one for each link.
    private(set) var questions: [Question] = []
    private var lastNumber: UInt64 = 0

    init(_ bondStore: any BondStore) { self.bondStore = bondStore }

    /// The session that is asked.
    var agent: Int? { agents.last?.session }

    mutating func setAgent(_ capability: PairingAgentCapability?, session: Int) {
        agents.removeAll { $0.session == session }
        if let capability { agents.append(Agent(session: session, capability: capability)) }
    }

    /// The host's settings for the present agent. Without an agent the host pairs as a device without input and output.
    func settings(identityKey: IdentityResolvingKey?) -> PairingSettings {
        var settings = PairingSettings()
        settings.identityKey = identityKey
        settings.policy = policy
        if let capability = agents.last?.capability {
            settings.ioCapability = capability.ioCapability
            if capability.acceptsPairings {
                settings.policy.asksBeforePairing = true
                // The question names the bond that the pairing would replace.
                settings.policy.weakerBonds = .ask
            }
        }
        if settings.ioCapability != .noInputNoOutput { settings.policy.prefersManInTheMiddle = true }
        return settings
    }

    /// Records a question to the agent in place of the link's earlier question. Returns nil if there is no agent.
    mutating func ask(_ request: AgentRequest, on link: LinkIdentifier) -> Question? {
        guard let agent else { return nil }
        lastNumber += 1
        var isDisplay = false
        if case .display = request { isDisplay = true }
        let question = Question(
            number: PairingQuestionNumber(rawValue: lastNumber), link: link, session: agent, isDisplay: isDisplay)
        questions.append(question)
        return question
    }

    func question(_ number: PairingQuestionNumber, session: Int) -> Question? {
        questions.first { $0.number == number && $0.session == session }
    }

    func question(on link: LinkIdentifier) -> Question? { questions.first { $0.link == link } }

    mutating func remove(_ question: Question) { questions.removeAll { $0.number == question.number } }
}
