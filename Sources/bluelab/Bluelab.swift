import ArgumentParser

@main
enum Program {
    static func main() async { await Bluelab.main(Bluelab.completed(Array(CommandLine.arguments.dropFirst()))) }
}

struct Bluelab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluelab",
        abstract: "A Bluetooth LE laboratory in a terminal.",
        discussion: """
            With nothing but this machine: `bluelab demo` lets a phone and a wristband talk on a virtual radio. Programs on \
            other computers, in other languages or of your own can join such a radio: see `bluelab help radio`.
            """,
        subcommands: [DemoCommand.self, RadioCommand.self, AdaptersCommand.self])

    /// Gives `--trace` its value where it stands alone: an option with a value that may be missing is beyond the parser.
    ///
    /// Shields the coordinates of `radio` likewise, which may be negative and would be taken for options.
    static func completed(_ arguments: [String]) -> [String] {
        if arguments.first == RadioCommand.configuration.commandName, !arguments.contains("--"),
            !arguments.contains("beacon"),
            let number = arguments.firstIndex(where: { $0.hasPrefix("-") && Double($0) != nil })
        {
            return arguments[..<number] + ["--"] + arguments[number...]
        }
        guard arguments.first == DemoCommand.configuration.commandName else { return arguments }
        return arguments.indices.map { index in
            let next = arguments.indices.contains(index + 1) ? arguments[index + 1] : ""
            let isAlone = arguments[index] == "--trace" && DemoCommand.Trace(rawValue: next) == nil
            guard isAlone else { return arguments[index] }
            return "--trace=\(DemoCommand.Trace.air.rawValue)"
        }
    }
}
