import Foundation
import Testing

/// The built tool against programs on a shared radio, as a person runs it.
@Suite(.serialized) final class ToolRunRealTimeTests {
    private let radio: Bench

    init() throws { radio = try Bench() }

    deinit { radio.end() }

    @Test func scanConnectReadWriteAndSubscribeCommandsWork() throws {
        try radio.start("wristband", name: "band", position: "2,0")

        let scan = radio.run("scan", "--count", "1")
        #expect(scan.code == 0 && scan.output.contains("Wristband") && scan.output.contains("Heart Rate"))
        #expect(scan.errors.contains("1 device in "))

        let explore = radio.run("explore", "wrist")
        #expect(explore.code == 0)
        #expect(explore.output.contains("Body Sensor Location 2A38") && explore.output.contains("Wrist\n"))

        #expect(radio.run("read", "wrist", "sensor location").output == "Wrist\n")
        let write = radio.run("write", "wrist", "5B1D0001", "12345", "--format", "u16")
        #expect(write.code == 0 && write.output.isEmpty)
        let read = radio.run("read", "wrist", "5B1D0001", "--format", "u16")
        #expect(read.output == "12345\n" && read.code == 0)

        let notify = radio.run("notify", "wrist", "heart rate", "--count", "2", "--json")
        let lines = notify.output.split(separator: "\n")
        #expect(notify.code == 0 && lines.count == 2)
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["characteristic"] as? String == "2A37" && object?["type"] as? String == "notification")
            #expect((object?["text"] as? String)?.hasSuffix(" bpm") == true)
        }

        let refused = radio.run("write", "wrist", "2A38", "01")
        #expect(refused.code == 6 && refused.errors.contains("the device refused the write of Body Sensor Location"))
        let ignored = radio.run("write", "wrist", "5B1D0001", "01", "--without-response")
        #expect(ignored.code == 6 && ignored.errors.contains("does not support writes without response."))
        let missing = radio.run("read", "wrist", "9999")
        #expect(missing.code == 4 && missing.errors.contains("It has: 180D/2A37 (Heart Rate Measurement)"))
        let mistaken = radio.run("write", "wrist", "5B1D0001", "70000", "--format", "u16")
        #expect(mistaken.code == 2 && mistaken.errors.contains("from 0 to 65535"))
    }

    @Test func theProgramDemoPrintsWhatTheToolsDemoPrints() {
        /// The output without the computing time, which differs between runs.
        func text(_ output: String) -> String { output.replacing(/computed in [0-9.]+ s/, with: "computed") }
        let demo = radio.run(program: "demo", [])
        let tool = radio.run("demo")
        #expect(demo.code == 0 && demo.errors.isEmpty && demo.output.contains("23 of 23 steps"))
        #expect(text(demo.output) == text(tool.output))
        let help = radio.run(program: "demo", ["--help"])
        #expect(help.code == 0 && help.output.hasPrefix("usage: demo "))
        let mistaken = radio.run(program: "demo", ["--trace"])
        #expect(mistaken.code == 2 && mistaken.output.isEmpty)
        #expect(mistaken.errors.contains("\"--trace\"") && mistaken.errors.hasSuffix("bluelab help demo wristband\n"))
    }

    @Test func aDeviceIsPairedListedAndUnpaired() throws {
        // The programs have stores of their own, as on two machines. "band" is the GAP device name, "Wristband" the
        // advertised one.
        try radio.start("wristband", name: "band", position: "2,0", ["XDG_STATE_HOME": radio.path("band")])
        #expect(radio.run("bonds").errors.contains("No device is paired."))

        let weak = radio.run("pair", "wrist", "--security", "authenticated", "--yes")
        #expect(weak.code == 7 && weak.output.isEmpty)
        #expect(weak.errors.contains("the pairing with Wristband failed."))

        let unattended = radio.run("pair", "wrist")
        #expect(unattended.code == 7 && unattended.errors.contains("is not a terminal"))
        let pair = radio.run("pair", "wrist", "--yes", "--json")
        let paired = try JSONSerialization.jsonObject(with: Data(pair.output.utf8)) as? [String: Any]
        #expect(pair.code == 0 && paired?["type"] as? String == "paired", "\(pair.errors)")
        #expect(paired?["security"] as? String == "encrypted" && paired?["keySize"] as? Int == 16)
        #expect(paired?["bonded"] as? Bool == true && paired?["secureConnections"] as? Bool == true)

        let bonds = radio.run("bonds")
        #expect(bonds.code == 0 && bonds.output.contains("band"))
        #expect(bonds.output.contains("encrypted, Secure Connections, 16-octet key"))
        // A link with the kept keys.
        #expect(radio.run("pair", "wrist").code == 0)
        #expect(radio.run("read", "wrist", "sensor location").output == "Wrist\n")

        let missing = radio.run("unpair", "nobody")
        #expect(missing.code == 4 && missing.errors.contains("Paired are: band"))
        let unpair = radio.run("unpair", "band")
        #expect(unpair.code == 0 && unpair.output.hasPrefix("unpaired band"))
        #expect(radio.run("bonds", "--json").output.isEmpty)
        #expect(radio.run("unpair", "band").errors.contains("No device is paired."))
    }

    @Test func anAbsentDeviceIsReportedAsMissing() throws {
        let result = radio.run("explore", "nobody", "--timeout", "0.5")
        #expect(result.code == 4)
        #expect(
            result.errors == """
                bluelab: no device matched "nobody" within 0.5 s.
                The scan found no device.
                Try: bluelab scan

                """)
    }

    @Test func notifyWaitsForALostController() throws {
        try radio.start("wristband", name: "band", position: "2,0")
        let tool = try radio.begin("notify", "wrist", "heart rate")
        /// The time in a line, in seconds.
        func time(_ line: String?) throws -> Double {
            let line = try #require(line)
            #expect(line.hasSuffix(" bpm"))
            return try #require(line.split(separator: " ").first.flatMap { Double($0) })
        }
        let first = try time(tool.readLine())
        let start = ContinuousClock.now
        #expect(radio.run("radio", "drop", "bluelab").code == 0)
        // The error stream says when the controller is lost and when it is back.
        #expect(tool.readErrorLine()?.hasSuffix("Waiting for the controller.") == true)
        #expect(tool.readErrorLine() == "bluelab: the Bluetooth controller radio is back.")
        let back = first + (ContinuousClock.now - start) / .seconds(1)
        while try time(tool.readLine()) < back {}
        tool.interrupt()
        #expect(tool.code() == 130)
    }

    @Test func aCommandThatEndsByItselfFailsWithTheController() throws {
        try radio.start("wristband", name: "band", position: "2,0")
        let rssi = try radio.begin(["rssi", "wrist", "--interval", "0.2"])
        #expect(rssi.readLine()?.contains(" dBm") == true)
        #expect(radio.run("radio", "drop", "bluelab").code == 0)
        let end = rssi.finish()
        #expect(end.code == 3 && end.errors.hasPrefix("bluelab: radio: The connection to the Bluetooth controller"))
        #expect(end.errors.hasSuffix("Try: bluelab radio\n"))
    }

    @Test func aClosedPipeEndsTheCommandWithoutAMessage() throws {
        try radio.start("wristband", name: "band", position: "2,0")
        let notify = try radio.begin("notify", "wrist", "heart rate")
        #expect(notify.readLine()?.hasSuffix(" bpm") == true)
        notify.closeOutput()
        #expect(notify.code() == 0)
    }

    @Test func anInterruptEndsWith130() throws {
        try radio.start("wristband", name: "band", position: "2,0")
        let notify = try radio.begin("notify", "wrist", "heart rate")
        // One value shows that the link is up.
        let first = notify.readLine()
        #expect(first?.hasSuffix(" bpm") == true)
        notify.interrupt()
        #expect(notify.code() == 130)
    }
}

