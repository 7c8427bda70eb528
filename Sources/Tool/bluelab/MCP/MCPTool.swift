/// A tool of `bluelab mcp`: a command of `bluelab` with the arguments that a client may choose.
struct MCPTool {
    struct Argument {
        enum Kind {
            case text
            /// Several texts.
            case texts
            case flag
            case number(ClosedRange<Double>, default: Double?)
            case count(ClosedRange<Int>, default: Int?)
        }

        let name: String
        let kind: Kind
        let help: String
        var isRequired = false
        /// The option of the command; nil for a positional argument.
        var option: String?
    }

    let name: String
    let title: String
    let help: String
    let arguments: [Argument]
    /// Options that each call has.
    var options: [String] = []
    var changesDevice = false
    /// Whether a call that loses an open link runs again on a new one.
    var isRepeatable = false
    /// Whether the command needs the link to end first: a connected device does not advertise.
    var endsLink = false

    private static let device = Argument(
        name: "device", kind: .text, help: "The device: its name, its identifier, or a part of either.",
        isRequired: true)
    private static let characteristic = Argument(
        name: "characteristic", kind: .text,
        help: "The characteristic: its UUID, its name, a part of its name, or SERVICE/CHARACTERISTIC.", isRequired: true
    )
    private static let timeout = Argument(
        name: "timeout", kind: .number(1...60, default: 10),
        help: "The time limit of the search and of the connection in seconds.", option: "--timeout")
    private static let format = Argument(
        name: "format", kind: .text,
        help: "hex, utf8, base64, u8 to u64, i8 to i64, f32 or f64; the suffix be means big endian, such as u16be.",
        option: "--format")

    static let scan = MCPTool(
        name: "scan", title: "Scan for devices",
        help:
            "Lists the Bluetooth LE devices in range with name, identifier, signal strength, services and company. Ends an open link.",
        arguments: [
            Argument(
                name: "duration", kind: .number(0.5...60, default: 5), help: "The time in seconds.",
                option: "--duration"),
            Argument(name: "name", kind: .text, help: "Only devices with this text in their name.", option: "--name"),
            Argument(
                name: "services", kind: .texts, help: "Only devices with one of these services, by UUID or SIG name.",
                option: "--service"),
            Argument(
                name: "minimumRSSI", kind: .count(-127...20, default: nil),
                help: "Only devices with at least this signal strength in dBm.", option: "--minimum-rssi"),
            Argument(
                name: "count", kind: .count(1...200, default: 200), help: "Ends after this number of devices.",
                option: "--count"),
        ], endsLink: true)

    static let explore = MCPTool(
        name: "explore", title: "List services and characteristics",
        help:
            "Connects to a device and lists its services and characteristics with their properties and readable values.",
        arguments: [
            device, Argument(name: "all", kind: .flag, help: "Include descriptors.", option: "--all"),
            Argument(name: "noValues", kind: .flag, help: "Do not read values.", option: "--no-values"), timeout,
        ], isRepeatable: true)

    static let read = MCPTool(
        name: "read", title: "Read a value", help: "Connects to a device and reads the value of a characteristic.",
        arguments: [device, characteristic, format, timeout], isRepeatable: true)

    static let write = MCPTool(
        name: "write", title: "Write a value", help: "Connects to a device and writes a value to a characteristic.",
        arguments: [
            device, characteristic,
            Argument(
                name: "value", kind: .text, help: "The value in the format, which is hexadecimal by default.",
                isRequired: true), format,
            Argument(
                name: "withoutResponse", kind: .flag,
                help: "Send a Write Command, to which the device sends no response.",
                option: "--without-response"), timeout,
        ], changesDevice: true)

    static let notify = MCPTool(
        name: "notify", title: "Receive notifications",
        help: "Connects to a device, subscribes to characteristics, and returns the values that arrive within a time.",
        arguments: [
            device,
            Argument(
                name: "characteristics", kind: .texts, help: "The characteristics, as for read.", isRequired: true),
            Argument(
                name: "duration", kind: .number(0.1...60, default: 10), help: "The time in seconds.",
                option: "--duration"),
            Argument(
                name: "count", kind: .count(1...1000, default: 100), help: "Ends after this number of values.",
                option: "--count"), format, timeout,
        ])

    static let rssi = MCPTool(
        name: "rssi", title: "Measure the signal",
        help: "Connects to a device and measures the signal strength of the link.",
        arguments: [device, timeout], options: ["--count=1"], isRepeatable: true)

    /// The tools of a server.
    ///
    /// - Parameter commands: The commands of this version of `bluelab`.
    static func all(allowsWrites: Bool, commands: [String]) -> [MCPTool] {
        [scan, explore, read, write, notify, rssi].filter { tool in
            commands.contains(tool.name) && (allowsWrites || !tool.changesDevice)
        }
    }

    // MARK: The description for clients

