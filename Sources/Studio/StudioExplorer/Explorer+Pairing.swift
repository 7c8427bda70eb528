import BluetoothPairing
import DeviceFiles
import Foundation
import Phrases

extension Explorer {
    func isBonded(_ device: UUID) -> Bool { pairing.bonds.contains { $0.identifier == device } }

    func pair(_ index: Int, _ level: ExplorerAction.PairingLevel) {
        guard !devices[index].isPairing else { return }
        devices[index].isPairing = true
        let device = devices[index].identifier
        let name = devices[index].title
        let minimum: PairingSecurity.Level =
            switch level {
            case .encrypted: .encrypted
            case .authenticated: .authenticated
            case .secureConnections: .secureConnections
            }
        writer.call(
            "pair", Phrase("Pair with \(name)", "与 \(name) 配对"),
            swift: "pairing.pair(peripheral.identifier, minimum: .\(minimum))", device)
        pairing.pair(device, minimum: minimum) { [weak self] result in self?.paired(device, level, result) }
    }

    private func paired(
        _ device: UUID, _ level: ExplorerAction.PairingLevel, _ result: Result<PairingSecurity, PairingError>
    ) {
        guard let index = devices.index(of: device) else { return }
        devices[index].isPairing = false
        if case .success = result {
            let security = ScriptSecurity(rawValue: level.rawValue) ?? .encrypted
            devices[index].recording.add(.action(.pair(security)))
        }
        touch()
    }

    /// A pairing ended, whichever device began it.
    func pairingEnded(_ device: UUID, _ result: Result<PairingSecurity, PairingError>) {
        guard let index = devices.index(of: device) else { return }
        let name = devices[index].title
        let method = "pairingEnded(with:_:)"
        devices[index].isBonded = isBonded(device)
        switch result {
        case .success(let security):
            devices[index].securityLevel = security.level.rawValue
            writer.callback(
                "paired",
                Phrase(
                    "Paired with \(name): security level \(security.level.rawValue)",
                    "已与 \(name) 配对：安全级别 \(security.level.rawValue)"), swift: method, device)
        case .failure(let error):
            writer.failure(
                "pairing-failed", Phrase("The pairing with \(name) failed", "与 \(name) 配对失败"), error, swift: method,
                device)
        }
    }

    func unpair(_ device: UUID) {
        writer.call(
            "unpair", Phrase("Delete the keys of the device", "删除设备的密钥"),
            swift: "pairing.unpair(peripheral.identifier)", device)
        pairing.unpair(device) { [weak self] hadKeys in
            guard let self else { return }
            if let index = devices.index(of: device) {
                devices[index].isBonded = isBonded(device)
                devices[index].securityLevel = nil
            }
            if hadKeys {
                writer.note("unpaired", Phrase("The keys are deleted", "密钥已删除"), device)
            } else {
                writer.note("no-keys", Phrase("There were no keys of the device", "没有这个设备的密钥"), device)
            }
        }
    }

    // MARK: Prompts

    func ask(_ prompt: PairingPrompt) {
        guard prompts.add(prompt) else { return prompt.cancel() }
        let name = prompt.device.name.map(ShownText.name) ?? String(prompt.device.identifier.uuidString.prefix(8))
        let text =
            switch prompt {
            case .accept: Phrase("\(name) wants to pair", "\(name) 请求配对")
            case .display(let display):
                Phrase("Enter \(display.digits) on \(name)", "在 \(name) 上输入 \(display.digits)")
            case .compare(let comparison):
                Phrase("Does \(name) show \(comparison.digits)?", "\(name) 显示的是 \(comparison.digits) 吗？")
            case .enter: Phrase("Enter the passkey that \(name) shows", "输入 \(name) 显示的配对码")
            }
        writer.callback(
            "prompt-\(PromptState.Kind(prompt).rawValue)", text, swift: "handle(_:)",
            prompt.device.identifier)
    }

    func dismiss(_ prompt: PairingPrompt) {
        prompts.remove(prompt)
        touch()
    }

    func answer(_ number: Int, _ accepts: Bool, _ passkey: String?) throws(PhrasedError) {
        let prompt = try prompts.prompt(number)
        let device = prompt.device.identifier
        switch prompt {
        case .accept(let request):
            writer.call(
                accepts ? "accept" : "refuse",
                accepts ? Phrase("Accept the pairing", "接受配对") : Phrase("Refuse the pairing", "拒绝配对"),
                swift: accepts ? "request.accept()" : "request.refuse()", device)
            if accepts { request.accept() } else { request.refuse() }
        case .display:
            // An accepted display stays until the pairing goes on.
            guard !accepts else { return }
            writer.call("cancel", Phrase("Cancel the pairing", "取消配对"), swift: "display.cancel()", device)
            prompt.cancel()
        case .compare(let comparison):
            writer.call(
                accepts ? "equal" : "different",
                accepts ? Phrase("The digits are equal", "数字相同") : Phrase("The digits differ", "数字不同"),
                swift: "comparison.confirm(\(accepts))", device)
            comparison.confirm(accepts)
        case .enter(let entry):
            guard accepts else {
                writer.call("cancel", Phrase("Cancel the pairing", "取消配对"), swift: "entry.cancel()", device)
                entry.cancel()
                break
            }
            let digits = (passkey ?? "").filter { !$0.isWhitespace }
            // The log does not keep the passkey.
            guard entry.enter(digits) else {
                throw PhrasedError(
                    "passkey", Phrase("A passkey has one to six decimal digits.", "配对码由 1 到 6 位十进制数字组成。"))
            }
            writer.call("enter", Phrase("Enter the passkey", "输入配对码"), swift: "entry.enter(passkey)", device)
        }
        prompts.remove(number)
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

/// Passes the prompts of pairings to the explorer. The pairing manager calls it on the explorer's queue.
final class ExplorerAgent: PairingAgent {
    private weak let explorer: Explorer?

    /// A phone has a display and a keyboard (Vol 3, Part H, 2.3.2).
    let capability = PairingCapability.keyboardDisplay

    init(_ explorer: Explorer) { self.explorer = explorer }

    func handle(_ prompt: PairingPrompt) {
        if let explorer { explorer.ask(prompt) } else { prompt.cancel() }
    }

    func dismiss(_ prompt: PairingPrompt) { explorer?.dismiss(prompt) }

    func pairingEnded(with device: PairingDevice, _ result: Result<PairingSecurity, PairingError>) {
        explorer?.pairingEnded(device.identifier, result)
    }
}
