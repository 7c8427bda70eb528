import BLEAdapter
import ArgumentParser
import DeviceFiles

extension Bluelab {
    /// Commands that cannot take `help` as an argument.
    private static let takesHelp: Set<[String]> = [
        ["demo"], ["adapters"], ["radio"], ["radio", "wall"], ["transfer"],
    ]

    /// Commands of `radio` with numbers as arguments.
    private static let takesNumbers: Set<String?> = ["move", "loss", "wall"]

    /// Rewrites arguments that the argument parser does not accept.
    ///
    /// - `COMMAND help` becomes `help COMMAND`.
    /// - `--trace` of `demo` gets its default value if it has none.
    /// - A negative number after an option becomes its value instead of an option, so that the option can explain its refusal.
    /// - Negative numbers of `radio move` and similar commands become arguments instead of options.
    static func completed(_ arguments: [String]) -> [String] {
        var arguments = joiningNegativeValues(arguments)
        if let word = arguments.firstIndex(of: "help"), takesHelp.contains(Array(arguments[..<word])) {
            return ["help"] + arguments[..<word] + arguments[(word + 1)...]
        }
        if arguments.first == RadioCommand.configuration.commandName, takesNumbers.contains(arguments.dropFirst().first)
        {
            arguments = shieldingCoordinates(arguments)
        }
        guard arguments.first == DemoCommand.configuration.commandName else { return arguments }
        return arguments.indices.map { index in
            let next = arguments.indices.contains(index + 1) ? arguments[index + 1] : nil
            // Another word is the value, and the parser lists the valid ones.
            let isAlone = arguments[index] == "--trace" && next?.hasPrefix("-") != false
            return isAlone ? "--trace=\(WristbandDemoCommand.Trace.air.rawValue)" : arguments[index]
        }
    }

    private static func joiningNegativeValues(_ arguments: [String]) -> [String] {
        guard arguments.contains(where: isNegativeNumber) else { return arguments }
        let options = CommandDescription.valueOptions
        var joined: [String] = []
        for argument in arguments {
            if isNegativeNumber(argument), let last = joined.last, options.contains(last) {
                joined[joined.count - 1] = "\(last)=\(argument)"
            } else {
                joined.append(argument)
            }
        }
        return joined
    }

    /// Inserts `--` before the first negative number, and moves later options before it.
    private static func shieldingCoordinates(_ arguments: [String]) -> [String] {
        guard !arguments.contains("--"), let number = arguments.firstIndex(where: isNegativeNumber) else {
            return arguments
        }
        var options: [String] = []
        var coordinates: [String] = []
        var rest = arguments[number...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), !isNegativeNumber(argument) else {
                coordinates.append(argument)
                continue
            }
            options.append(argument)
            if argument == "--name", let value = rest.popFirst() { options.append(value) }
        }
        return arguments[..<number] + options + ["--"] + coordinates
    }

    private static func isNegativeNumber(_ argument: String) -> Bool {
        argument.hasPrefix("-") && Double(argument) != nil
    }

    /// The error message for words that do not name a command; nil if they do. The argument parser itself would print the help of
    /// the last known command without an error.
    static func complaint(about arguments: [String]) -> String? {
        var words = arguments[...]
        let asksForHelp = words.first == "help"
        if asksForHelp { words = words.dropFirst() }
        var command: any ParsableCommand.Type = Bluelab.self
        var path = "bluelab"
        while let word = words.first, !word.hasPrefix("-") {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty else {
                return asksForHelp ? "\(path) has no commands, so there is no help for \"\(word)\"." : nil
            }
            guard let next = subcommands.first(where: { name(of: $0) == word }) else {
                let all = subcommands.map { name(of: $0) }
                let names = all.joined(separator: ", ")
                let guess = Spelling.nearest(to: word, in: all).map { " Did you mean \($0)?" } ?? ""
                let help =
                    asksForHelp || path == "bluelab" ? "bluelab help" : "bluelab help\(path.dropFirst("bluelab".count))"
                return
                    "\"\(word)\" is not a command of \(path).\(guess) Its commands are \(names); \(help) describes them."
            }
            command = next
            path += " \(word)"
            words = words.dropFirst()
        }
        return nil
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? String(describing: command).lowercased()
    }
}

extension Bluelab {
    /// The message of an error in the arguments, as one line.
    static func sentence(for error: any Error) -> String {
        let text = message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
        return text.last.map { ".?!".contains($0) } == true ? text : text + "."
    }

    /// The command that explains the command of `arguments`.
    static func helpCommand(for arguments: [String]) -> String {
        var command: any ParsableCommand.Type = Bluelab.self
        var words = ["bluelab", "help"]
        for word in arguments {
            guard let next = command.configuration.subcommands.first(where: { name(of: $0) == word }) else { break }
            command = next
            words.append(word)
        }
        return words.joined(separator: " ")
    }
}

/// The value of `--seed`.
func seedValue(_ text: String) throws -> UInt64 {
    guard let seed = UInt64(text) else {
        throw ValidationError("a seed must be a whole number from 0 to \(UInt64.max).")
    }
    return seed
}

/// The value of `--port`.
func portValue(_ text: String) throws -> UInt16 {
    guard let port = UInt16(text) else { throw ValidationError("a port must be a whole number from 0 to 65535.") }
    return port
}

/// The value of `--distance`.
func distanceValue(_ text: String) throws -> Double {
    guard let distance = Double(text), distance.isFinite, (0...1000).contains(distance) else {
        throw ValidationError("a distance must be a number of metres from 0 to 1000.")
    }
    return distance
}
