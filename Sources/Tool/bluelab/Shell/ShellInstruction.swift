import BLEAdapter
import BLEValues
import DeviceFiles

/// A command of the shell.
enum ShellInstruction: Hashable, Sendable {
    case scan(Duration)
    case connect(String)
    case disconnect
    case explore
    case read(String, ValueFormat?)
    case write(String, String, ValueFormat?, response: Bool?)
    case notify(String, isOn: Bool)
    case rssi
    case mtu
    case pair(ScriptSecurity)
    /// The format of values; nil: by the characteristic.
    case format(ValueFormat?)
    case sleep(Duration)
    /// Records the commands from now on into a script; nil ends the recording.
    case record(String?)
    case help(String?)
    case quit
}

/// What a word after a command stands for.
enum ShellArgument: Hashable, Sendable {
    case device, characteristic, value, format, state, seconds, security, file, command, response
}

/// The word of a command with its arguments.
struct ShellCommandInfo: Sendable {
    let word: String
    let usage: String
    let abstract: String
    let arguments: [ShellArgument]

    static let all: [ShellCommandInfo] = [
        .init("scan", "[SECONDS]", "list the devices in range, 3 s by default", [.seconds]),
        .init("connect", "DEVICE", "connect, and reconnect after a loss", [.device]),
        .init("disconnect", "", "end the connection", []),
        .init("explore", "", "show services and characteristics with their values", []),
        .init("read", "CHARACTERISTIC [FORMAT]", "read a value", [.characteristic, .format]),
        .init(
            "write", "CHARACTERISTIC VALUE [FORMAT] [without-response]", "write a value, hexadecimal by default",
            [.characteristic, .value, .format, .response]),
        .init(
            "notify", "CHARACTERISTIC [on|off]", "turn notifications on or off", [.characteristic, .state]),
        .init("rssi", "", "show the signal strength in dBm", []),
        .init("mtu", "", "show the ATT_MTU in octets", []),
        .init("pair", "[encrypted|authenticated|secure-connections]", "pair with the device", [.security]),
        .init("format", "FORMAT|auto", "the format of values, such as u16 or utf8", [.format]),
        .init("sleep", "SECONDS", "wait", [.seconds]),
        .init("record", "FILE|stop", "record the following commands as a script for bluelab run", [.file]),
        .init("help", "[COMMAND]", "show the commands", [.command]),
        .init("quit", "", "end the connection and the shell (Ctrl-D)", []),
    ]

    private init(_ word: String, _ usage: String, _ abstract: String, _ arguments: [ShellArgument]) {
        self.word = word
        self.usage = usage
        self.abstract = abstract
        self.arguments = arguments
    }

    /// The word with its arguments.
    var line: String { usage.isEmpty ? word : "\(word) \(usage)" }
}

extension ShellInstruction {
    static let separateWord = "without-response"

    /// Parses the words of a line; nil without words.
    ///
    /// - Throws: `ToolError` of the kind `usage`.
    init?(_ words: [String]) throws {
        guard let word = words.first else { return nil }
        guard let info = ShellCommandInfo.all.first(where: { $0.word == word }) else {
            let known = ShellCommandInfo.all.map(\.word)
            let hint = Spelling.nearest(to: word, in: known).map { "Did you mean \"\($0)\"?" }
            throw ToolError(.usage, "\"\(word)\" is not a command.", hint ?? "Try: help")
        }
        self = try Self.parsed(info, Array(words.dropFirst()))
    }

    private static func parsed(_ info: ShellCommandInfo, _ arguments: [String]) throws -> ShellInstruction {
        let wrong = ToolError(.usage, "\(info.word) is used as: \(info.line)")
        func only(_ range: ClosedRange<Int>) throws { if !range.contains(arguments.count) { throw wrong } }
        switch info.word {
        case "scan":
            try only(0...1)
            return .scan(try arguments.first.map(duration) ?? .seconds(3))
        case "connect":
            try only(1...1)
            return .connect(arguments[0])
        case "disconnect", "explore", "rssi", "mtu", "quit":
            try only(0...0)
            let plain: [String: ShellInstruction] = [
                "disconnect": .disconnect, "explore": .explore, "rssi": .rssi, "mtu": .mtu,
            ]
            return plain[info.word] ?? .quit
        case "read":
            try only(1...2)
            return .read(arguments[0], arguments.count == 2 ? try format(arguments[1]) : nil)
        case "write":
            try only(2...4)
            var rest = arguments[2...]
            let isSeparate = rest.last == separateWord
            if isSeparate { rest.removeLast() }
            if rest.count > 1 { throw wrong }
            return .write(
                arguments[0], arguments[1], try rest.first.map(format), response: isSeparate ? false : nil)
        case "notify":
            try only(1...2)
            let state = arguments.count == 2 ? arguments[1] : "on"
            guard ["on", "off"].contains(state) else { throw wrong }
            return .notify(arguments[0], isOn: state == "on")
        case "pair":
            try only(0...1)
            guard let security = ScriptSecurity(rawValue: arguments.first ?? "encrypted") else { throw wrong }
            return .pair(security)
        case "format":
            try only(1...1)
            return .format(arguments[0] == "auto" ? nil : try format(arguments[0]))
        case "sleep":
            try only(1...1)
            return .sleep(try duration(arguments[0]))
        case "record":
            try only(1...1)
            return .record(arguments[0] == "stop" ? nil : arguments[0])
        default:
            try only(0...1)
            return .help(arguments.first)
        }
    }

    private static func format(_ name: String) throws -> ValueFormat {
        if let format = ValueFormat(name: name) { return format }
        let names = ValueFormat.all.map(\.name)
        let hint = Spelling.nearest(to: name, in: names).map { "Did you mean \"\($0)\"?" }
        throw ToolError(
            .usage, "\"\(name)\" is not a format.", hint ?? "The formats are \(names.joined(separator: ", ")).")
    }

    /// Seconds, or a number with a unit.
    private static func duration(_ text: String) throws -> Duration {
        let value = YAMLReader.duration(text) ?? YAMLReader.duration(text + " s")
        guard let value, value > .zero, value <= .seconds(86_400) else {
            throw ToolError(.usage, "\"\(text)\" is not a time: expected seconds, such as 0.5, or 500ms.")
        }
        return value
    }
}
