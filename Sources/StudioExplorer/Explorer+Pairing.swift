import BluetoothPairing
import DeviceScripts
import Foundation

extension Explorer {
    /// The most prompts that wait. Each link has at most one.
    private static let promptLimit = 32

    func isBonded(_ device: UUID) -> Bool { pairing.bonds.contains { $0.identifier == device } }

    func pair(_ index: Int, _ level: ExplorerAction.PairingLevel) {
        guard !devices[index].isPairing else { return }
        devices[index].isPairing = true
        let device = devices[index].identifier
        let name = title(index)
        let minimum: PairingSecurity.Level =
            switch level {
            case .encrypted: .encrypted
            case .authenticated: .authenticated
            case .secureConnections: .secureConnections
            }
        call(
            "pair", ["name": name], "Pair with \(name)",
            swift: "pairing.pair(peripheral.identifier, minimum: .\(minimum))", device)
        pairing.pair(device, minimum: minimum) { [weak self] result in self?.paired(device, level, result) }
    }

    private func paired(
        _ device: UUID, _ level: ExplorerAction.PairingLevel, _ result: Result<PairingSecurity, PairingError>
    ) {
        guard let index = index(of: device) else { return }
        devices[index].isPairing = false
        if case .success = result {
            let security = ScriptSecurity(rawValue: level.rawValue) ?? .encrypted
            devices[index].recording.add(.action(.pair(security)))
        }
        touch()
    }

    /// A pairing ended, whichever device began it.
    func pairingEnded(_ device: UUID, _ result: Result<PairingSecurity, PairingError>) {
        guard let index = index(of: device) else { return }
        let name = title(index)
        let method = "pairingEnded(with:_:)"
        devices[index].isBonded = isBonded(device)
        switch result {
        case .success(let security):
            devices[index].securityLevel = security.level.rawValue
            callback(
                "paired", ["name": name, "level": "\(security.level.rawValue)"],
                "Paired with \(name): security level \(security.level.rawValue)", swift: method, device)
        case .failure(let error):
            failure("pairing-failed", ["name": name], "The pairing with \(name) failed", error, swift: method, device)
        }
    }

    func unpair(_ device: UUID) {
        call("unpair", [:], "Delete the keys of the device", swift: "pairing.unpair(peripheral.identifier)", device)
        pairing.unpair(device) { [weak self] hadKeys in
            guard let self else { return }
            if let index = index(of: device) {
                devices[index].isBonded = isBonded(device)
                devices[index].securityLevel = nil
            }
            if hadKeys {
                note("unpaired", [:], "The keys are deleted", device)
            } else {
                note("no-keys", [:], "There were no keys of the device", device)
            }
        }
    }

    // MARK: Prompts

    func ask(_ prompt: PairingPrompt) {
        guard prompts.count < Self.promptLimit else { return prompt.cancel() }
        prompts.append((nextPrompt, prompt))
        nextPrompt += 1
        let name = prompt.device.name.map(ShownText.name) ?? String(prompt.device.identifier.uuidString.prefix(8))
        let text =
            switch prompt {
            case .accept: "\(name) wants to pair"
            case .display(let display): "Enter \(display.digits) on \(name)"
            case .compare(let comparison): "Does \(name) show \(comparison.digits)?"
            case .enter: "Enter the passkey that \(name) shows"
            }
        callback(
            "prompt-\(PromptState.Kind(prompt).rawValue)", ["name": name], text, swift: "handle(_:)",
            prompt.device.identifier)
    }

    func dismiss(_ prompt: PairingPrompt) {
        prompts.removeAll { $0.prompt.id == prompt.id }
        touch()
    }

    func answer(_ number: Int, _ accepts: Bool, _ passkey: String?) throws(ExplorerFailure) {
        guard let index = prompts.firstIndex(where: { $0.number == number }) else {
            throw ExplorerFailure("unknown-prompt", "The prompt no longer waits for an answer.")
        }
        let prompt = prompts[index].prompt
        let device = prompt.device.identifier
        switch prompt {
        case .accept(let request):
            call(
                accepts ? "accept" : "refuse", [:], accepts ? "Accept the pairing" : "Refuse the pairing",
                swift: accepts ? "request.accept()" : "request.refuse()", device)
            if accepts { request.accept() } else { request.refuse() }
        case .display:
            // An accepted display stays until the pairing goes on.
            guard !accepts else { return }
            call("cancel", [:], "Cancel the pairing", swift: "display.cancel()", device)
            prompt.cancel()
        case .compare(let comparison):
            call(
                accepts ? "equal" : "different", [:], accepts ? "The digits are equal" : "The digits differ",
                swift: "comparison.confirm(\(accepts))", device)
            comparison.confirm(accepts)
        case .enter(let entry):
            guard accepts else {
                call("cancel", [:], "Cancel the pairing", swift: "entry.cancel()", device)
                entry.cancel()
                break
            }
            let digits = (passkey ?? "").filter { !$0.isWhitespace }
            // The log does not keep the passkey.
            guard entry.enter(digits) else {
                throw ExplorerFailure("passkey", "A passkey has one to six decimal digits.")
            }
            call("enter", [:], "Enter the passkey", swift: "entry.enter(passkey)", device)
        }
        prompts.removeAll { $0.number == number }
        touch()
    }
}

extension PromptState.Kind {
    init(_ prompt: PairingPrompt) {
        self =
            switch prompt {
            case .accept: .accept
            case .display: .display
            case .compare: .compare
            case .enter: .enter
            }
    }
}

extension PromptState {
    init(_ number: Int, _ prompt: PairingPrompt) {
        let digits: String? =
            switch prompt {
            case .display(let display): display.digits
            case .compare(let comparison): comparison.digits
            case .accept, .enter: nil
            }
        self.init(
            id: number, kind: Kind(prompt), device: prompt.device.identifier.uuidString,
            name: prompt.device.name.map(ShownText.name), digits: digits)
    }
}

/// Passes the prompts of pairings to the explorer.
final class ExplorerAgent: PairingAgent, @unchecked Sendable {
    /// Set once, before the agent is in use.
    weak var explorer: Explorer?

    /// A phone has a display and a keyboard (Vol 3, Part H, 2.3.2).
    let capability = PairingCapability.keyboardDisplay

    func handle(_ prompt: PairingPrompt) {
        if let explorer { explorer.ask(prompt) } else { prompt.cancel() }
    }

    func dismiss(_ prompt: PairingPrompt) { explorer?.dismiss(prompt) }

    func pairingEnded(with device: PairingDevice, _ result: Result<PairingSecurity, PairingError>) {
        explorer?.pairingEnded(device.identifier, result)
    }
}
