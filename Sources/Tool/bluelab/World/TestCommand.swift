import BLEAdapter
import ArgumentParser
import BLERuntime
import BLESimulator
import DeviceFiles
import Foundation
import WorldFiles

struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run worlds from files in virtual time, and check what they expect.",
        discussion: """
            A world file describes devices, their places, what happens at which time, and what is expected. Its devices run \
            programs, profiles and scripts of bluelab run. Documentation/Worlds.md describes the format. No adapter is needed, and \
            ten minutes of a world take milliseconds to seconds.

            The worlds corridor, factory, office and readme are part of bluelab: their names need no file.

            With --stress, devices have faults that a number selects. If a check is broken then, the command prints the command line that \
            repeats the run, and the smallest set of these faults with which a check is broken.

            The exit code is 0 if all steps of scripts and all expectations hold, 1 if one does not, and 2 for a file with errors.

            Example: bluelab test corridor
            Example: bluelab test Worlds/*.world.yaml --junit results.xml
            Example: bluelab test lamp.world.yaml --seed 7 --events
            Example: bluelab test lamp.world.yaml --stress 12
            """)

    @Argument(help: "The world files, or the names of shipped worlds.")
    var files: [String]

    @Option(
        help: ArgumentHelp("Determines all random draws. Default: the seed of the file.", valueName: "number"),
        transform: seedValue)
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Selects faults of the devices. Default: the key stress of the file.", valueName: "number"),
        transform: seedValue)
    var stress: UInt64?

    @Option(
        help: ArgumentHelp(
            "The longest time of a world in virtual seconds. The rest counts as broken. Default: 86400.",
            valueName: "seconds"), transform: positiveSeconds)
    var until: Duration?

    @Option(help: ArgumentHelp("Write the results as JUnit XML.", valueName: "file"))
    var junit: String?

    @Flag(help: "Print the lines of the programs and the changes of the world as well.")
    var events = false

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var color: ColorOptions

    func validate() throws {
        if files.isEmpty { throw ValidationError("test takes the paths of world files.") }
        if json, events { throw ValidationError("--events and --json cannot be used together.") }
    }

    func run() async throws { try await runWorlds() }

    @MainActor
    private func runWorlds() async throws {
        // A device that loses its power is a part of a world, and no fault for the library's log.
        setenv("BLUETOOTH_LOG", "off", 0)
        // All files are read first: a mistake in the last one is found before the first one runs.
        let worlds = try files.map { path in (path, try WorldChoice.read(path)) }
        for (path, file) in worlds { try Self.requireChecks(file, path) }
        let junitFile = try junit.map { try OutputFile($0) }
        var reports: [ScriptReport] = []
        var broken: [(path: String, step: StepResult)] = []
        for (path, var file) in worlds {
            if let stress { file.stress = stress }
            let result = try await run(file, path)
            reports += result.reports.map(\.report)
            if let first = result.all.first(where: { !$0.isPassed }) { broken.append((path, first)) }
        }
        if let junitFile {
            try junitFile.append(Array(ScriptReport.junit(reports).utf8))
            try junitFile.publish()
        }
        guard let (path, step) = broken.first else { return }
        let count = broken.count == 1 ? "" : " (\(broken.count) of \(worlds.count) worlds are broken)"
        throw ToolError(.failed, "\(path):\(step.line): \(Self.reason(step))\(count).")
    }

    /// A world without anything to check would always pass.
    private static func requireChecks(_ file: WorldFile, _ path: String) throws {
        let hasScript = file.devices.contains { if case .scripts = $0.body { true } else { false } }
        guard !hasScript, file.expectations.isEmpty else { return }
        throw ToolError(
            .usage, "\(path) has no scripts and no expectations, so there is nothing to test.",
            "Try: bluelab radio --world \(ShellWord.quoted(path))")
    }

    private static func reason(_ step: StepResult) -> String {
        switch step.outcome {
        case .failed(let expected, let found): "expected \(expected), found \(found)"
        case .error(let sentences): (sentences.first ?? "unknown").trimmingSuffix(".")
        case .passed, .skipped: "step \(step.number) did not run"
        }
    }

    @MainActor
    private func run(_ file: WorldFile, _ path: String) async throws -> WorldTestRun.Result {
        let world = try WorldChoice.make(file, path, seed: seed)
        let run = WorldTestRun(file: file, path: path, world: world, limit: until ?? WorldTestRun.longest)
        let terminal = color.terminal()
        let output = ScriptOutput(terminal: terminal, isJSON: json, file: path)
        let name = file.name ?? path
        if !json {
            try emit(terminal.styled("\(ValueText.printable(name))  \(say("(\(path), seed \(world.seed))"))", .bold))
            if let line = file.stressLine(in: world) { try emit(line) }
        }
        var eventCount = 0
        var shownDevice: String??
        let result = try await run.run { device, source, step in
            if json { return try emit(jsonLine(StepRecord(step, file: source, device: device))) }
            if events { eventCount = try showEvents(of: world, from: eventCount) }
            if shownDevice != .some(device) {
                try emit(terminal.styled(device ?? say("expectations"), .faint))
                shownDevice = device
            }
            let lines = ScriptOutput(terminal: terminal, isJSON: false, file: source).lines(step)
            for line in lines { try emit(line) }
        }
        if events { _ = try showEvents(of: world, from: eventCount) }
        let smallest = result.isPassed ? nil : try await smallestFaults(file, path, world)
        let record = WorldRecord(file, path, world, result, smallest)
        if json {
            try emit(jsonLine(record))
        } else {
            let text =
                "\(record.passedChecks) of \(record.checks) passed in \(inSeconds(result.duration)) of virtual time"
            try emit(output.terminal.styled(say(text), result.isPassed ? .green : .red))
            if !result.isPassed {
                for line in repetition(file, path, world, smallest) { try emit(line) }
            }
        }
        return result
    }

    private func showEvents(of world: World, from number: Int) throws -> Int {
        guard let (first, events) = world.scene?.events(from: number) else { return number }
        for event in events { try emit("    \(seconds(event.time, width: 8))  \(ValueText.printable(event.line))") }
        return first + events.count
    }
}

