import BLESimulator
import BLEWire
import DeviceFiles

extension WorldFile {
    /// The world as a YAML file. Reading it gives an equal world. Groups are written as their devices, and advertising data as octets.
    package var yaml: String {
        var writer = WorldFileWriter()
        writer.write(self)
        return writer.lines.joined(separator: "\n") + "\n"
    }
}

/// Writes a world line by line.
struct WorldFileWriter {
    var lines: [String] = []

    mutating func write(_ world: WorldFile) {
        lines.append("world: \(WorldFile.version)")
        if let name = world.name { lines.append("name: \(YAMLText.scalar(name))") }
        if let summary = world.summary { lines.append("summary: \(YAMLText.scalar(summary))") }
        if world.seed != 0 { lines.append("seed: \(world.seed)") }
        if let stress = world.stress { lines.append("stress: \(stress)") }
        if world.environment != RadioEnvironment() { lines.append("environment: " + Self.flow(world.environment)) }
        if !world.walls.isEmpty { lines.append("walls:") }
        for wall in world.walls { lines.append("  - {id: \(YAMLText.scalar(wall.id)), \(Self.ends(wall))}") }
        if !world.devices.isEmpty { lines.append("devices:") }
        for device in world.devices { write(device, "  - ", "    ") }
        if !world.events.isEmpty { lines.append("events:") }
        for event in world.events { write(event) }
        if !world.expectations.isEmpty { lines.append("expect:") }
        for expectation in world.expectations { lines.append("  - {\(Self.text(expectation))}") }
    }

    // MARK: Devices

    private mutating func write(_ device: WorldFile.Device, _ first: String, _ indentation: String) {
        lines.append("\(first)id: \(YAMLText.scalar(device.id))")
        if let name = device.name { lines.append("\(indentation)name: \(YAMLText.scalar(name))") }
        lines.append("\(indentation)at: \(WorldText.position(device.position))")
        if device.loss != 0 { lines.append("\(indentation)loss: \(WorldText.share(device.loss))") }
        if device.clockError != 0 { lines.append("\(indentation)clock: \(device.clockError) ppm") }
        if let platform = device.platform { lines.append("\(indentation)platform: \(YAMLText.scalar(platform))") }
        if !device.isOn { lines.append("\(indentation)on: false") }
        switch device.body {
        case .bare: break
        case .program(let program, let parameters):
            lines.append("\(indentation)program: \(YAMLText.scalar(program))")
            if parameters != .null { lines.append("\(indentation)parameters: \(Self.flow(parameters))") }
        case .profile(.shipped(let name)), .profile(.file(let name, _)):
            lines.append("\(indentation)profile: \(YAMLText.scalar(name))")
        case .profile(.inline(let profile)):
            lines.append("\(indentation)profile:")
            append(profile.yaml(), indentation)
        case .scripts(let scripts): write(scripts, indentation)
        case .beacon(let beacon): lines.append("\(indentation)beacon: \(Self.flow(beacon))")
        }
    }

    private mutating func write(_ scripts: [WorldFile.Script], _ indentation: String) {
        let isList = scripts.count > 1
        if isList { lines.append("\(indentation)scripts:") }
        for script in scripts {
            switch script {
            case .file(let name, _):
                lines.append(indentation + (isList ? "  - " : "script: ") + YAMLText.scalar(name))
            case .inline(let script):
                lines.append(indentation + (isList ? "  -" : "script:"))
                append(script.text, indentation + (isList ? "  " : ""))
            }
        }
    }

    private mutating func append(_ text: String, _ indentation: String) {
        for line in text.split(separator: "\n") { lines.append("\(indentation)  \(line)") }
    }

    private static func flow(_ beacon: WorldFile.Beacon) -> String {
        let advertisement = beacon.advertisement
        let type =
            switch advertisement.packet {
            case .connectable: "connectable"
            case .scannable: "scannable"
            case .nonConnectable, .directed: "nonconnectable"
            }
        var parts = ["type: \(type)", "data: \"\(Hexadecimal.text(advertisement.data))\""]
        if !advertisement.scanResponse.isEmpty {
            parts.append("response: \"\(Hexadecimal.text(advertisement.scanResponse))\"")
        }
        parts += ["interval: \(YAMLReader.text(advertisement.interval))", "power: \(beacon.power) dBm"]
        if let extended = advertisement.extended {
            parts.append(
                "extended: {primary: \(extended.primaryPHY.code.word), secondary: \(extended.secondaryPHY.code.word), "
                    + "set: \(extended.sid), anonymous: \(extended.isAnonymous)}")
        }
        return "{\(parts.joined(separator: ", "))}"
    }

