internal import BLEWire

/// Answers for the user during pairings: shows passkeys, asks for them, and accepts or refuses pairings.
///
/// A graphical program implements it with dialogs, a service with rules:
///
/// ```swift
/// @MainActor final class Dialogs: @preconcurrency PairingAgent {
///     let capability = PairingCapability.keyboardDisplay
///
///     func handle(_ prompt: PairingPrompt) {
///         switch prompt {
///         case .accept(let request):
///             ask("Pair with \(request.device.name ?? "a device")?") { $0 ? request.accept() : request.refuse() }
///         case .display(let passkey):
///             show("Enter \(passkey.digits) on \(passkey.device.name ?? "the other device").")
///         case .compare(let comparison):
///             ask("Does the other device show \(comparison.digits)?") { comparison.confirm($0) }
///         case .enter(let entry):
///             askForText("The passkey:") { _ = entry.enter($0) }
///         }
///     }
///
///     func dismiss(_ prompt: PairingPrompt) { print("The dialog closes.") }
///
///     // The program's dialogs.
///     private func show(_ text: String) { print(text) }
///     private func ask(_ question: String, _ answer: @escaping (Bool) -> Void) { answer(true) }
///     private func askForText(_ question: String, _ answer: @escaping (String) -> Void) { answer("123456") }
/// }
/// ```
///
/// The methods run on the queue of the ``PairingManager``. They have to return soon; the answer may come later.
public protocol PairingAgent: AnyObject, Sendable {
    /// What the user can see and enter. It determines how the devices authenticate each other. ``PairingManager`` reads it
    /// when the agent is set.
    var capability: PairingCapability { get }

    /// Shows a message, or asks a question and answers it.
    ///
    /// The prompts are those that ``capability`` allows, and ``PairingPrompt/accept(_:)``.
    func handle(_ prompt: PairingPrompt)

    /// Withdraws a prompt that has no answer yet, or the display of a passkey: the pairing went on or ended. The default
    /// does nothing.
    func dismiss(_ prompt: PairingPrompt)

    /// The user of another device pressed a key while this device displays the passkey. The default does nothing.
    func userPressed(_ key: PairingKeypress, on device: PairingDevice)

    /// A pairing ended, whichever device began it. The default does nothing.
    func pairingEnded(with device: PairingDevice, _ result: Result<PairingSecurity, PairingError>)
}

extension PairingAgent {
    /// Does nothing.
    public func dismiss(_ prompt: PairingPrompt) {}
    /// Does nothing.
    public func userPressed(_ key: PairingKeypress, on device: PairingDevice) {}
    /// Does nothing.
    public func pairingEnded(with device: PairingDevice, _ result: Result<PairingSecurity, PairingError>) {}
}

/// The display and the keys of a device (Vol 3, Part H, 2.3.2).
public enum PairingCapability: Hashable, Sendable, CaseIterable {
    /// Neither. Devices pair without authentication ("just works").
    case noInputNoOutput
    /// A display for six digits.
    case displayOnly
    /// A display for six digits, and keys for yes and no.
    case displayYesNo
    /// Keys for digits.
    case keyboardOnly
    /// A display and keys for digits, as a computer or a phone has them.
    case keyboardDisplay

    var ioCapability: SMP.IOCapability {
        switch self {
        case .noInputNoOutput: .noInputNoOutput
        case .displayOnly: .displayOnly
        case .displayYesNo: .displayYesNo
        case .keyboardOnly: .keyboardOnly
        case .keyboardDisplay: .keyboardDisplay
        }
    }
}