    var description: JSONValue {
        [
            "name": .text(name), "title": .text(title), "description": .text(help),
            "inputSchema": [
                "type": "object",
                "properties": .object(Dictionary(uniqueKeysWithValues: arguments.map { ($0.name, $0.schema) })),
                "required": .list(arguments.filter(\.isRequired).map { .text($0.name) }),
                "additionalProperties": false,
            ],
            "outputSchema": [
                "type": "object",
                "properties": [
                    "records": [
                        "type": "array", "items": ["type": "object"],
                        "description": .text(
                            "The records that bluelab \(name) --json prints; their type selects the fields."),
                    ],
                    "code": ["type": "integer", "description": "The exit code of the command: 0 for success."],
                ],
                "required": ["records", "code"],
            ],
            "annotations": [
                "readOnlyHint": .bool(!changesDevice), "destructiveHint": .bool(changesDevice), "openWorldHint": true,
            ],
        ]
    }

    // MARK: The words of the command

    /// The command line for a call. Values cannot become options: each value of an option is part of its word, and positional arguments
    /// follow the terminator.
    ///
    /// - Throws: `ToolError` that names the wrong argument.
    func words(_ values: JSONValue) throws -> [String] {
        guard case .object(let members) = values else { throw refusal("the arguments must be an object") }
        if let unknown = members.keys.sorted().first(where: { key in !arguments.contains { $0.name == key } }) {
            let names = arguments.map(\.name).joined(separator: ", ")
            throw refusal("there is no argument \"\(ValueText.printable(unknown))\"; the arguments are \(names)")
        }
        var optional = [name, "--json"] + options
        var positional: [String] = []
        for argument in arguments {
            let value = members[argument.name].flatMap { $0 == .null ? nil : $0 }
            if value == nil, argument.isRequired { throw refusal("the argument \(argument.name) is missing") }
            for text in try argument.texts(value) {
                switch argument.option {
                case .some(let option): optional.append(text.isEmpty ? option : "\(option)=\(text)")
                case nil: positional.append(text)
                }
            }
        }
        return positional.isEmpty ? optional : optional + ["--"] + positional
    }

    private func refusal(_ text: String) -> ToolError { ToolError(.usage, "\(name): \(text).") }
}

extension MCPTool.Argument {
    /// The longest text and the largest number of texts.
    private static let lengthLimit = 8192
    private static let countLimit = 32

    fileprivate var schema: JSONValue {
        var schema: [String: JSONValue] = ["description": .text(help)]
        switch kind {
        case .text: schema["type"] = "string"
        case .texts:
            schema["type"] = "array"
            schema["items"] = ["type": "string"]
            schema["minItems"] = 1
            schema["maxItems"] = .integer(Int64(Self.countLimit))
        case .flag: schema["type"] = "boolean"
        case .number(let range, let standard):
            schema["type"] = "number"
            schema["minimum"] = .number(range.lowerBound)
            schema["maximum"] = .number(range.upperBound)
            schema["default"] = standard.map { .number($0) }
        case .count(let range, let standard):
            schema["type"] = "integer"
            schema["minimum"] = .integer(Int64(range.lowerBound))
            schema["maximum"] = .integer(Int64(range.upperBound))
            schema["default"] = standard.map { .integer(Int64($0)) }
        }
        return .object(schema)
    }

    /// The value as words; an empty word for a flag that is set.
    fileprivate func texts(_ value: JSONValue?) throws -> [String] {
        func refusal(_ expected: String) -> ToolError { ToolError(.usage, "\(name) must be \(expected).") }
        func checked(_ value: JSONValue) throws -> String {
            guard case .text(let text) = value, !text.isEmpty, text.utf8.count <= Self.lengthLimit,
                !text.unicodeScalars.contains("\0")
            else { throw refusal("a text of 1 to \(Self.lengthLimit) octets") }
            return text
        }
        switch (kind, value) {
        case (.text, nil), (.texts, nil), (.flag, nil), (.flag, .bool(false)): return []
        case (.text, .some(let value)): return [try checked(value)]
        case (.texts, .some(.list(let values))):
            guard (1...Self.countLimit).contains(values.count) else {
                throw refusal("an array of 1 to \(Self.countLimit) texts")
            }
            return try values.map(checked)
        case (.texts, _): throw refusal("an array of 1 to \(Self.countLimit) texts")
        case (.flag, .some(.bool(true))): return [""]
        case (.flag, _): throw refusal("true or false")
        case (.number(let range, let standard), _):
            let value: Double? =
                switch value {
                case nil: standard
                case .some(.integer(let value)): Double(value)
                case .some(.number(let value)): value
                default: throw refusal("a number from \(range.lowerBound) to \(range.upperBound)")
                }
            guard let value else { return [] }
            guard range.contains(value) else {
                throw refusal("a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return [String(value)]
        case (.count(let range, let standard), _):
            let value: Int? =
                switch value {
                case nil: standard
                // 3.0 is an integer, too.
                case .some(.integer), .some(.number): value?.number.flatMap { Int(exactly: $0) } ?? .min
                default: throw refusal("a whole number from \(range.lowerBound) to \(range.upperBound)")
                }
            guard let value else { return [] }
            guard range.contains(value) else {
                throw refusal("a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return [String(value)]
        }
    }
}
