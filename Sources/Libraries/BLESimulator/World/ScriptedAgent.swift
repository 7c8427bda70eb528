import BLEAdapter
import BluetoothPairing

/// The user of a ``VirtualDevice`` during pairings: a display, keys, and rules by which the user answers.
///
/// ```swift
/// let lock = world.addDevice("lock", agent: .displaysPasskey)
/// let phone = world.addDevice("phone", agent: .entersPasskey(shownBy: lock))
/// ```
///
/// An agent belongs to one device. Its rules run while virtual time stands still, so runs with it are reproducible.
///
/// A rule of its own answers each prompt, at once or later:
///
/// ```swift
/// let careless = ScriptedAgent(.displayYesNo) { prompt in
///     switch prompt {
///     case .accept(let request): request.accept()
///     case .compare(let comparison): comparison.confirm(true)
///     case .display, .enter: break
///     }
/// }
/// ```
public final class ScriptedAgent: PairingAgent {
    private struct Content {
        var displayed: PairingPrompt?
        /// Rules of other devices that wait for a passkey on this device's display.
        var readers: [@Sendable (String) -> Void] = []
        var results: [Result<PairingSecurity, PairingError>] = []
    }

    /// The display and the keys of the device.
    public let capability: PairingCapability

    private let rule: @Sendable (PairingPrompt) -> Void
    private let content = Lock(Content())

    /// Creates an agent with a rule.
    ///
    /// - Parameters:
    ///   - capability: The display and the keys of the device.
    ///   - rule: Answers a prompt, or keeps it and answers later.
    public init(_ capability: PairingCapability, rule: @escaping @Sendable (PairingPrompt) -> Void) {
        self.capability = capability
        self.rule = rule
    }

    /// The passkey on the display; nil if there is none.
    public var displayedPasskey: String? { content.withLock { $0.displayed?.passkey } }

    /// The ends of all pairings so far.
    public var results: [Result<PairingSecurity, PairingError>] { content.withLock { $0.results } }

    // MARK: Rules

    /// A device without display and keys, which accepts every pairing.
    public static var justWorks: ScriptedAgent { ScriptedAgent(.noInputNoOutput, rule: answer()) }

    /// A device without display and keys, which refuses every pairing.
    public static var refuses: ScriptedAgent {
        ScriptedAgent(.noInputNoOutput) { prompt in
            if case .accept(let request) = prompt { request.refuse() } else { prompt.cancel() }
        }
    }

    /// A device with a display for passkeys, and without keys.
    public static var displaysPasskey: ScriptedAgent { ScriptedAgent(.displayOnly, rule: answer()) }

    /// A device with a display and keys for yes and no, whose user confirms every comparison.
    public static var confirms: ScriptedAgent { ScriptedAgent(.displayYesNo, rule: answer()) }

    /// A device with a display and keys for yes and no, whose user rejects every comparison.
    public static var rejects: ScriptedAgent { ScriptedAgent(.displayYesNo, rule: answer(confirms: false)) }

    /// A device with a keyboard, whose user enters always the same passkey.
    ///
    /// - Parameter passkey: One to six decimal digits.
    public static func enters(_ passkey: String) -> ScriptedAgent {
        ScriptedAgent(.keyboardOnly, rule: answer { $0.enter(passkey) })
    }

    /// A device with a keyboard, whose user enters the passkey that another device displays, as soon as it does.
    ///
    /// - Parameter device: A device whose agent has a display.
    public static func entersPasskey(shownBy device: VirtualDevice) -> ScriptedAgent {
        let display = device.agent
        return ScriptedAgent(
            .keyboardOnly,
            rule: answer { entry in
                guard let display else { return entry.cancel() }
                display.read { entry.enter($0) }
            })
    }

    /// A rule that accepts requests and answers the other prompts.
    private static func answer(
        confirms: Bool = true, _ enter: @escaping @Sendable (PasskeyEntry) -> Void = { $0.cancel() }
    ) -> @Sendable (PairingPrompt) -> Void {
        { prompt in
            switch prompt {
            case .accept(let request): request.accept()
            case .display: break
            case .compare(let comparison): comparison.confirm(confirms)
            case .enter(let entry): enter(entry)
            }
        }
    }

    /// Calls `reader` with the displayed passkey, or with the next one.
    private func read(_ reader: @escaping @Sendable (String) -> Void) {
        let passkey = content.withLock { content in
            let passkey = content.displayed?.passkey
            if passkey == nil { content.readers.append(reader) }
            return passkey
        }
        if let passkey { reader(passkey) }
    }

    // MARK: PairingAgent

    /// Shows a passkey on the display, and applies the rule.
    public func handle(_ prompt: PairingPrompt) {
        if let passkey = prompt.passkey {
            let readers = content.withLock { content in
                content.displayed = prompt
                defer { content.readers = [] }
                return content.readers
            }
            for reader in readers { reader(passkey) }
        }
        rule(prompt)
    }

    /// Clears the display.
    public func dismiss(_ prompt: PairingPrompt) {
        content.withLock { content in
            if content.displayed?.id == prompt.id { content.displayed = nil }
        }
    }

    /// Records the result.
    public func pairingEnded(with device: PairingDevice, _ result: Result<PairingSecurity, PairingError>) {
        content.withLock { $0.results.append(result) }
    }
}

extension PairingPrompt {
    /// The passkey to display.
    fileprivate var passkey: String? {
        if case .display(let display) = self { return display.digits }
        return nil
    }
}
