import BLEAdapter
import ArgumentParser
import BLECapture
import BLERuntime
import BLESimulator
import BLEWire

/// Where a radio is recorded.
struct CaptureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Record the air for Wireshark (pcapng). With - the capture is the output: | wireshark -k -i -",
            valueName: "file"))
    var capture: String?

    @Option(
        help: ArgumentHelp(
            "Record what hosts and controllers say to each other, for btmon and Wireshark (btsnoop).",
            valueName: "file"))
    var captureHCI: String?

    func validate() throws {
        if capture == "-", captureHCI == "-" {
            throw ValidationError("There is one output for one capture: give --capture or --capture-hci a file.")
        }
    }

    /// A capture is the output, so nothing else may be.
    var takesOutput: Bool { capture == "-" || captureHCI == "-" }

    /// Begins to record. Call it before the world starts.
    func open(in world: World) throws -> [Capture] {
        do {
            let clock = CaptureClock.wall(at: .zero)
            var recordings: [Capture] = []
            if let capture { recordings.append(try world.captureAir(to: capture, clock: clock)) }
            if let captureHCI { recordings.append(try world.captureHCI(to: captureHCI, clock: clock)) }
            for recording in recordings {
                recording.onFailure { printError("bluelab radio: \($0)") }
            }
            return recordings
        } catch {
            printError("bluelab radio: \(error)")
            throw ExitCode.failure
        }
    }

    func finish(_ recordings: [Capture]) throws {
        var isComplete = true
        for recording in recordings {
            // What went wrong was printed when it happened.
            do { try recording.finish() } catch { isComplete = false }
        }
        if !isComplete { throw ExitCode.failure }
    }
}
