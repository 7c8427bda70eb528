import BLEAdapter
import Foundation
import TestConditions
import Testing

/// `bluelab radio` and the programs on it, as processes.
@Suite(.serialized, .timeLimit(.minutes(10)))
final class RadioProcessRealTimeTests {
    private let folder: String
    private let processes = Lock<[Process]>([])

    init() throws {
        // In /tmp, whatever the environment: the path of a socket must be short.
        folder = "/tmp/ocb-bluelab-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        for process in processes.withLock({ $0 }) where process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A process and what it has printed so far, both its outputs together.
    private final class Run: Sendable {
        let process: Process
        private let text = Lock("")
        private let hasEnded = Lock(false)

        init(_ process: Process, _ reader: FileHandle) {
            self.process = process
            DispatchQueue(label: "output").async { [self] in
                while true {
                    let more = reader.availableData
                    if more.isEmpty { break }
                    text.withLock { $0 += String(decoding: more, as: UTF8.self) }
                }
                hasEnded.withLock { $0 = true }
            }
        }

        var output: String { text.withLock { $0 } }

        /// Waits for a line with `part`; false if the process ends without one, or after three minutes.
        func prints(_ part: String) async -> Bool {
            _ = await eventually { hasEnded.withLock { $0 } || output.contains(part) }
            return output.contains(part)
        }

        /// Waits until the process has closed its outputs.
        func wholeOutput() async -> String {
            #expect(await eventually { hasEnded.withLock { $0 } }, "the process does not end")
            return output
        }

        func exitCode() async -> Int32 {
            guard await eventually({ !process.isRunning }) else {
                Issue.record("the process does not end; it printed: \(output)")
                return .min
            }
            return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        }
    }

    /// Starts a shell command; `bluelab` and the examples are in its path.
    private func start(_ command: String, _ variables: [String: String] = [:]) throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        var environment = ProcessInfo.processInfo.environment
        // Beside the test bundle.
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
        environment["PATH"] = products + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        environment["XDG_RUNTIME_DIR"] = folder
        environment["XDG_STATE_HOME"] = folder + "/state"
        environment["BLUETOOTH_CONTROLLER"] = "radio"
        for (key, value) in variables { environment[key] = value }
        process.environment = environment
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        processes.withLock { $0.append(process) }
        return Run(process, pipe.fileHandleForReading)
    }

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: folder + path)[.posixPermissions] as? Int)
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: folder + path) }

    private struct DeviceNotFoundError: Error { let name: String }

    /// The address of a device on the radio.
    private func address(of name: String) async throws -> String {
        for _ in 0..<1000 {
            let list = try start("exec bluelab radio list")
            #expect(await list.exitCode() != .min)
            _ = await list.prints("doing")
            let row = list.output.split(separator: "\n").first {
                $0.split(separator: " ").dropFirst().first == name[...]
            }
            if let address = row?.split(separator: " ").dropFirst(2).first { return String(address) }
        }
        throw DeviceNotFoundError(name: name)
    }

    @Test(arguments: [SIGHUP, SIGTERM, SIGINT]) func aSignalEndsTheRadioWithItsCleanUp(signal: Int32) async throws {
        let radio = try start("exec bluelab radio")
        #expect(await radio.prints("Ctrl-C ends it."))
        #expect(exists("/opencorebluetooth/radio"))
        kill(radio.process.processIdentifier, signal)
        #expect(await radio.exitCode() == 0)
        #expect(!exists("/opencorebluetooth/radio") && !exists("/opencorebluetooth/radio.control"))
    }

    @Test func anIgnoredSIGHUPStaysIgnored() async throws {
        let radio = try start("trap '' HUP; exec bluelab radio")
        #expect(await radio.prints("Ctrl-C ends it."))
        kill(radio.process.processIdentifier, SIGHUP)
        _ = try await address(of: try lonelyBeacon())
        #expect(radio.process.isRunning)
        kill(radio.process.processIdentifier, SIGTERM)
        #expect(await radio.exitCode() == 0)
    }

    /// Something to be on the radio; its name.
    private func lonelyBeacon() throws -> String {
        _ = try start("exec bluelab radio beacon add lonely --interval 20")
        return "lonely"
    }

    @Test func aProgramHasThePlatformOfItsEnvironment() async throws {
        let radio = try start("exec bluelab radio")
        #expect(await radio.prints("Ctrl-C ends it."))
        _ = try start("exec wristband", ["BLUETOOTH_RADIO_PLATFORM": "pixel"])
        _ = try await address(of: "wristband")
        let list = try start("exec bluelab radio list --json")
        #expect(await list.prints("\"platform\":\"pixel\""))
        let wrong = try start(
            "exec wristband",
            ["BLUETOOTH_RADIO_PLATFORM": "pixle", "BLUETOOTH_RADIO_NAME": "wrong", "BLUETOOTH_LOG": "error"])
        #expect(await wrong.prints("names no platform (did you mean pixel?)"))
        let second = try start("exec bluelab radio list")
        let output = await second.wholeOutput()
        #expect(output.contains("wristband") && !output.contains("wrong"))
    }

    @Test func aClosedTracePipeEndsTheRadio() async throws {
        // `head` ends after two lines of the start and two of the air.
        let trace = try start("{ bluelab radio --trace; echo code $? >&2; } | head -n 4")
        try #require(await eventually { exists("/opencorebluetooth/radio.control") })
        _ = try lonelyBeacon()
        #expect(await trace.prints("code 0"))
        #expect(await trace.prints("ADV_NONCONN_IND"))
        #expect(!exists("/opencorebluetooth/radio") && !exists("/opencorebluetooth/radio.control"))
    }

    @Test func anUnwritableCaptureFailsTheStart() async throws {
        let radio = try start("exec bluelab radio --capture /dev/full")
        #expect(await radio.exitCode() == 1)
        #expect(await radio.prints("There is no room for the capture at /dev/full"))
        #expect(!exists("/opencorebluetooth/radio"))
    }

    @Test func aLaterCaptureFailureIsReported() async throws {
        // Files of at most 2 KiB: the beginning fits.
        let radio = try start("trap '' XFSZ; ulimit -f 2; exec bluelab radio --capture \(folder)/air.pcapng")
        #expect(await radio.prints("Ctrl-C ends it."))
        _ = try lonelyBeacon()
        #expect(await radio.prints("The capture cannot be written"))
        #expect(radio.process.isRunning)
        kill(radio.process.processIdentifier, SIGTERM)
        #expect(await radio.exitCode() == 1)
        #expect(radio.output.components(separatedBy: "The capture cannot be written").count == 2)
    }

    @Test func aRestrictiveUmaskKeepsTheOwnersAccess() async throws {
        let radio = try start("umask 0777; exec bluelab radio")
        #expect(await radio.prints("Ctrl-C ends it."))
        #expect(try mode("/opencorebluetooth") == 0o700)
        for name in ["radio", "radio.control"] { #expect(try mode("/opencorebluetooth/" + name) & 0o600 == 0o600) }
        let band = try start("umask 0777; exec wristband")
        _ = try await address(of: "wristband")
        for path in ["", "/opencorebluetooth"] { #expect(try mode("/state" + path) == 0o700) }
        for name in ["identity-key", "lock"] { #expect(try mode("/state/opencorebluetooth/" + name) == 0o600) }
        kill(band.process.processIdentifier, SIGKILL)
    }

    @Test func anInterruptedWalkthroughIsReported() async throws {
        let walkthrough = try start("exec walkthrough Nothing", ["BLUETOOTH_CONTROLLER": "virtual"])
        #expect(await walkthrough.prints("3 scan for peripherals"))
        kill(walkthrough.process.processIdentifier, SIGINT)
        #expect(await walkthrough.exitCode() == 130)
    }

    @Test func aRestartedProgramHasTheSameAddress() async throws {
        let radio = try start("exec bluelab radio --seed 9")
        #expect(await radio.prints("Ctrl-C ends it."))
        let first = try start("exec wristband", ["BLUETOOTH_RADIO_NAME": "band"])
        let address = try await address(of: "band")
        _ = try start("exec wristband", ["BLUETOOTH_RADIO_NAME": "band"])
        let second = try await self.address(of: "band-2")
        #expect(second != address)
        kill(first.process.processIdentifier, SIGKILL)
        _ = await first.exitCode()
        _ = try start("exec wristband", ["BLUETOOTH_RADIO_NAME": "band"])
        #expect(try await self.address(of: "band") == address)
        #expect(try await self.address(of: "band-2") == second)
        _ = try start(
            "exec wristband", ["BLUETOOTH_RADIO_NAME": "chosen", "BLUETOOTH_RADIO_ADDRESS": "02:00:5E:00:00:01"])
        #expect(try await self.address(of: "chosen") == "02:00:5E:00:00:01")
        kill(radio.process.processIdentifier, SIGTERM)
        #expect(await radio.exitCode() == 0)

        // The next radio with that seed gives them the same ones, whichever of the two comes first.
        let next = try start("exec bluelab radio --seed 9")
        #expect(await next.prints("Ctrl-C ends it."))
        let both = [try await self.address(of: "band"), try await self.address(of: "band-2")]
        #expect(Set(both) == [address, second])
    }
}
