import ArgumentParser

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a phone and a device that need no hardware: a wristband, or a lamp.",
        discussion: """
              bluelab demo
              bluelab demo lamp

            Options of the first: `bluelab help demo wristband`.
            """,
        subcommands: [WristbandDemoCommand.self, LampDemoCommand.self],
        defaultSubcommand: WristbandDemoCommand.self)
}
