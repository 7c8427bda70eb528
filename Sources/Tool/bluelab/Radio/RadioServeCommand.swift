import BLEAdapter
import ArgumentParser
import BLETransport
import BLEHostAdapter
import BLESimulator
import BLEVirtualRadio
import Dispatch
import Foundation

struct RadioServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run a radio. This is the default command.",
        discussion: """
              bluelab radio serve --capture air.pcapng
              bluelab radio serve --name lab --listen tcp:127.0.0.1:6402
              bluelab radio --world readme

            Programs of this user join with BLUETOOTH_CONTROLLER=radio. Other programs connect to an address of --listen; each \
            connection gets its own controller. Ctrl-C, SIGTERM and SIGHUP end the radio.
            """)

    @OptionGroup var radio: RadioNameOption

    @Option(
        help: ArgumentHelp(
            "An address to listen at: tcp:HOST:PORT (port 0 selects a free one) or unix:PATH. Repeat the option for several addresses.",
            valueName: "address"))
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            "The public address of the first controller at a --listen address, such as 02:00:5E:00:00:01. Further controllers at the same time get the following addresses. The first --address belongs to the first --listen, and so on.",
            valueName: "octets"))
    var address: [String] = []

    @Flag(
        help:
            "Give this machine's kernel a controller, for bluetoothd and its programs. It needs root and the module hci_vhci."
    )
    var vhci = false

    @Option(
        help: ArgumentHelp(
            "Run the devices and events of a world on the radio: a file, or a shipped world such as readme; see bluelab help test.",
            valueName: "world"))
    var world: String?

    @Option(
        help: ArgumentHelp(
            "Determines all random draws of the radio. Default: the seed of --world, or 1.", valueName: "number"),
        transform: seedValue)
    var seed: UInt64?

    @Option(
        shown: "The distance between the controllers of two successive --listen addresses.", valueName: "metres",
        transform: distanceValue)
    var distance: Double = 1

    @Option(
        help: ArgumentHelp(
            "The speed of the radio's time: 1 is real time, 10 is ten times as fast, unlimited is as fast as possible.",
            valueName: "factor"))
    var pace = "1"

    @Flag(help: "Print every packet on the air, decoded.")
    var trace = false

    @OptionGroup var color: ColorOptions

    @OptionGroup var captures: CaptureOptions

    func validate() throws {
        guard chosenPace != nil else {
            throw ValidationError("--pace must be a number above 0, or unlimited, not \(pace).")
        }
        for text in listen {
            do throws(TransportError) {
                _ = try TransportAddress(parsing: text)
            } catch {
                throw ValidationError("--listen: \(error)")
            }
        }
        for text in address where (try? RadioAddress(text)) == nil {
            throw ValidationError(
                "--address must be six octets with an even first one, such as 02:00:5E:00:00:01, not \(text).")
        }
        guard address.count <= listen.count else {
            throw ValidationError(
                "--address is given more often than --listen: each --address belongs to one --listen.")
        }
    }

    func run() async throws {
        let file = try world.map { ($0, try WorldChoice.read($0)) }
        // The library's log reports hosts that join and leave.
        LibraryLog.showInformation()
        warnAboutDescriptors()
        let terminal = color.terminal(usesErrorStream: captures.takesOutput)
        let interruption = Interruption()
        let pace = chosenPace ?? .realTime
        let world =
            if let (path, file) = file { try WorldChoice.make(file, path, seed: seed, pace: pace) } else {
                World(seed: seed ?? 1, pace: pace)
            }
        let recordings = try captures.open(in: world)
        if trace {
            let tracer = AirTracer(names: [], terminal: terminal)
            world.observeAir { packet, _ in
                terminal.print(tracer.describe(packet))
                // The radio ends when the reader of the trace closes it.
                if !terminal.flush() { interruption.request() }
            }
        }
        let servers = try open(in: world)
        let sharedRadio = try openSharedRadio(in: world)
        if let (path, file) = file { try await WorldShow(terminal).start(file, path, world) }
        world.start()
        // The kernel resets its controller at once, and gives it up after 2 s without an answer.
        if vhci { try openKernel(in: world, terminal) }
        if let endpoint = sharedRadio?.endpoint {
            let choice = "BLUETOOTH_CONTROLLER=radio" + (endpoint.name.map { ":" + $0 } ?? "")
            terminal.print("\(terminal.styled(choice, .bold))  \(say("joins it (\(endpoint.address))"))")
        } else {
            terminal.print(
                say("BLUETOOTH_CONTROLLER=radio selects another radio, which is running already."))
        }
        for server in servers {
            terminal.print("\(terminal.styled(server.address, .bold))  \(say("each connection is a controller"))")
        }
        for address in recordings.compactMap(\.address) {
            terminal.print("\(terminal.styled(address, .bold))  \(say("each connection gets the packets on the air"))")
        }
        terminal.print(say("Ctrl-C ends it."))
        terminal.flush()

        await interruption.wait()
        terminal.print("\n" + say("ending"))
        for server in servers { server.stop() }
        sharedRadio?.stop()
        // The listeners close, and remove their sockets from the file system, in this time.
        try? await Task.sleep(for: .milliseconds(100))
        world.stop()
        terminal.flush()
        try captures.finish(recordings)
    }

    /// Each host is a descriptor. The others of a radio are captures, listeners and the control socket.
    private func warnAboutDescriptors() {
        let (limit, others) = (DescriptorLimit.raise(), 128)
        let hosts = VirtualRadioRuntime.externalHostLimit
        guard limit < hosts + others else { return }
        printError(
            "bluelab radio: This process may open \(limit) files, enough for some \(max(0, limit - others)) programs. For \(hosts), raise the hard limit: ulimit -Hn \(hosts + others) in a shell of root, or LimitNOFILE=\(hosts + others) in the unit of a service."
        )
    }

    private func openKernel(in world: World, _ terminal: Terminal) throws {
        do throws(TransportError) {
            try world.serveKernel { index in
                terminal.print(
                    say(
                        "hci\(index)  is the kernel's adapter: BLUETOOTH_CONTROLLER=bluez:hci\(index) uses it through bluetoothd"
                    ))
                terminal.flush()
            }
        } catch {
            printError("bluelab radio: \(error)")
            throw ExitCode.failure
        }
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
                        publicAddress: index < self.address.count ? try RadioAddress(self.address[index]) : nil))
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
        do throws(SharedRadioEndpoint.EndpointError) {
            return try SharedRadioServer(world.radio, at: try radio.endpoint(), platforms: HostPlatform.controllers)
        } catch {
            if error.isTaken, !listen.isEmpty, radio.name == nil { return nil }
            printError("bluelab radio: \(error)")
            throw ExitCode.failure
        }
    }
}
