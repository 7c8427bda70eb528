import ArgumentParser
import BLERuntime
import BluetoothPairing

/// What a command does if the device requires a pairing.
struct PairingOptions: ParsableArguments {
    @Flag(
        help: "Never pair. What the device allows only to paired devices then fails. Without it, a pairing is reported."
    )
    var noPair = false

    /// Applies the option to the host of `pairing`.
    func apply(to pairing: PairingManager) {
        guard noPair else { return }
        var requirements = PairingRequirements()
        requirements.isPairable = false
        pairing.setRequirements(requirements)
    }

    /// Applies the option to the host, and reports pairings on the error stream as long as the result is retained.
    @MainActor
    func watch() -> PairingManager {
        let pairing = PairingManager()
        apply(to: pairing)
        // Without a display and keys, as without an agent.
        pairing.setAgent(PairingReporter(isQuiet: noPair), decidesAboutRequests: false)
        return pairing
    }
}

/// Reports the ends of pairings.
private final class PairingReporter: PairingAgent {
    let capability = PairingCapability.noInputNoOutput
    private let isQuiet: Bool

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    func handle(_ prompt: PairingPrompt) { prompt.cancel() }

    func pairingEnded(with device: PairingDevice, _ result: Result<PairingSecurity, PairingError>) {
        if !isQuiet { printError(PairingRecord.sentence(about: device, result)) }
    }
}

extension PairingRecord {
    /// The line about a pairing that the user did not ask for.
    static func sentence(about device: PairingDevice, _ result: Result<PairingSecurity, PairingError>) -> String {
        let name = ValueText.printable(device.name ?? shortened(device.identifier))
        switch result {
        case .success(let security):
            let record = PairingRecord("paired", device.identifier, device.name, security)
            return "bluelab: paired with \(name): \(record.protection). "
                + "bluelab unpair \(ShellWord.quoted(name)) deletes the keys."
        case .failure(let error): return "bluelab: the pairing with \(name) failed. \(error.localizedDescription)"
        }
    }
}
