import BLESimulator
import DeviceFiles
import WorldFiles

/// The world of a file on a radio in real time.
@MainActor
struct WorldShow {
    let terminal: Terminal

    init(_ terminal: Terminal) { self.terminal = terminal }

    /// Starts the scripts of the world, and prints what it contains.
    func start(_ file: WorldFile, _ path: String, _ world: World) throws {
        let count = file.devices.count
        let devices = say(count == 1 ? "1 device" : "\(count) devices")
        let events =
            file.events.isEmpty ? "" : say(", the last event at \(inSeconds(file.events.last?.time ?? .zero))")
        terminal.print("\(terminal.styled(ValueText.printable(file.name ?? path), .bold))  \(devices)\(events)")
        if let line = file.stressLine(in: world) { terminal.print(line) }
        // The tasks of the scripts keep the rest.
        try WorldScripts(world).start(file, at: path, in: world) { device, source, result in
            for line in ScriptOutput(terminal: terminal, isJSON: false, file: source).lines(result) {
                terminal.print("\(device) \(line)")
            }
            terminal.flush()
        }
    }
}
