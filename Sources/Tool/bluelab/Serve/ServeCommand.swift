import ArgumentParser
import BluetoothPairing
import DeviceFiles
import Foundation

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Be a device: advertise and serve what a profile describes.",
        discussion: """
            Prints each read, write and subscription, until Ctrl-C. A changed file replaces the profile without a restart; a file with \
            errors does not. Pairings ask on the terminal, as in `bluelab pair`. Without a terminal they need no user, and a pairing that \
            would replace the keys of a bond is refused unless --yes is given.

            All pairings of a run use the passkey of --passkey or --passkey-file. With Secure Connections, each failed attempt tells the other \
            device one more bit of it, so choose another passkey for each run.

            Example: bluelab serve heart-rate
            Example: bluelab serve sensor.yaml --controller bluez
            Example: bluelab serve heart-rate --print > sensor.yaml
            Example: bluelab clone wristband | bluelab serve -

            Documentation/Profiles.md describes the format of profiles. `bluelab clone DEVICE` writes the profile of a real device.
            """)

    @OptionGroup var options: ClientOptions

    @Argument(help: "A YAML file, - for the standard input, or the name of a shipped profile.")
    var profile: String?

    @Flag(help: "List the shipped profiles.")
    var list = false

    @Flag(help: "Print the text of a shipped profile, as a start for another one.")
    var print = false

    @Flag(help: "Check the file and print its errors, without serving it.")
    var check = false

    @Flag(help: "Also print each notification and indication.")
    var updates = false

    @Option(
        name: [.customLong("advertise"), .customLong("name")],
        help: ArgumentHelp("The advertised name instead of the profile's.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp("End after this time.", valueName: "seconds"), transform: positiveSeconds)
    var duration: Duration?

    @Flag(help: "Accept every question of a pairing, also to replace the keys of a bond.")
    var yes = false

    @OptionGroup var passkey: PasskeyOptions
    @OptionGroup var color: ColorOptions

    func validate() throws {
        if profile == nil, !list { throw ValidationError("serve takes a profile, or --list.") }
        if profile == "-", passkey.passkey == "-" {
            throw ValidationError("the profile and the passkey cannot both come from the standard input.")
        }
        // The GAP device name has at most 248 octets (Vol 3, Part C, 12.1).
        if let name, name.isEmpty || name.utf8.count > 248 {
            throw ValidationError("a name must have 1 to 248 octets.")
        }
    }

    @MainActor
    func run() async throws {
        if list { return try listProfiles() }
        let choice = ProfileChoice(profile ?? "")
        if print, !choice.isFile { return try emit(choice.text(), terminator: "") }
        let source: DeviceProfile.Source
        do {
            source = try choice.read()
        } catch let problems as YAMLError {
            for line in problems.lines { printError(ValueText.printable(line)) }
            throw ToolError.invalidProfile(choice.name, problems)
        }
        if print { return try emit(source.profile.yaml(), terminator: "") }
        if check { return printError("\(choice.name) is valid.") }
        try options.apply()
        // The device name of GAP is the advertised one, unless the environment has another.
        if let name = name ?? source.profile.advertising.localName { setenv("BLUETOOTH_NAME", name, 0) }
        try await serve(choice, source)
    }

    @MainActor
    private func serve(_ choice: ProfileChoice, _ source: DeviceProfile.Source) async throws {
        let passkey = try passkey.value(within: .seconds(10))
        let (results, ending) = AsyncStream<Result<Void, ToolError>>.makeStream()
        let signals = TerminationSignals(on: .main) { kind in ending.yield(.failure(ToolError(kind))) }
        let run = ServeRun(
            choice, source, isJSON: options.json, showsUpdates: updates, name: name, terminal: color.terminal(),
            end: { ending.yield($0) })
        let pairing = PairingManager()
        let agent = TerminalAgent(for: nil, acceptsAll: yes, passkey: passkey)
        pairing.setAgent(agent)
        defer { agent.endQuestion() }
        run.begin()
        let limits = Task { @MainActor in
            try await Task.sleep(for: .seconds(10))
            run.checkAdapter()
        }
        let finish = Task { [duration] in
            guard let duration else { return }
            try await Task.sleep(for: duration)
            ending.yield(.success(()))
        }
        var result: Result<Void, ToolError> = .success(())
        for await first in results {
            result = first
            break
        }
        limits.cancel()
        finish.cancel()
        await run.stop()
        signals.cancel()
        withExtendedLifetime(pairing) {}
        try result.get()
    }

    private func listProfiles() throws {
        for (name, text) in ShippedProfiles.all {
            let profile = try DeviceProfile(text: text, file: name)
            let record = ShippedProfileRecord(
                name: name, text: profile.summary, services: profile.services.map { "\($0.uuid)" })
            try emit(options.json ? jsonLine(record) : "\(filled(name, 14)) \(profile.summary ?? "")")
        }
    }
}

/// A line of `bluelab serve --list --json`.
struct ShippedProfileRecord: Encodable {
    let type = "profile"
    let name: String
    /// The summary.
    let text: String?
    let services: [String]
}
