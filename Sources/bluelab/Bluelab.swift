import ArgumentParser
import Foundation

@main
enum Program {
    static func main() async {
        let arguments = Bluelab.completed(Array(CommandLine.arguments.dropFirst()))
        if let complaint = Bluelab.complaint(about: arguments) {
            printError("bluelab: \(complaint)")
            exit(Bluelab.usageErrorCode)
        }
        do {
            var command = try Bluelab.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as ToolFailure {
            for (index, line) in failure.lines.enumerated() {
                printError(ValueText.printable(index == 0 ? "bluelab: \(line)" : line))
            }
            exit(failure.kind.rawValue)
        } catch {
            guard Bluelab.exitCode(for: error) == .validationFailure else { Bluelab.exit(withError: error) }
            printError(Bluelab.fullMessage(for: error))
            exit(Bluelab.usageErrorCode)
        }
    }
}

struct Bluelab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluelab",
        abstract: "A Bluetooth LE laboratory in a terminal.",
        discussion: """
            With nothing but this machine: `bluelab demo` lets a phone and a wristband talk on a virtual radio. Programs on \
            other computers, in other languages or of your own can join such a radio: see `bluelab help radio`.

            Exit codes: 0 if the command did what it says, 1 if it failed, 2 if its arguments are wrong, 3 without a usable \
            adapter, 4 if the device or characteristic was not found, 5 after a time-out, 6 if the device refused, 7 if it \
            requires pairing or encryption, 130 after Ctrl-C.
            """,
        version: "0.1.0-dev",
        subcommands: [
            DemoCommand.self, ScanCommand.self, ExploreCommand.self, ReadCommand.self, WriteCommand.self,
            NotifyCommand.self, RadioCommand.self, AdaptersCommand.self,
        ])

    static let usageErrorCode: Int32 = 2
}
