import ArgumentParser
import BLESimulator
import Dispatch
import Foundation

struct RadioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio",
        abstract: "A virtual radio in real time, for programs that bring their own Bluetooth host.",
        discussion: """
            Every connection to one of the addresses is a simulated controller of its own, which speaks HCI (H4). All of them \
            hear each other. A program that uses CoreBluetooth joins without a change of its code:

              bluelab radio --listen tcp:127.0.0.1:6402
              BLUETOOTH_CONTROLLER=tcp:127.0.0.1:6402 swift run wristband
              BLUETOOTH_CONTROLLER=tcp:127.0.0.1:6402 swift run walkthrough

            Ctrl-C ends it.
            """)

    @Option(
        help: ArgumentHelp(
            "Where to listen: tcp:HOST:PORT (port 0: any that is free) or unix:PATH. May be given more than once.",
            valueName: "address"))
    var listen: [String] = []

    @Option(help: ArgumentHelp("Decides every random draw of the radio.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "How far apart the addresses are: the controllers of the second stand so far from those of the first, and so on.",
            valueName: "metres"))
    var distance: Double = 1

    @Flag(help: "Show every packet on the air, decoded.")
    var trace = false

    @Flag(help: "No colours, even at a terminal. NO_COLOR in the environment does the same.")
    var noColor = false

    @OptionGroup var captures: CaptureOptions

    func validate() throws {
        guard !listen.isEmpty else {
            throw ValidationError(
                "Nobody can reach a radio without an address: add --listen tcp:127.0.0.1:6402, or another.")
        }
        guard distance.isFinite, distance >= 0, distance <= 1000 else {
            throw ValidationError("--distance is in metres, from 0 to 1000, not \(distance).")
        }
    }

    func run() async throws {
        let terminal = Terminal(allowsColor: !noColor, usesErrorStream: captures.takesOutput)
        let world = World(seed: seed, pace: .realTime)
        let recordings = try captures.open(in: world)
        if trace {
            let tracer = AirTracer(names: [])
            world.observeAir { packet in
                terminal.print(tracer.describe(packet))
                terminal.flush()
            }
        }
        let servers = try open(in: world)
        world.start()
        for server in servers {
            terminal.print("\(terminal.styled(server.address, .bold))  each connection is a controller")
        }
        terminal.print("Ctrl-C ends it.")
        terminal.flush()

        await interruption()
        terminal.print("\nending")
        for server in servers { server.stop() }
        // A moment for the listeners to close, and for sockets to leave the file system.
        try? await Task.sleep(for: .milliseconds(100))
        world.stop()
        terminal.flush()
        try captures.finish(recordings)
    }

    private func open(in world: World) throws -> [ControllerServer] {
        var servers: [ControllerServer] = []
        for (index, address) in listen.enumerated() {
            do {
                servers.append(try world.serve(at: address, position: Position(x: Double(index) * distance)))
            } catch {
                for server in servers { server.stop() }
                printError("bluelab radio: \(error)")
                throw ExitCode(1)
            }
        }
        return servers
    }

    /// Returns at the first Ctrl-C, or when the program is asked to end.
    private func interruption() async {
        let signals = [SIGINT, SIGTERM]
        for number in signals { signal(number, SIG_IGN) }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let sources = signals.map { DispatchSource.makeSignalSource(signal: $0, queue: .global()) }
        for source in sources {
            source.setEventHandler { continuation.finish() }
            source.resume()
        }
        for await _ in stream {}
        for source in sources { source.cancel() }
    }
}
