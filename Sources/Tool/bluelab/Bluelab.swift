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
            try await run(arguments)
            try flushOutput()
        } catch let failure as ToolError {
            for (index, line) in failure.lines.enumerated() {
                printError(ValueText.printable(index == 0 ? "bluelab: \(line)" : line))
            }
            exit(failure.kind.rawValue)
        } catch {
            guard Bluelab.exitCode(for: error) == .validationFailure else { Bluelab.exit(withError: error) }
            printError("bluelab: \(Bluelab.sentence(for: error))")
            printError("Try: \(Bluelab.helpCommand(for: arguments))")
            exit(Bluelab.usageErrorCode)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        do {
            var command = try Bluelab.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let end where Bluelab.exitCode(for: end) == .success {
            // The argument parser would not notice that its text cannot be written.
            let text = Bluelab.fullMessage(for: end)
            let help = language == .chinese ? ChineseHelp(message: text)?.lines.joined(separator: "\n") : nil
            if !text.isEmpty { try emit(help ?? text) }
        }
    }
}

struct Bluelab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluelab",
        abstract: "Tools for Bluetooth LE: a virtual radio, and a client for devices.",
        discussion: """
            `bluelab demo` needs no hardware: it connects a phone to a wristband on a virtual radio. Other programs can join \
            such a radio, also from other computers: see `bluelab help radio`.

            radio, studio and gateway serve until a signal, such as Ctrl-C, and then end with the exit code 0.

            Exit codes: \(ToolError.Kind.documentation)
            """,
        version: toolVersionText,
        subcommands: [
            DemoCommand.self,
            ScanCommand.self,
            ExploreCommand.self,
            ReadCommand.self,
            WriteCommand.self,
            NotifyCommand.self,
            RSSICommand.self,
            MTUCommand.self,
            ShellCommand.self,
            RunCommand.self,
            TestCommand.self,
            ServeCommand.self,
            StudioCommand.self,
            CloneCommand.self,
            TransferCommand.self,
            ProvisionCommand.self,
            LinkCommand.self,
            BeaconCommand.self,
            PairCommand.self,
            UnpairCommand.self,
            BondsCommand.self,
            NameCommand.self,
            AdaptersCommand.self,
            DoctorCommand.self,
            CaptureCommand.self,
            DecryptCommand.self,
            ExplainCommand.self,
            RadioCommand.self,
            GatewayCommand.self,
            MCPCommand.self,
            CompletionsCommand.self,
        ])

    static let usageErrorCode: Int32 = 2
}