/// A radio of its own, and the programs on it.
private final class Bench {
    private let directory: URL
    private let products: URL
    private var programs: [Process] = []

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "bluelab-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let radio = try begin("radio", controller: nil)
        // The radio says when it listens.
        while let line = radio.readLine(), !line.contains("Ctrl-C") {}
    }

    func end() {
        for program in programs where program.isRunning { program.terminate() }
        for program in programs { program.waitUntilExit() }
        try? FileManager.default.removeItem(at: directory)
    }

    private func process(_ program: String, _ arguments: [String], _ extra: [String: String]) -> Process {
        let process = Process()
        process.executableURL = products.appendingPathComponent(program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["XDG_RUNTIME_DIR": directory.path, "XDG_STATE_HOME": directory.path, "LC_ALL": "C.UTF-8"].merging(extra) {
                $1
            }
        ) { $1 }
        return process
    }

    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    func start(_ program: String, name: String, position: String, _ extra: [String: String] = [:]) throws {
        let process = process(
            program, [],
            [
                "BLUETOOTH_CONTROLLER": "radio", "BLUETOOTH_RADIO_NAME": name, "BLUETOOTH_RADIO_POSITION": position,
            ].merging(extra) { $1 })
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        programs.append(process)
    }

    /// Starts a command of the tool.
    func begin(_ arguments: String..., controller: String? = "radio") throws -> RunningTool {
        try begin(arguments, controller: controller)
    }

    func begin(_ arguments: [String], controller: String? = "radio") throws -> RunningTool {
        let process = process("bluelab", arguments, controller.map { ["BLUETOOTH_CONTROLLER": $0] } ?? [:])
        let tool = RunningTool(process)
        try process.run()
        programs.append(process)
        return tool
    }

    /// Runs a command of the tool to its end.
    func run(_ arguments: String...) -> (output: String, errors: String, code: Int32) {
        run(program: "bluelab", arguments)
    }

    /// Runs a program to its end.
    func run(program: String, _ arguments: [String]) -> (output: String, errors: String, code: Int32) {
        let process = process(program, arguments, ["BLUETOOTH_CONTROLLER": "radio"])
        let tool = RunningTool(process)
        do {
            try process.run()
        } catch {
            Issue.record("\(program) cannot be run: \(error)")
            return ("", "", -1)
        }
        return tool.finish()
    }
}
