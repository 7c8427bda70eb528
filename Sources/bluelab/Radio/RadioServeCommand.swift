import BLEAdapter
import ArgumentParser
import BLETransport
import BLESharedRadio
import BLESimulator
import Dispatch
import Foundation

struct RadioServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run a radio; the command that is meant if none is given.",
        discussion: """
            Programs of this user join with BLUETOOTH_CONTROLLER=radio. Others join at the addresses that --listen gives: every \
            connection to one of them is a controller of its own. Ctrl-C ends the radio, and so do SIGTERM and SIGHUP.
            """)

    @OptionGroup var radio: RadioNameOption

    @Option(
        help: ArgumentHelp(
            "Where to listen, too: tcp:HOST:PORT (port 0: any that is free) or unix:PATH. May be given more than once.",
            valueName: "address"))
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            "The public address of the first controller at a --listen address, as 02:00:5E:00:00:01; those that are there at the same time have the next higher ones. The first --address is for the first --listen, and so on.",
            valueName: "octets"))
    var address: [String] = []

    @Option(
        help: ArgumentHelp("Decides every random draw of the radio.", valueName: "number"),
        transform: seedValue)
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "How far apart the addresses are: the controllers of the second stand so far from those of the first, and so on.",
            valueName: "metres"),
        transform: distanceValue)
    var distance: Double = 1

    @Option(
        help: ArgumentHelp(
            "How fast time passes on the radio: 1 is real time, 10 ten times as fast, unlimited as fast as the machine can.",
            valueName: "factor"))
    var pace = "1"

    @Flag(help: "Show every packet on the air, decoded.")
    var trace = false

    @Flag(help: "No colours, even at a terminal. NO_COLOR in the environment does the same.")
    var noColor = false

    @OptionGroup var captures: CaptureOptions

    func validate() throws {
        guard chosenPace != nil else {
            throw ValidationError("--pace is a number above 0, or unlimited, not \(pace).")
        }
        for text in listen {
            do throws(TransportError) {
                _ = try TransportAddress(parsing: text)
            } catch {
                throw ValidationError("--listen: \(error)")
            }
        }
        for text in address where RadioAddress(text) == nil {
            throw ValidationError("--address is six octets with an even first one, as 02:00:5E:00:00:01, not \(text).")
        }
        guard address.count <= listen.count else {
            throw ValidationError(
                "There are more --address than --listen: each belongs to one of those, in their order.")
        }
    }

    func run() async throws {
        // The comings and goings of hosts, which are lines of the library's log.
        LibraryLog.showInformation()
        let terminal = Terminal(allowsColor: !noColor, usesErrorStream: captures.takesOutput)
        let interruption = Interruption()
        let world = World(seed: seed, pace: chosenPace ?? .realTime)
        let recordings = try captures.open(in: world)
        if trace {
            let tracer = AirTracer(names: [])
            world.observeAir { packet in
                terminal.print(tracer.describe(packet))
                // A trace that nothing reads any more was all that the radio was for.
                if !terminal.flush() { interruption.request() }
            }
        }
        let servers = try open(in: world)
        let sharedRadio = try openSharedRadio(in: world)
        world.start()
        if let endpoint = sharedRadio?.endpoint {
            let choice = "BLUETOOTH_CONTROLLER=radio" + (endpoint.name.map { ":" + $0 } ?? "")
            terminal.print("\(terminal.styled(choice, .bold))  joins it (\(endpoint.address))")
        } else {
            terminal.print("BLUETOOTH_CONTROLLER=radio leads to another radio, which runs already.")
        }
        for server in servers {
            terminal.print("\(terminal.styled(server.address, .bold))  each connection is a controller")
        }
        terminal.print("Ctrl-C ends it.")
        terminal.flush()

        await interruption.wait()
        terminal.print("\nending")
        for server in servers { server.stop() }
        sharedRadio?.stop()
        // A moment for the listeners to close, and for sockets to leave the file system.
        try? await Task.sleep(for: .milliseconds(100))
        world.stop()
        terminal.flush()
        try captures.finish(recordings)
    }

    private var chosenPace: Pace? {
        if pace == "unlimited" { return .unlimited }
        guard let factor = Double(pace), factor.isFinite, factor > 0 else { return nil }
        return factor == 1 ? .realTime : .multiple(factor)
    }

    private func open(in world: World) throws -> [ControllerServer] {
        var servers: [ControllerServer] = []
        for (index, address) in listen.enumerated() {
            do {
                servers.append(
                    try world.serve(
                        at: address, position: Position(x: Double(index) * distance),
                        publicAddress: index < self.address.count ? RadioAddress(self.address[index]) : nil))
            } catch {
                for server in servers { server.stop() }
                printError("bluelab radio: \(error)")
                throw ExitCode(1)
            }
        }
        return servers
    }

    /// Shares the radio with the programs of this user. Nil if another radio serves the endpoint, and this one has other addresses and
    /// no name.
    private func openSharedRadio(in world: World) throws -> SharedRadioServer? {
        do throws(SharedRadioEndpoint.Failure) {
            return try SharedRadioServer(world.radio, at: try radio.endpoint())
        } catch {
            if error.isTaken, !listen.isEmpty, radio.name == nil { return nil }
            printError("bluelab radio: \(error)")
            throw ExitCode.failure
        }
    }
}