extension WorldEvent {
    /// Device and text.
    fileprivate var line: String { (device.map { $0 + "  " } ?? "") + text }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}

/// World files that the command line names, and shipped worlds.
enum WorldChoice {
    static func read(_ path: String) throws -> WorldFile {
        if let text = try shipped(path) {
            return try reporting(path) { () throws(WorldFileError) in try WorldFile(text: text, file: path) }
        }
        return try read(path) { path throws(WorldFileError) in try WorldFile(path: path) }
    }

    /// The text of the shipped world that a name without a slash and a suffix selects; nil for the path of a file.
    static func shipped(_ name: String) throws -> String? {
        guard !name.contains("/"), !name.hasSuffix(".yaml"), !name.hasSuffix(".yml") else { return nil }
        if let text = ShippedWorlds.text(named: name) { return text }
        let names = ShippedWorlds.all.map(\.name)
        let hint = Spelling.nearest(to: name, in: names).map { "Did you mean \($0)? " } ?? ""
        throw ToolError(
            .usage, "there is no shipped world \"\(name)\"; a file needs the suffix .yaml or a slash.",
            "\(hint)The worlds are \(names.joined(separator: ", ")).", "Try: bluelab help test")
    }

    /// Reads a file by `body`.
    static func read<Value>(_ path: String, _ body: (String) throws(WorldFileError) -> Value) throws -> Value {
        try InputFile.requireReadable(path)
        return try reporting(path) { () throws(WorldFileError) in try body(path) }
    }

    static func make(
        _ file: WorldFile, _ path: String, seed: UInt64?, pace: Pace = .unlimited, stress: Stress? = nil
    ) throws -> World {
        try reporting(path) { () throws(WorldFileError) in
            try World(file, fileName: path, seed: seed, pace: pace, stress: stress)
        }
    }

    private static func reporting<Value>(
        _ path: String, _ body: () throws(WorldFileError) -> Value
    ) throws -> Value {
        do throws(WorldFileError) {
            return try body()
        } catch {
            guard error.lines.count > 1 else {
                throw ToolError(.usage, error.description, "Documentation/Worlds.md describes the format.")
            }
            for line in error.lines { printError(ValueText.printable(line)) }
            throw ToolError(
                .usage, "\(path) is not a world: \(error.lines.count) errors.",
                "Documentation/Worlds.md describes the format.")
        }
    }
}

/// A run of a world, the last record of a file in the output of `bluelab test --json`.
struct WorldRecord: Encodable {
    let type = "world"
    let file: String
    let name: String
    let seed: UInt64
    /// The number that selected faults, these faults, and the smallest set of them with which a check is broken.
    let stress: UInt64?
    let faults: [String]?
    let smallestFaults: [String]?
    let passed: Bool
    /// The number of steps of scripts and of expectations, and of those that passed.
    let checks: Int
    let passedChecks: Int
    /// The devices at the start.
    let devices: Int
    /// Seconds of virtual time.
    let duration: Double

    init(
        _ file: WorldFile, _ path: String, _ world: World, _ result: WorldTestRun.Result, _ smallest: Stress?
    ) {
        self.file = path
        name = ValueText.printable(file.name ?? path)
        seed = world.seed
        stress = file.stress
        faults = file.stress == nil ? nil : world.scene?.stress?.entries.map(\.description) ?? []
        smallestFaults = smallest?.entries.map(\.description)
        passed = result.isPassed
        checks = result.all.count
        passedChecks = result.all.count { $0.isPassed }
        devices = file.devices.count
        duration = jsonSeconds(result.duration)
    }
}
