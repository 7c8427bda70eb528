import BLEValues
import BluetoothPairing
import CoreBluetooth
import DeviceFiles
import Foundation

extension ShellRun {
    func perform(_ instruction: ShellInstruction) async throws {
        switch instruction {
        case .scan(let duration): try await scan(duration)
        case .connect(let device): try await connect(device)
        case .disconnect:
            let record = LinkRecord(.disconnected, session.peripheral)
            let name = session.deviceName ?? "the device"
            try await session.disconnect()
            add(.action(.disconnect))
            tell("disconnected from \(name)", record)
        case .explore: try await explore()
        case .read(let wanted, let format): try await read(wanted, format)
        case .write(let wanted, let text, let format, let response):
            try await write(wanted, text, format, response)
        case .notify(let wanted, let isOn): try await notify(wanted, isOn)
        case .rssi:
            let rssi = try await session.rssi()
            add(.action(.rssi(Bounds())))
            var record = LinkRecord(.rssi, session.peripheral)
            record.rssi = rssi
            output(isJSON ? jsonLine(record) : "\(rssi) dBm")
        case .mtu:
            let mtu = try await session.mtu()
            add(.action(.mtu(Bounds(minimum: mtu))))
            var record = LinkRecord(.mtu, session.peripheral)
            record.mtu = mtu
            output(isJSON ? jsonLine(record) : "\(mtu) octets")
        case .pair(let security):
            let result = try await session.pair(pairing, minimum: security.level)
            add(.action(.pair(security)))
            if let peripheral = session.peripheral {
                let record = PairingRecord("paired", peripheral.identifier, peripheral.name, result)
                output(record.line(asJSON: isJSON))
            }
        case .format(let format): self.format = format
        case .sleep(let duration):
            // Notifications that arrive meanwhile follow in the recording.
            add(.action(.sleep(duration)))
            _ = try await session.conditions.wait(duration) { false }
        case .record(let path):
            try finishRecording()
            if let path {
                let file = try OutputFile(path)
                // The script starts at a connection.
                var recording = SessionRecording()
                if let peripheral = session.peripheral { recording.add(.action(connection(to: peripheral))) }
                self.recording = (recording, file, path)
                console.note(say("recording to \(path) until record stop or the end of the shell"))
            }
        case .help(let word): try help(word)
        case .quit: break
        }
    }

    // MARK: Devices

    private func scan(_ duration: Duration) async throws {
        var strongest: [UUID: AdvertisementEvent] = [:]
        let scans = try await session.scan(duration) { sighting, _ in
            strongest[sighting.identifier] = sighting
            return false
        }
        _ = scans
        // The session keeps the names of earlier advertisements.
        let found = strongest.values.sorted {
            ($0.rssi ?? -128, $1.identifier.uuidString) > ($1.rssi ?? -128, $0.identifier.uuidString)
        }
        for sighting in found {
            let known = session.seen.first { $0.identifier == sighting.identifier } ?? sighting
            if isJSON {
                output(jsonLine(SeenRecord(known)))
                continue
            }
            let name = ValueText.printable(OwnNames.shown(known.name, of: known.identifier) ?? say("(no name)"))
            let services = known.services.map(displayName).joined(separator: ", ")
            let rssi = sighting.rssi.map { "\($0) dBm" } ?? ""
            let row =
                padded(rssi, 8) + "  " + filled(name, 24) + "  " + filled(shortened(known.identifier), 8) + "  "
                + services
            output(
                row.trimmingCharacters(in: .whitespaces).isEmpty
                    ? row : String(row.reversed().drop { $0 == " " }.reversed()))
        }
        if !isJSON { console.note(say(found.count == 1 ? "1 device" : "\(found.count) devices")) }
    }

    private func connect(_ device: String) async throws {
        let duration = try await session.connect(to: device, within: timeout)
        guard let peripheral = session.peripheral else { return }
        recordedDevice = session.deviceName
        add(.action(connection(to: peripheral)))
        var record = LinkRecord(.connected, peripheral)
        record.duration = jsonSeconds(duration)
        tell("connected to \(session.deviceName ?? device) in \(seconds(duration, width: 0))", record)
        // Tab completes characteristics from now on. A failure shows in the commands that need them.
        _ = try? await session.discover()
    }

    /// The connection as a step. An ambiguous name gives way to the identifier, and so does one that a run would take for a variable.
    private func connection(to peripheral: CBPeripheral) -> ScriptAction {
        let name = session.advertisedName
        let isUnique =
            name.map { name in
                !name.contains("${")
                    && !session.seen.contains { $0.name == name && $0.identifier != peripheral.identifier }
            } ?? false
        return .connect(device: isUnique ? name : peripheral.identifier.uuidString, within: timeout)
    }