    static func flow(_ value: WorldValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .string(let text): YAMLText.quoted(text)
        case .array(let elements): "[" + elements.map(flow).joined(separator: ", ") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { "\(YAMLText.quoted($0.key)): \(flow($0.value))" }
                .joined(separator: ", ") + "}"
        }
    }

    private static func flow(_ environment: RadioEnvironment) -> String {
        let parts = [
            "path-loss-exponent: \(WorldText.number(environment.pathLossExponent))",
            "reference-loss: \(WorldText.number(environment.referenceLoss)) dB",
            "fading: \(WorldText.number(environment.fading)) dB",
            "packet-loss: \(WorldText.share(environment.packetLoss))",
            "sensitivity: \(WorldText.number(environment.sensitivity)) dBm",
        ]
        return "{\(parts.joined(separator: ", "))}"
    }

    private static func ends(_ wall: WorldFile.Wall) -> String {
        let (start, end) = (WorldText.position(wall.wall.start), WorldText.position(wall.wall.end))
        return "from: \(start), to: \(end), loss: \(WorldText.number(wall.wall.attenuation)) dB"
    }

    // MARK: Events

    private mutating func write(_ event: WorldFile.Event) {
        let time = "at: \(YAMLReader.text(event.time))"
        let text: String
        switch event.change {
        case .move(let device, let target, let over):
            let length = over == .zero ? "" : ", over: \(YAMLReader.text(over))"
            text = "move: \(YAMLText.scalar(device)), to: \(WorldText.position(target))\(length)"
        case .power(let device, let isOn): text = "power: \(YAMLText.scalar(device)), on: \(isOn)"
        case .loss(let device, let loss): text = "loss: \(YAMLText.scalar(device)), share: \(WorldText.share(loss))"
        case .press(let device, let action, let arguments):
            let with = arguments == .null ? "" : ", with: \(Self.flow(arguments))"
            text = "press: \(YAMLText.scalar(device)), action: \(YAMLText.scalar(action))\(with)"
        case .rename(let device, let name): text = "rename: \(YAMLText.scalar(device)), name: \(YAMLText.quoted(name))"
        case .platform(let device, let platform):
            text = "platform: \(YAMLText.scalar(device)), is: \(YAMLText.scalar(platform ?? "none"))"
        case .fault(let device, let fault): text = "fault: \(YAMLText.scalar(device)), \(Self.text(fault))"
        case .removeFaults(let device): text = "remove-faults: \(YAMLText.scalar(device))"
        case .restart(let device): text = "restart: \(YAMLText.scalar(device))"
        case .remove(let device): text = "remove: \(YAMLText.scalar(device))"
        case .wall(let wall): text = "wall: \(YAMLText.scalar(wall.id)), \(Self.ends(wall))"
        case .removeWall(let wall): text = "remove-wall: \(YAMLText.scalar(wall))"
        case .environment(let environment): text = "environment: \(Self.flow(environment))"
        case .add(let device):
            lines += ["  - \(time)", "    add:"]
            return write(device, "      ", "      ")
        }
        lines.append("  - {\(time), \(text)}")
    }

    private static func text(_ fault: Fault) -> String {
        let values: [String] =
            switch fault {
            case .lateStart(let delay), .slowAnswers(let delay), .slowDiscovery(let delay), .slowWrites(let delay),
                .slowAtFirst(let delay), .lateUpdates(let delay), .slowPairing(let delay):
                [YAMLReader.text(delay)]
            case .stalledCompletions(let onset, let length): [YAMLReader.text(onset), YAMLReader.text(length)]
            case .forgottenBonds(let onset): [YAMLReader.text(onset)]
            case .shrinkingMTU(let octets): ["\(octets)"]
            case .lostServiceChanged, .staleCache, .earlyNotification, .ignoredParameterRequests: []
            }
        return "kind: \(fault.kind.rawValue)" + zip(fault.kind.keys, values).map { ", \($0): \($1)" }.joined()
    }

    static func text(_ expectation: WorldFile.Expectation) -> String {
        let condition =
            switch expectation.condition {
            case .link(let first, let second, let isOpen):
                "\(isOpen ? "link" : "no-link"): [\(YAMLText.scalar(first)), \(YAMLText.scalar(second))]"
            case .state(let device, let state): "state: \(YAMLText.scalar(device)), is: \"\(state.rawValue)\""
            case .line(let device, let text): "line: \(YAMLText.scalar(device)), contains: \(YAMLText.quoted(text))"
            }
        let window =
            switch expectation.window {
            case .within(let length, let start):
                "within: \(YAMLReader.text(length))" + (start == .zero ? "" : ", after: \(YAMLReader.text(start))")
            case .at(let time): "at: \(YAMLReader.text(time))"
            case .during(let start, let end): "during: [\(YAMLReader.text(start)), \(YAMLReader.text(end))]"
            }
        return "\(condition), \(window)"
    }
}
