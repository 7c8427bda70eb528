import Foundation

/// The processes of a measure: the stub, and a client against it.
struct Processes {
    /// `Benchmarks/.build`, where this program was built.
    let build: URL
    let own: URL

    init() {
        own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        build = own.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    enum Transport: String, CaseIterable {
        case unix, tcp
        var title: String { self == .unix ? "Unix socket" : "TCP" }
    }

    /// Runs one client against a fresh stub; the processor microseconds of each step.
    func measure(_ script: Script, over transport: Transport, _ client: (_ address: String) -> (URL, [String]))
        -> [Step: Double]
    {
        let path = NSTemporaryDirectory() + "hcistub-\(getpid()).sock"
        let port = 20_000 + Int(getpid()) % 20_000
        let stub = onOneProcessor(
            build.appendingPathComponent("drivers/hcistub"),
            [
                transport == .unix ? "unix:\(path)" : "tcp:\(port)", "-a", String(script.advertisements), "-n",
                String(script.notifications),
            ])
        do { try stub.run() } catch { fail("hcistub does not start: \(error). Benchmarks/run builds it.") }
        defer {
            stub.terminate()
            stub.waitUntilExit()
        }
        // It listens at once. A connection attempt would use up its only connection, so this waits instead.
        usleep(200_000)
        let (program, arguments) = client(transport == .unix ? "unix:\(path)" : "tcp:127.0.0.1:\(port)")
        let process = onOneProcessor(program, arguments)
        let output = Pipe()
        process.standardOutput = output
        do { try process.run() } catch { fail("\(program.path) does not start: \(error)") }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            fail("\(program.lastPathComponent) \(arguments.joined(separator: " ")) failed:\n\(text)")
        }
        return Self.steps(in: text)
    }

    /// Runs both ends of the pipe on one processor. The time to wake another processor
    /// depends on the machine, not on the host.
    private func onOneProcessor(_ program: URL, _ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/taskset")
        process.arguments = ["-c", "0", program.path] + arguments
        return process
    }

    private static func steps(in text: String) -> [Step: Double] {
        struct Line: Decodable {
            let what: String
            let cpu_us_each: Double
        }
        var found: [Step: [Double]] = [:]
        for line in text.split(separator: "\n") {
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)),
                let step = Step(rawValue: line.what)
            else { continue }
            found[step, default: []].append(line.cpu_us_each)
        }
        // Most steps have one figure; connections are repeated.
        return found.mapValues { $0.sorted()[$0.count / 2] }
    }

    /// A Python that has Bumble; nil, with the reason said, if there is none.
    func pythonWithBumble() -> URL? {
        let version = "0.0.236"
        let environment = build.appendingPathComponent("bumble-\(version)")
        let python = environment.appendingPathComponent("bin/python")
        if run(python, ["-c", "import bumble"]) { return python }
        let system = URL(fileURLWithPath: "/usr/bin/env")
        guard run(system, ["python3", "-m", "venv", environment.path]),
            run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "bumble==\(version)"])
        else {
            print(
                "host-client: Bumble \(version) cannot be installed (python3-venv, network?); its column is left out.")
            return nil
        }
        return python
    }

    private func run(_ program: URL, _ arguments: [String]) -> Bool {
        guard FileManager.default.isExecutableFile(atPath: program.path) else { return false }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
