import BluetoothPairing
import Foundation

/// Answers the prompts of pairings in a session. Questions go to the user of the session, if there is one. The agent refuses the
/// pairings of devices that the session has not chosen.
@MainActor
final class SessionAgent: @preconcurrency PairingAgent {
    nonisolated let capability: PairingCapability
    /// Whether the session wants a pairing with this device.
    private let accepts: @MainActor (UUID) -> Bool
    /// Whether the user has asked for the pairing under way.
    private let isAsked: @MainActor () -> Bool
    private let note: @MainActor (String) -> Void
    /// Asks the user; nil without a user. The answer is nil if the question ends without one.
    private let ask: (@MainActor (String) async -> String?)?
    private let endQuestion: @MainActor () -> Void
    private var pending: PairingPrompt?

    init(
        accepts: @escaping @MainActor (UUID) -> Bool, isAsked: @escaping @MainActor () -> Bool = { false },
        note: @escaping @MainActor (String) -> Void,
        ask: (@MainActor (String) async -> String?)? = nil,
        endQuestion: @escaping @MainActor () -> Void = {}
    ) {
        capability = ask == nil ? .noInputNoOutput : .keyboardDisplay
        self.accepts = accepts
        self.isAsked = isAsked
        self.note = note
        self.ask = ask
        self.endQuestion = endQuestion
    }

    func handle(_ prompt: PairingPrompt) {
        guard accepts(prompt.device.identifier) else { return prompt.cancel() }
        let name = ValueText.printable(prompt.device.name ?? shortened(prompt.device.identifier))
        switch prompt {
        case .accept(let request):
            guard request.replaces != nil else { return request.accept() }
            question(prompt, "\(name) wants to replace the keys of its bond. Allow it? [y/N] ") { answer in
                answer.isYes ? request.accept() : request.refuse()
            }
        case .display(let display): note("Enter the passkey \(display.digits) on \(name).")
        case .compare(let comparison):
            question(prompt, "Does \(name) display \(comparison.digits)? [y/N] ") { comparison.confirm($0.isYes) }
        case .enter(let entry):
            question(prompt, "The passkey that \(name) displays: ") { answer in
                guard let answer, entry.enter(answer.trimmingCharacters(in: .whitespaces)) else {
                    return entry.cancel()
                }
            }
        }
    }

    func pairingEnded(with device: PairingDevice, _ result: Result<PairingSecurity, PairingError>) {
        // A pairing that the user asked for has its own result.
        if !isAsked() { note(PairingRecord.sentence(about: device, result)) }
    }

    func dismiss(_ prompt: PairingPrompt) {
        guard pending?.id == prompt.id else { return }
        pending = nil
        endQuestion()
    }

    private func question(
        _ prompt: PairingPrompt, _ text: String, _ use: @escaping @MainActor (String?) -> Void
    ) {
        guard let ask else { return use(nil) }
        // The answer to one question must not pair another device.
        guard pending == nil else { return prompt.cancel() }
        pending = prompt
        Task {
            let answer = await ask(text)
            // A dismissed prompt takes no answer.
            guard pending?.id == prompt.id else { return }
            pending = nil
            use(answer)
        }
    }
}

extension String? {
    fileprivate var isYes: Bool { ["y", "yes"].contains(self?.trimmingCharacters(in: .whitespaces).lowercased()) }
}
