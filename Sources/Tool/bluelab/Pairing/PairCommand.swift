import ArgumentParser
import BLERuntime
import BluetoothPairing
import CoreBluetooth
import Foundation

struct PairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair with a device, and keep its keys.",
        discussion: """
            Asks for a passkey, or for a comparison of six digits, if the device supports that. Ctrl-C cancels the pairing.

              bluelab pair wristband
              bluelab pair keyboard --security authenticated
              bluelab pair wristband --yes --json            # in a script
              bluelab pair lock --passkey-file passkey       # in a script: the first line of the file
              pass show lock | bluelab pair lock --passkey -

            Without a terminal, a device that is not paired requires --yes, --passkey or --passkey-file; otherwise the command ends \
            with exit code 7. \
            Use a file or the standard input for a passkey that other users must not see: the process list shows the value of \
            --passkey. `bluelab bonds` lists the paired devices.
            """)

    /// The values of `--security`.
    enum Security: String, CaseIterable, ExpressibleByArgument {
        case encrypted, authenticated
        case secureConnections = "secure-connections"

        var level: PairingSecurity.Level {
            switch self {
            case .encrypted: .encrypted
            case .authenticated: .authenticated
            case .secureConnections: .secureConnections
            }
        }
    }

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceChoice

    @Option(help: "The least protection: encrypted, authenticated or secure-connections.")
    var security = Security.encrypted

    @Flag(help: "Accept every question, also that the numbers on both devices are equal.")
    var yes = false

    @OptionGroup var passkey: PasskeyOptions

    func run() async throws {
        try options.apply()
        let passkey = try passkey.value(within: target.timeout)
        try await CentralClient.run { client in
            try await client.powerOn(target.timeout)
            let peripheral = try await DeviceQuery(wanted: target.device).find(with: client, target.timeout)
            let pairing = PairingManager()
            // The keys of a paired device need no user.
            let isPaired = pairing.bonds.contains { $0.identifier == peripheral.identifier }
            guard isPaired || yes || passkey != nil || TerminalAgent.hasTerminal else {
                throw ToolError.noUser(for: target.device)
            }
            let agent = TerminalAgent(for: { peripheral.identifier }, acceptsAll: yes, passkey: passkey)
            // The device can request a pairing as soon as it is connected.
            pairing.setAgent(agent)
            defer { agent.endQuestion() }
            try await client.connect(peripheral, within: target.timeout)
            let result = try await client.pair(peripheral, pairing, minimum: security.level)
            try emit(PairingRecord("paired", peripheral.identifier, peripheral.name, result).line(asJSON: options.json))
        }
    }
}

extension CentralClient {
    /// Pairs with the connected device. A signal cancels the pairing.
    func pair(
        _ peripheral: CBPeripheral, _ pairing: PairingManager, minimum: PairingSecurity.Level
    ) async throws -> PairingSecurity {
        let name = ValueText.printable(peripheral.name ?? shortened(peripheral.identifier))
        var security: PairingSecurity?
        let start = {
            pairing.pair(peripheral.identifier, minimum: minimum) { [weak self] result in
                MainActor.assumeIsolated { self?.report(.paired(result)) }
            }
        }
        do {
            // The pairing itself fails if a step takes 30 s (Vol 3, Part H, 3.4).
            let isAnswered = try await wait(.seconds(300), after: start) { event in
                switch event {
                case .paired(.success(let result)):
                    security = result
                    return true
                case .paired(.failure(let error)): throw ToolError.pairing(with: name, error)
                case .disconnected: throw ToolError.pairing(with: name, nil)
                default: return false
                }
            }
            guard isAnswered, let security else {
                pairing.cancelPairing(with: peripheral.identifier)
                throw ToolError(
                    .timeout, "the pairing with \(name) took too long.", "Try: bluelab pair \(ShellWord.quoted(name))")
            }
            return security
        } catch let failure as ToolError where failure.kind.endsByTheUser {
            pairing.cancelPairing(with: peripheral.identifier)
            throw ToolError(failure.kind, "the pairing with \(name) was cancelled.")
        }
    }
}

extension ToolError.Kind {
    /// Whether a signal ended the command.
    fileprivate var endsByTheUser: Bool { [.interrupted, .terminated, .hungUp].contains(self) }
}

extension ToolError {
    /// The failure of a command that has nothing to answer prompts with.
    static func noUser(for device: String) -> ToolError {
        ToolError(
            .security, "a pairing asks the user, and the standard input or the error stream is not a terminal.",
            "Give a passkey with --passkey-file, or accept every question with --yes.",
            "Try: bluelab pair \(ShellWord.quoted(ValueText.printable(device))) --yes")
    }

    /// The failure of a pairing; nil: the device disconnected.
    static func pairing(with name: String, _ error: PairingError?) -> ToolError {
        guard let error else {
            return ToolError(
                .failed, "the pairing with \(name) failed: the device disconnected.", "Try: bluelab scan")
        }
        let sentence = "the pairing with \(name) failed. \(error.localizedDescription)"
        switch error.code {
        case .timedOut: return ToolError(.timeout, sentence, "Try: bluelab pair \(ShellWord.quoted(name))")
        case .disconnected: return ToolError(.failed, sentence, "Try: bluelab scan --name \(ShellWord.quoted(name))")
        case .keyMissing: return ToolError(.security, sentence, "Try: bluelab unpair \(ShellWord.quoted(name))")
        case .authenticationRequirements, .insufficientSecurity:
            return ToolError(
                .security, sentence,
                "Without a terminal, --yes gives this device a display, and a passkey option a keyboard.")
        default: return ToolError(error.isFromPeer ? .refused : .security, sentence)
        }
    }
}