    private func explore() async throws {
        let services = try await session.discover()
        add(.action(.discover))
        var tree = AttributeTree(terminal: terminal)
        for service in services {
            tree.add(service)
            for characteristic in service.characteristics ?? [] {
                tree.add(characteristic, try await value(of: characteristic))
            }
        }
        for line in isJSON ? tree.json : tree.lines { output(line) }
    }

    /// The result of a read; nil if the characteristic is not readable.
    private func value(of characteristic: CBCharacteristic) async throws -> Result<[UInt8], ToolError>? {
        guard characteristic.properties.contains(.read) else { return nil }
        do {
            return .success(try await session.read(characteristic))
        } catch let failure as ToolError where failure.isRefusal {
            return .failure(failure)
        }
    }

    // MARK: Values

    private func read(_ wanted: String, _ format: ValueFormat?) async throws {
        let characteristic = try await session.characteristic(wanted)
        let path = path(characteristic)
        let octets = try await refusable(.read(characteristic: path, ValueExpectation(), isRefused: true)) {
            try await session.read(characteristic)
        }
        let format = format ?? self.format
        let record = try ValueRecord(characteristic, octets, format)
        add(.read(characteristic: path, octets: octets, format: format, shown: record.text))
        output(record.line(asJSON: isJSON))
    }

    private func write(_ wanted: String, _ text: String, _ format: ValueFormat?, _ response: Bool?) async throws {
        let octets: [UInt8]
        do throws(ValueError) {
            octets = try (format ?? self.format ?? ValueFormat(.hexadecimal)).octets(text)
        } catch { throw ToolError(.usage, error.description) }
        let characteristic = try await session.characteristic(wanted)
        let path = path(characteristic)
        let refused = ScriptAction.write(
            characteristic: path, ScriptValue(octets), response: response, isRefused: true)
        try await refusable(refused) {
            try await session.write(octets, to: characteristic, response: response)
        }
        add(.write(characteristic: path, octets: octets, response: response))
        if isJSON {
            output(jsonLine(WriteRecord(characteristic, octets)))
        } else {
            console.note(say("wrote \(octetCount(octets.count)) to \(displayName(characteristic.uuid))"))
        }
    }

    private func notify(_ wanted: String, _ isOn: Bool) async throws {
        let characteristic = try await session.characteristic(wanted)
        // A notification can arrive before the answer, so the subscription is recorded first.
        let path = path(characteristic)
        if isOn { add(.action(.subscribe(characteristic: path, isRefused: false))) }
        try await session.setNotifying(isOn, characteristic)
        if !isOn { add(.action(.unsubscribe(characteristic: path))) }
        if !isJSON {
            console.note(say("notifications of \(displayName(characteristic.uuid)) are \(isOn ? "on" : "off")"))
        }
    }

    /// A characteristic as scripts name it: its name or UUID if that is unique, else the path.
    func path(_ characteristic: CBCharacteristic) -> String {
        let all = (session.services ?? []).flatMap { $0.characteristics ?? [] }
        let uuid = characteristic.uuid.uuidString
        guard all.count(where: { $0.uuid == characteristic.uuid }) != 1 else { return displayName(characteristic.uuid) }
        return characteristic.service.map { "\($0.uuid.uuidString)/\(uuid)" } ?? uuid
    }

    /// Runs an operation, and records its refusal by the device.
    private func refusable<Value>(
        _ action: ScriptAction, _ operation: @MainActor () async throws -> Value
    ) async throws -> Value {
        do { return try await operation() } catch let failure as ToolError where failure.isRefusal {
            add(.action(action))
            throw failure
        }
    }

    // MARK: The recording

    private func add(_ entry: SessionRecording.Entry) {
        guard let isFull = recording?.recording.isFull, !isFull else { return }
        recording?.recording.add(entry)
        if recording?.recording.isFull == true {
            console.note(say("the recording is full after \(SessionRecording.limit) entries"))
        }
    }

    /// Writes the script of a recording under way.
    func finishRecording() throws {
        guard let (recording, file, path) = recording else { return }
        self.recording = nil
        guard !recording.entries.isEmpty else { return console.note(say("nothing was recorded")) }
        let script = recording.script(name: "A session with \(recordedDevice ?? "a device")")
        try file.append(Array(script.text.utf8))
        try file.publish()
        console.note(say("wrote \(path): \(script.steps.count == 1 ? "1 step" : "\(script.steps.count) steps")"))
    }

    private func help(_ word: String?) throws {
        if let word {
            guard let info = ShellCommandInfo.all.first(where: { $0.word == word }) else {
                throw ToolError(.usage, "\"\(word)\" is not a command.", "Try: help")
            }
            console.note("\(info.line)\n    \(say(info.abstract))")
            return
        }
        let width = 34
        for info in ShellCommandInfo.all {
            let isLong = info.line.count > width
            console.note(
                isLong
                    ? "\(info.line)\n\(String(repeating: " ", count: width + 2))\(say(info.abstract))"
                    : filled(info.line, width + 2) + say(info.abstract))
        }
    }
}
