import BLEAdapter
import BLEHostAdapter
import BLETransport
import BLEVirtualRadio
import Foundation

/// The folder of the environment variable `BLUETOOTH_CAPTURE_WORLDS`. Every world of the process writes its packets on the air to
/// `world-PROCESS-N.pcapng` and its HCI packets to `world-PROCESS-N.btsnoop`, numbered in the order of creation, for the analysis
/// of failed tests. The names of worlds with a pace begin with `paced-world`.
final class CaptureFolder: Sendable {
    static let shared = ProcessInfo.processInfo.environment["BLUETOOTH_CAPTURE_WORLDS"].map { CaptureFolder($0) }

    private let path: String
    private struct State {
        var count = 0
        /// The captures of existing worlds, by number.
        var open: [Int: [Capture]] = [:]
        var hasComplained = false
    }
    private let state = Lock(State())

    private init(_ path: String) {
        self.path = path
        // A world that lives as long as the process is never finished, so its captures are finished at exit.
        atexit { CaptureFolder.shared?.finishAll() }
    }

    /// Records a world. Returns its number, for `finish`; nil if it cannot be recorded, after a line on standard error.
    func record(_ radio: VirtualRadioRuntime, hasPace: Bool) -> Int? {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let kind = hasPace ? "paced-world" : "world"
        let name = "\(path)/\(kind)-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
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
        radio.record(air)
        radio.record(hci, clock: .virtual)
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

    /// Prints the first failure.
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
