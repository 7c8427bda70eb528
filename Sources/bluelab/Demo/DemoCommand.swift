import ArgumentParser

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A phone finds a wristband, in twenty-three steps, on a virtual radio.",
        discussion: """
            Both are ordinary programs that use CoreBluetooth: Examples/Programs has their source. Each runs on a simulated \
            controller of its own, in virtual time, so a quarter of a minute of Bluetooth takes a moment. The exit code is 0 \
            only if all twenty-three steps really happened.
            """)

    @Option(
        help: ArgumentHelp("The same seed gives the same run, another seed another one.", valueName: "number"),
        transform: seedValue)
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "Show every packet on the air, decoded; with hci also what hosts and controllers say to each other. Alone: air.",
            valueName: "air|hci"))
    var trace: Trace?

    @Flag(help: "No colours, even at a terminal. NO_COLOR in the environment does the same.")
    var noColor = false

    @Option(
        help: ArgumentHelp("How far the wristband is from the phone.", valueName: "metres"),
        transform: distanceValue)
    var distance: Double = 2

    @Option(
        help: ArgumentHelp(
            "Record the air for Wireshark (pcapng). With - the capture is the output, and the text goes to the error stream.",
            valueName: "file"))
    var capture: String?

    enum Trace: String, ExpressibleByArgument { case air, hci }

    func run() async throws {
        let terminal = Terminal(allowsColor: !noColor, usesErrorStream: capture == "-")
        let run = DemoRun(seed: seed, distance: distance, trace: trace, capture: capture, terminal: terminal)
        let isComplete: Bool
        do {
            isComplete = try await run.run()
        } catch {
            terminal.flush()
            printError("bluelab demo: \(error)")
            throw ExitCode.failure
        }
        terminal.flush()
        if !isComplete { throw ExitCode.failure }
    }
}
