import ArgumentParser
import DeviceFiles
import Foundation

struct ShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Type commands in a session that stays connected and reconnects.",
        discussion: """
            Tab completes commands, devices, services, characteristics and formats. The arrow keys and Ctrl-R find earlier lines. \
            Notifications appear above the line. Ctrl-C ends a command, Ctrl-D the shell.

            Without a terminal the commands come from the standard input, one on each line. The exit code is that of the first \
            failure.

            Example: bluelab shell wristband
            Example: printf 'read "body sensor location"\\nrssi\\n' | bluelab shell wristband
            Example: bluelab shell wristband --record session.yaml
            """)

    @OptionGroup var options: ClientOptions

    @Argument(help: "The device to connect to at the start: its name, its identifier, or a part of either.")
    var device: String?

    @Option(shown: "The time limit of a search, and of a connection.", valueName: "seconds", transform: positiveSeconds)
    var timeout: Duration = .seconds(10)

    @Option(
        help: ArgumentHelp("Write the session as a script for bluelab run.", valueName: "file"))
    var record: String?

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var color: ColorOptions

    func validate() throws {
        if device?.isEmpty == true {
            throw ValidationError("the device must be a name, an identifier, or a part of either.")
        }
    }

    func run() async throws {
        try options.apply()
        let terminal = color.terminal()
        try await CentralClient.run { client in
            let console: any ShellConsole =
                if !options.json, let raw = RawTerminal() {
                    TerminalConsole(raw, style: terminal, file: HistoryFile())
                } else {
                    PipeConsole()
                }
            let shell = ShellRun(
                DeviceSession(client, reconnects: true), console, terminal: terminal, isJSON: options.json,
                timeout: timeout)
            pairing.apply(to: shell.pairing)
            try await shell.run(device: device, record: record)
        }
    }
}
