import BLEWire

/// Keeps the agent that bluetoothd has equal to the one that is wanted. A connection can have one agent, whose capability does not change.
struct AgentRegistration {
    enum Call: Hashable {
        /// RegisterAgent, with the capability.
        case register(String)
        case unregister
    }

    private var wanted: String?
    private var registered: String?
    private var calling: Call?
    /// Whether bluetoothd refused what counts as registered.
    private var isRefused = false

    /// - Parameter capability: Nil for no agent.
    mutating func want(_ capability: SMP.IOCapability?) { wanted = capability.map(Self.name) }

    /// Whether bluetoothd has the agent that is wanted, or has refused it.
    var isSettled: Bool { calling == nil && wanted == registered }

    /// bluetoothd has forgotten the agent.
    mutating func lost() { (registered, calling, isRefused) = (nil, nil, false) }

    /// A pairing begins, for which a registration that was refused is tried again.
    mutating func retry() { if isRefused { (registered, isRefused) = (nil, false) } }

    /// The call to make now. Its result has to follow before the next one.
    mutating func next() -> Call? {
        guard calling == nil, wanted != registered else { return nil }
        calling = registered != nil ? .unregister : wanted.map { .register($0) }
        return calling
    }

    /// Takes the result of the call. A registration that failed is not repeated until another capability is wanted, or a pairing begins.
    mutating func finished(isRefused: Bool = false) {
        self.isRefused = isRefused
        switch calling {
        case .register(let capability)?: registered = capability
        case .unregister?: registered = nil
        case nil: break
        }
        calling = nil
    }

    private static func name(_ capability: SMP.IOCapability) -> String {
        switch capability {
        case .displayOnly: "DisplayOnly"
        case .displayYesNo: "DisplayYesNo"
        case .keyboardOnly: "KeyboardOnly"
        case .keyboardDisplay: "KeyboardDisplay"
        default: "NoInputNoOutput"
        }
    }
}
