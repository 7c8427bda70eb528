import BLEWire
import SystemBus

/// What bluetoothd asks an agent, or tells it.
package enum ScriptedQuestion: Hashable, Sendable {
    case confirmation(UInt32)
    case authorization
    case passkey
    case pinCode
    case displayPasskey(UInt32, entered: UInt16)
    case displayPinCode(String)
    case authorizeService(String)

    var member: String {
        switch self {
        case .confirmation: "RequestConfirmation"
        case .authorization: "RequestAuthorization"
        case .passkey: "RequestPasskey"
        case .pinCode: "RequestPinCode"
        case .displayPasskey: "DisplayPasskey"
        case .displayPinCode: "DisplayPinCode"
        case .authorizeService: "AuthorizeService"
        }
    }

    var arguments: [BusValue] {
        switch self {
        case .confirmation(let number): [.uint32(number)]
        case .authorization, .passkey, .pinCode: []
        case .displayPasskey(let number, let entered): [.uint32(number), .uint16(entered)]
        case .displayPinCode(let text), .authorizeService(let text): [.string(text)]
        }
    }
}

/// The agents, by their owners.
struct ScriptedAgents {
    var agents: [String: (path: String, capability: String)] = [:]
    /// The last is the default: the first that registered, or the one that asked for it.
    var defaults: [String] = []
    /// The agent that has a question.
    var asked: String?

    /// The agent of a program, or the default one.
    func agent(for owner: String) -> String? { agents[owner] != nil ? owner : defaults.last }

    mutating func remove(_ owner: String) {
        agents[owner] = nil
        defaults.removeAll { $0 == owner }
    }
}

extension ScriptedBlueZ {
    private static let interface = "org.bluez.Agent1"
    private static let capabilities: Set = [
        "", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay",
    ]

    func agent(_ call: BusCall) {
        let owner = call.message.sender ?? ""
        let arguments = call.message.body
        let known = agents.agents[owner]
        switch call.message.member {
        case "RegisterAgent":
            guard known == nil else { return fail(call, .alreadyExists) }
            guard arguments.count == 2, case .path(let path) = arguments[0],
                case .string(let capability) = arguments[1],
                Self.capabilities.contains(capability)
            else { return fail(call, .invalidArguments) }
            agents.agents[owner] = (path, capability.isEmpty ? "KeyboardDisplay" : capability)
            agents.defaults.insert(owner, at: 0)
        case "UnregisterAgent":
            guard let known, arguments.first?.text == known.path else { return fail(call, .doesNotExist) }
            agents.remove(owner)
        default:
            guard let known, arguments.first?.text == known.path else { return fail(call, .doesNotExist) }
            agents.defaults.removeAll { $0 == owner }
            agents.defaults.append(owner)
        }
        reply(call)
    }

    /// The registered agents: their capabilities by owner.
    package var capabilities: [String: String] { agents.agents.mapValues(\.capability) }

    /// Asks the default agent, or the one of a program.
    package func ask(
        _ question: ScriptedQuestion, about device: String, _ owner: String? = nil,
        completion: @escaping (Result<BusMessage, BusCallError>) -> Void
    ) {
        guard let owner = owner ?? agents.defaults.last, let agent = agents.agents[owner] else {
            return completion(.failure(.error("org.bluez.Error.AgentNotAvailable", "Agent Not Available")))
        }
        flush()
        agents.asked = owner
        bus?.call(
            owner, agent.path, Self.interface, question.member, [.path(device)] + question.arguments,
            timeout: .seconds(60)
        ) { [weak self] result in
            self?.agents.asked = nil
            completion(result)
        }
    }

    /// Takes the question of the moment back.
    package func cancelQuestion() { tellAgent("Cancel") }

    /// The service releases the agent that was asked last, or the default one.
    package func releaseAgent() { tellAgent("Release") }

    private func tellAgent(_ member: String) {
        guard let owner = agents.asked ?? (member == "Release" ? agents.defaults.last : nil),
            let agent = agents.agents[owner]
        else { return }
        emit(.call(owner, agent.path, Self.interface, member))
        if member == "Release" { agents.remove(owner) }
    }
}
