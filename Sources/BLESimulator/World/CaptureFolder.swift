import BLEAdapter
import BLERuntime
import BLETransport
import Foundation

/// `BLUETOOTH_CAPTURE_WORLDS`: every world of this process is recorded into that folder, its air as `world-PROCESS-N.pcapng` and
/// what its hosts and controllers say to each other as `world-PROCESS-N.btsnoop`, numbered as they begin. For test runs: what went
/// wrong can be looked at afterwards.
final class CaptureFolder: Sendable {
    static let shared = ProcessInfo.processInfo.environment["BLUETOOTH_CAPTURE_WORLDS"].map { CaptureFolder($0) }

    private let path: String
    private struct State {
        var count = 0
        /// Of the worlds that there are, by number.
        var open: [Int: [Capture]] = [:]
        var hasComplained = false
    }
    private let state = Lock(State())

    private init(_ path: String) {
        self.path = path
        // A world that lives as long as the process has no end of its own.
        atexit { CaptureFolder.shared?.finishAll() }
    }

    /// Records a world. Returns its number, for `finish`; nil if it cannot be recorded, which is said.
    func record(_ stage: VirtualStage) -> Int? {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let name = path + "/world-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
        let airSink, hciSink: CaptureSink
        do throws(TransportError) {
            airSink = try CaptureSink(path: name + ".pcapng")
            hciSink = try CaptureSink(path: name + ".btsnoop")
        } catch {
            complain("\(error)")
            return nil
        }
        let air = AirCapture(to: airSink, clock: .virtual)
        let hci = HCICapture(to: hciSink, format: .monitor)
        stage.record(air)
        stage.record(hci, clock: .virtual)
        let captures = [
            Capture(airSink) { air.droppedPackets }, Capture(hciSink) { hci.droppedPackets },
        ]
        state.withLock { $0.open[number] = captures }
        return number
    }

    func finish(_ number: Int) {
        for capture in state.withLock({ $0.open.removeValue(forKey: number) }) ?? [] {
            do { try capture.finish() } catch { complain("\(error)") }
        }
    }

    /// Says once why something was not recorded.
    private func complain(_ sentence: String) {
        let isFirst = state.withLock { state in
            defer { state.hasComplained = true }
            return !state.hasComplained
        }
        if isFirst { FileHandle.standardError.write(Data("BLUETOOTH_CAPTURE_WORLDS: \(sentence)\n".utf8)) }
    }

    private func finishAll() {
        for number in state.withLock({ Array($0.open.keys) }) { finish(number) }
    }
}
