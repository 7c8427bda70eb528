import BLEValues
import BluetoothPairing
import CoreBluetooth
import DeviceFiles
import Foundation

/// Runs the commands of a shell.
@MainActor
final class ShellRun {
    let session: DeviceSession
    let console: any ShellConsole
    let terminal: Terminal
    let isJSON: Bool
    let timeout: Duration
    let pairing = PairingManager()
    let start = ContinuousClock.now
    /// The format of values without their own.
    var format: ValueFormat?
    /// The last device, for the name of the recording.
    var recordedDevice: String?
    var recording: (recording: SessionRecording, file: OutputFile, path: String)?
    private var firstFailure: ToolError.Kind?
    private var agent: SessionAgent?
    /// The signal that ends the shell.
    private var end: ToolError?
    /// Whether a command runs.
    private var isExecuting = false
    /// Whether Ctrl-C ends the command that has not started yet.
    private var isInterrupted = false

    init(
        _ session: DeviceSession, _ console: any ShellConsole, terminal: Terminal, isJSON: Bool, timeout: Duration
    ) {
        self.session = session
        self.console = console
        self.terminal = terminal
        self.isJSON = isJSON
        self.timeout = timeout
    }

    /// Runs until the end of the input.
    ///
    /// - Throws: The first failure of a command, if the commands come from a file or a pipe.
    func run(device: String?, record: String?) async throws {
        prepare()
        defer {
            session.end()
            console.close()
        }
        // A path that cannot be written fails before the session.
        if let record { recording = (SessionRecording(), try OutputFile(record), record) }
        if console.isInteractive { console.note(say("Type help for the commands, Ctrl-D to end.")) }
        if let device { await execute(.connect(device), line: nil) }
        input: while end == nil {
            switch await console.nextInput(prompt: prompt) {
            case .interrupted: continue
            case .end: break input
            case .line(let text, let number):
                do {
                    guard let instruction = try ShellInstruction(ShellWords(text).words) else { continue }
                    if instruction == .quit { break input }
                    await execute(instruction, line: number)
                } catch { fail(error, line: number) }
            }
        }
        do { try finishRecording() } catch { fail(error, line: nil) }
        if let end { throw end }
        if !console.isInteractive, let firstFailure { throw ToolError(firstFailure) }
    }

    private func prepare() {
        session.report = { [weak self] in self?.show($0) }
        let console = self.console
        let ask: @MainActor (String) async -> String? = { await console.answer(say($0)) }
        let session = self.session
        let agent = SessionAgent(
            accepts: { session.peripheral?.identifier == $0 }, isAsked: { session.isPairing },
            note: { console.note(say($0)) }, ask: console.isInteractive ? ask : nil,
            endQuestion: { console.dismissQuestion() })
        self.agent = agent
        pairing.setAgent(agent)
        if let console = console as? TerminalConsole {
            console.onInterrupt = { [weak self] in self?.interrupt() }
            console.complete = { [weak self] in self?.completer.completion(of: $0) ?? .init(length: 0, candidates: []) }
        }
        session.client.onInterruption = { [weak self] failure in
            self?.end = failure
            self?.session.cancel(failure, isFinal: true)
            self?.console.end()
        }
    }

    private var prompt: String {
        guard let name = session.deviceName else { return "bluelab> " }
        return session.isConnected ? "\(name)> " : "\(name) (lost)> "
    }

    private var completer: ShellCompleter {
        var completer = ShellCompleter()
        completer.devices = session.seen.map {
            .init(
                name: OwnNames.shown($0.name.map(ValueText.printable), of: $0.identifier),
                identifier: $0.identifier.uuidString)
        }
        // A device with a name of the user's own needs no scan.
        for (identifier, name) in OwnNames.current.sorted
        where !completer.devices.contains(where: { $0.identifier == identifier.uuid.uuidString }) {
            completer.devices.append(.init(name: name, identifier: identifier.uuid.uuidString))
        }
        for service in session.services ?? [] {
            for characteristic in service.characteristics ?? [] {
                completer.characteristics.append(
                    .init(
                        service: service.uuid.uuidString, serviceName: Self.name(service.uuid),
                        uuid: characteristic.uuid.uuidString, name: Self.name(characteristic.uuid)))
            }
        }
        return completer
    }

    private static func name(_ uuid: CBUUID) -> String? {
        let name = displayName(uuid)
        return name == uuid.uuidString ? nil : name
    }

    // MARK: Output

    /// Prints what happens between commands.
    private func show(_ report: DeviceSession.Report) {
        switch report {
        case .notification(let characteristic, let octets):
            let record = try? ValueRecord(characteristic, octets, format, time: .now - start)
            let text = record?.text ?? ValueText.fitting(octets, of: characteristic.uuid)
            recording?.recording.add(.notification(characteristic: path(characteristic), shown: text))
            if isJSON, let record {
                output(jsonLine(record))
            } else {
                output(
                    "\(seconds(.now - start))  \(terminal.styled(displayName(characteristic.uuid), .faint))  \(text)")
            }
        case .lost(let reason, _):
            var record = LinkRecord(.lost, session.peripheral)
            record.reason = reason
            tell("\(session.deviceName ?? "the device") disconnected: \(reason). Reconnecting ...", record)
        case .restored(let duration):
            var record = LinkRecord(.reconnected, session.peripheral)
            record.duration = jsonSeconds(duration)
            tell("reconnected to \(session.deviceName ?? "the device") after \(seconds(duration, width: 0))", record)
        case .incomplete(let failure):
            tell(failure.lines.joined(separator: " "), LinkRecord(.reconnected, session.peripheral))
        case .adapterLost:
            var record = LinkRecord(.lost, session.peripheral)
            record.reason = "the Bluetooth adapter was removed or switched off"
            tell("the Bluetooth adapter was removed or switched off.", record)
        }
        console.change(prompt: prompt)
    }

    func output(_ line: String) {
        do { try console.print(line) } catch {
            end = error as? ToolError
            console.end()
        }
    }

    /// Prints a message, or its record.
    func tell(_ message: String, _ record: LinkRecord) {
        if isJSON { output(jsonLine(record)) } else { console.note(say(message)) }
    }

    private func fail(_ error: any Error, line: Int?) {
        let failure = error as? ToolError ?? ToolError(.failed, "\(error)")
        if firstFailure == nil { firstFailure = failure.kind }
        guard end == nil else { return }
        let prefix = console.isInteractive ? "" : line.map { "line \($0): " } ?? ""
        if failure.kind == .interrupted, failure.lines.isEmpty { return console.note(say("interrupted")) }
        for (index, text) in failure.lines.enumerated() {
            let shown = ValueText.printable((index == 0 ? prefix : "") + say(text))
            console.note(index == 0 ? terminal.styled(shown, .red) : shown)
        }
    }

    private func execute(_ instruction: ShellInstruction, line: Int?) async {
        isExecuting = true
        defer { (isExecuting, isInterrupted) = (false, false) }
        do {
            // Ctrl-C came between the line and its command.
            if isInterrupted { throw ToolError(.interrupted) }
            try await perform(instruction)
        } catch { fail(error, line: line) }
    }

    private func interrupt() {
        if isExecuting { session.cancel(ToolError(.interrupted)) } else { isInterrupted = true }
    }
}
