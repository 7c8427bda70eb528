import BLEAdapter
import ArgumentParser
import BLETransport
import BLEHostAdapter
import BLESimulator
import BLEWire

/// The captures of a radio.
struct CaptureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write the packets on the air to a capture for Wireshark (pcapng). With - the capture goes to the output: | wireshark -k -i -. With tcp:HOST:PORT or unix:PATH, each program that connects there gets the packets from then on.",
            valueName: "file"))
    var capture: String?

    @Option(
        help: ArgumentHelp(
            "Write the HCI packets of all hosts to a capture for btmon and Wireshark (btsnoop).",
            valueName: "file"))
    var captureHCI: String?

    func validate() throws {
        if capture == "-", captureHCI == "-" {
            throw ValidationError("Only one capture can go to the output: pass a file to --capture or --capture-hci.")
        }
    }

    /// Whether a capture uses the output.
    var takesOutput: Bool { capture == "-" || captureHCI == "-" }

    /// Starts the captures. Call it before the world starts.
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
            // The failure was printed when it happened.
            do { try recording.finish() } catch { isComplete = false }
        }
        if !isComplete { throw ExitCode.failure }
    }
}
