import ArgumentParser

@main
struct Bluelab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluelab",
        abstract: "A Bluetooth LE laboratory in a terminal.",
        discussion: """
            With nothing but this machine: `bluelab demo` lets a phone and a wristband talk on a virtual radio. Programs on \
            other computers, in other languages or of your own can join such a radio: see `bluelab help radio`.
            """,
        subcommands: [DemoCommand.self, RadioCommand.self])
}
