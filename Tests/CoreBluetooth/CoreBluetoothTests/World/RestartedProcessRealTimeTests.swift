import Foundation
import Testing

/// Restarts of a real process, over the files of its user.
@Suite struct RestartedProcessRealTimeTests {
    /// One run of `restart-peer`.
    private final class Run {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()
        private var rest = Data()

        init(state: String) throws {
            // Beside the test bundle.
            let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            process.executableURL = folder.appendingPathComponent("restart-peer")
            var environment = ProcessInfo.processInfo.environment
            environment["BLUETOOTH_CONTROLLER"] = "virtual"
            environment["XDG_STATE_HOME"] = state
            process.environment = environment
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        /// Lines up to and including the first that begins with `prefix`; less if the process ends before.
        func lines(until prefix: String) -> [String] {
            var lines: [String] = []
            while true {
                while let end = rest.firstIndex(of: 10) {
                    let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                    rest = Data(rest[(end + 1)...])
                    lines.append(line)
                    if line.hasPrefix(prefix) { return lines }
                }
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { return lines }
                rest += more
            }
        }

        func exit() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }

        func crash() {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    @Test(.timeLimit(.minutes(10))) func row036_row163_aRestartedProcessRestoresItsManagers() throws {
        let state = NSTemporaryDirectory() + "ocb-restart-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: state) }
        let first = try Run(state: state)
        let connected = try #require(first.lines(until: "connected").last)
        let identifier = try #require(connected.split(separator: " ").last.map(String.init))
        first.exit()

        // Killed the second time: what the third gets was written before.
        for _ in 0..<2 {
            let next = try Run(state: state)
            let lines = next.lines(until: "connected")
            #expect(lines.contains("services FEE7"))
            #expect(lines.contains { $0.hasPrefix("restored \(identifier)") })
            #expect(lines.last == "connected \(identifier)")
            next.crash()
        }
        let folder = state + "/opencorebluetooth"
        let mode = try FileManager.default.attributesOfItem(atPath: folder + "/state")[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }
}
