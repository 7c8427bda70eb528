import ArgumentParser
import BLESimulator
import ExamplePrograms

struct WristbandDemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wristband",
        abstract: "Run a phone and a wristband on a virtual radio, in twenty-three steps. This is the default demo.",
        discussion: """
              bluelab demo
              bluelab demo wristband --trace hci --distance 40 --seed 7

            Both are ordinary programs that use CoreBluetooth; their source is in Examples/ExamplePrograms. Each one has its own \
            simulated controller. The run takes about 15 s of virtual time and a fraction of a second of real time. The exit \
            code is 0 only if all twenty-three steps took place.
            """)

    @Option(
        shown: "Determines all random draws: equal seeds give equal runs.", valueName: "number", transform: seedValue)
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "Print every packet on the air, decoded; with hci also the packets between hosts and controllers. --trace alone is --trace air.",
            valueName: "air|hci"))
    var trace: Trace?

    @OptionGroup var color: ColorOptions

    @Option(shown: "The distance between wristband and phone.", valueName: "metres", transform: distanceValue)
    var distance: Double = 2

    @Option(
        help: ArgumentHelp(
            "Write the packets on the air to a capture for Wireshark (pcapng). With - the capture goes to the output, and the text to the error stream.",
            valueName: "file"))
    var capture: String?

    enum Trace: String, ExpressibleByArgument { case air, hci }

    func run() async throws {
        let terminal = color.terminal(usesErrorStream: capture == "-")
        var run = DemoRun(terminal: terminal)
        run.seed = seed
        run.say = { ToolWords.sayOfProgram($0) }
        run.distance = distance
        run.capture = capture
        if let trace {
            run.observe = { Self.trace(trace, $0, $1, terminal) }
        } else {
            let argument = distance == 2 ? "" : " --distance \(distance)"
            run.advice = "Run it again with --trace --seed \(seed)\(argument) to see every packet of this very run."
        }
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

    /// Prints the packets of a world as they happen.
    private static func trace(_ trace: Trace, _ world: World, _ devices: [VirtualDevice], _ terminal: Terminal) {
        let tracer = AirTracer(names: devices.map(\.name), terminal: terminal)
        world.observeAir { packet, _ in terminal.print(tracer.describe(packet)) }
        guard trace == .hci else { return }
        for device in devices {
            device.observeHCI { direction, time, packet in
                let text = HCITracer.describe(packet, direction: direction, time: time, device: device.name)
                terminal.print(terminal.styled(text, .faint))
            }
        }
    }
}
