import ArgumentParser
import DeviceFiles
import Foundation

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a script of steps with assertions against devices.",
        discussion: """
            The script is a YAML file; Documentation/Scripts.md describes its steps. The run ends at the first failure. The exit \
            code is 0 if all steps pass, 1 if an assertion does not hold, and otherwise that of the operation that failed.

            Example: bluelab run Examples/Scripts/wristband.yaml
            Example: bluelab run test.yaml --set device=Lamp --junit results.xml
            Example: bluelab run --check test.yaml
            """)

    @OptionGroup var options: ClientOptions

    @Argument(help: "The script.")
    var script: String

    @Flag(help: "Validate the script without running it.")
    var check = false

    @Option(
        help: ArgumentHelp("Set a variable of the script. Can be repeated.", valueName: "name=value"),
        transform: variableValue)
    var set: [ScriptVariable] = []

    @Option(help: ArgumentHelp("Write the results as JUnit XML.", valueName: "file"))
    var junit: String?

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var color: ColorOptions

    func run() async throws {
        let script = try read()
        guard !check else {
            printError(script.count == 1 ? "\(self.script): 1 step" : "\(self.script): \(script.count) steps")
            return
        }
        try options.apply()
        // A path that cannot be written fails before the run.
        let junitFile = try junit.map { try OutputFile($0) }
        let output = ScriptOutput(terminal: color.terminal(), isJSON: options.json, file: self.script)
        let name = script.name ?? self.script
        try await CentralClient.run { client in
            let session = DeviceSession(client, reconnects: false)
            client.onInterruption = { session.cancel($0, isFinal: true) }
            defer { session.end() }
            try output.begin(name)
            let run = ScriptRun(session, name: name, file: self.script) { try output.show($0) }
            pairing.apply(to: run.pairing)
            let report = try await run.run(script)
            try output.end(report)
            if let junitFile {
                try junitFile.append(Array(report.junit.utf8))
                try junitFile.publish()
            }
            guard let failure = run.firstFailure, let step = report.results.first(where: { !$0.isPassed }) else {
                return
            }
            var reason = failure.lines.first ?? "unknown"
            if !reason.hasSuffix(".") { reason += "." }
            throw ToolError(
                failure.kind, "step \(step.number) at \(self.script):\(step.line) failed: \(reason)")
        }
    }

    private func read() throws -> DeviceScript {
        try InputFile.requireReadable(script)
        do throws(YAMLError) {
            let document = try YAMLDocument(path: script)
            return try DeviceScript(
                document, variables: Dictionary(set.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
        } catch {
            let problems = error
            for line in problems.lines { printError(ValueText.printable(line)) }
            throw ToolError(
                .usage,
                "\(script) is not a script: \(problems.list.count == 1 ? "1 error" : "\(problems.list.count) errors").",
                "Try: bluelab help run")
        }
    }
}

/// A value of `--set`.
struct ScriptVariable: Sendable {
    let name: String
    let value: String
}

private func variableValue(_ text: String) throws -> ScriptVariable {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        throw ValidationError("--set takes a name and a value, such as --set device=Lamp.")
    }
    return ScriptVariable(name: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
}
