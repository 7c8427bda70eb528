import ArgumentParser
import BLETransport
import Foundation
import Studio
import Phrases
import StudioServer
import StudioRoom
import TLSChannel
import TerminalText
import WorldFiles

struct StudioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studio",
        abstract: "Open a page in the browser that shows devices, the radio between them and every packet.",
        discussion: """
            Example: bluelab studio
            Example: bluelab studio --controller bluez
            Example: bluelab studio --world corridor
            Example: bluelab studio --capture btsnoop_hci.log
            Example: bluelab studio --listen 192.168.1.20 --certificate server.pem --key server.key

            The page runs on a virtual radio and needs no hardware. Only programs of this machine reach it, and only with the \
            token in its link, which each run makes anew. An open page connects again when the command is restarted at the same \
            port. A browser in a sandbox may be unable to read the file that leads to the page: open the printed link there. \
            Ctrl-C ends the command.
            """)

    static let defaultPort: UInt16 = 8420

    @Option(
        help: ArgumentHelp(
            "The port of the page; 0 selects a free one. Without it 8420, or a free one if that is in use.",
            valueName: "number"), transform: portValue)
    var port: UInt16?

    @Option(
        help: ArgumentHelp(
            "The address at which the page is reached. One that other machines reach needs --certificate and --key.",
            valueName: "address"))
    var listen = "127.0.0.1"

    @Option(help: ArgumentHelp("Use TLS: a PEM file with the certificate of this machine.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("A PEM file with the key of the certificate, without a passphrase.", valueName: "file"))
    var key: String?

    @Option(help: ArgumentHelp("The seed of the virtual radio. Runs with equal seeds are equal.", valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "A controller that the explorer uses beside the virtual radio, as in BLUETOOTH_CONTROLLER: bluez, hci0, radio and others; bluelab help adapters lists them.",
            valueName: "controller"), completion: .custom { _, _, _ in ControllerSelection.words })
    var controller: String?

    @Option(help: ArgumentHelp("The scene that the room begins with.", valueName: "name"))
    var scene: String?

    @Option(
        help: ArgumentHelp(
            "Open a world in the room: a file, or a shipped world such as office; see bluelab help test. The room before it can be brought back.",
            valueName: "world"))
    var world: String?

    @Option(
        help: ArgumentHelp(
            "Show the packets of a capture of any devices (btsnoop, pcapng or pcap; - reads the standard input), and what bluelab explain tells about them.",
            valueName: "file"), completion: .file(extensions: ["btsnoop", "log", "pcapng", "pcap", "cfa"]))
    var capture: String?

    @Option(help: "The language of the page; without it that of the browser.")
    var language: Language?

    @Flag(help: "Replace the key with which open pages connect again: they need the new link.")
    var newKey = false

    @Flag(inversion: .prefixedNo, help: "Open the page in the browser.")
    var open = true

    @Flag(help: "Print the link as JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Serve the page's files from a folder instead of the built-in ones, for work on the page.",
            valueName: "folder", visibility: .hidden))
    var page: String?

    @OptionGroup var color: ColorOptions

    enum Language: String, ExpressibleByArgument, CaseIterable {
        case en, zh
    }

    func validate() throws {
        guard world == nil || scene == nil else {
            throw ValidationError("--world and --scene cannot be used together.")
        }
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("--certificate and --key belong together.")
        }
        if certificate == nil, !StudioWebServer.isLoopback(listen) {
            throw ValidationError(
                "other machines reach \(listen), so the page needs TLS: give --certificate and --key, or listen at 127.0.0.1."
            )
        }
    }

    func run() async throws {
        ProgramMemory.compactHeap()
        // A file that cannot be shown ends the command before anything begins.
        let opened = try capture.map { try OpenedCapture(path: $0) }
        let interruption = Interruption()
        // A page of another machine gets the key with its link. It must not open later runs, which have other links.
        let file = StudioWebServer.isLoopback(listen) ? KeyFile() : nil
        let key = file?.key(renews: newKey) ?? StudioKey()
        let tls = try tlsContext()
        if let controller { try ControllerSelection.apply(controller, isService: true) }
        let studio = Studio(controller: controller, file: RoomFile(), checkout: Checkout.present, capture: opened)
        await studio.restore(asFormer: scene != nil || seed != nil || world != nil)
        if let world { try await open(world, in: studio) } else { try await begin(studio.hub) }
        let server = try listening(studio.hub, key, tls)
        try report(server)
        let opening = open ? Task { await openBrowser(server) } : nil
        await interruption.wait()
        opening?.cancel()
        await opening?.value
        server.stop()
        await studio.end()
    }

    /// The time after which the file with the link is removed, even if no browser has loaded the page.
    private static let linkFileTime = Duration.seconds(60)

    /// Opens the link in the browser, if there is one. The link is in the output in any case.
    private func openBrowser(_ server: StudioWebServer) async {
        guard let program = BrowserLauncher.program(), let file = LinkFile(link(of: server)) else { return }
        defer { file.remove() }
        guard BrowserLauncher.open(file.path, with: program) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await server.waitForLoad() }
            group.addTask { try? await Task.sleep(for: Self.linkFileTime) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Opens a world file in the room, and says what the room cannot run of it.
    private func open(_ path: String, in studio: Studio) async throws {
        let programs = studio.room.programs
        var record =
            if let text = try WorldChoice.shipped(path) { try RoomRecord(text: text, programs: programs) } else {
                try WorldChoice.read(path) { path throws(WorldFileError) in
                    try RoomRecord(path: path, programs: programs)
                }
            }
        if let seed { record.world.seed = seed }
        do {
            for note in try await studio.room.open(record) {
                TerminalText.printError(bluelab.language == .english ? note.description : note.inChinese)
            }
        } catch let failure as PhrasedError {
            throw ToolError(
                .usage, failure.text.description,
                failure.next?.description ?? "Documentation/Worlds.md describes the format.")
        }
    }

    /// Sets the scene and the seed.
    private func begin(_ hub: StudioHub) async throws {
        guard scene != nil || seed != nil else { return }
        do {
            try await hub.run("room.scene", RoomStart(scene: await startScene(hub), seed: seed))
        } catch let failure as PhrasedError {
            let sentences = [failure.text, failure.next].compactMap(\.self)
            throw ToolError(
                .usage, sentences.map { bluelab.language == .english ? $0.description : $0.inChinese })
        }
    }

    private func startScene(_ hub: StudioHub) async -> String? {
        if let scene { return scene }
        return await hub.value(of: "room", as: RoomScene.self)?.scene
    }

    private func tlsContext() throws -> TLSContext? {
        guard let certificate, let key else { return nil }
        do throws(TLSError) {
            return try TLSContext(certificate: certificate, key: key)
        } catch {
            throw ToolError(.failed, error.sentence, error.tried, error.next)
        }
    }

    private func listening(_ hub: StudioHub, _ key: StudioKey, _ tls: TLSContext?) throws -> StudioWebServer {
        let folder = page.map { URL(fileURLWithPath: $0) }
        func server(_ port: UInt16) throws(TransportError) -> StudioWebServer {
            try StudioWebServer(hub: hub, host: listen, port: port, key: key, tls: tls, folder: folder)
        }
        do throws(TransportError) {
            do throws(TransportError) {
                return try server(port ?? Self.defaultPort)
            } catch {
                guard port == nil, error.kind == .addressInUse else { throw error }
                printError("Port \(Self.defaultPort) is in use, so the page has another one.")
                return try server(0)
            }
        } catch {
            throw ToolError(
                .failed, "The page cannot be served: \(error.description)",
                "Tried \(listen), port \(port ?? Self.defaultPort).",
                error.kind == .addressInUse
                    ? "Try: bluelab studio --port 0" : "Try: bluelab studio --listen 127.0.0.1 --port 0")
        }
    }

    private func link(of server: StudioWebServer) -> String {
        server.link + (language.map { "?language=\($0.rawValue)" } ?? "") + (capture == nil ? "" : "#packets@capture")
    }

    private func report(_ server: StudioWebServer) throws {
        let link = link(of: server)
        if json {
            return try emit(
                jsonLine(StudioRecord(link: link, port: server.port, isSecure: certificate != nil), type: "studio"))
        }
        let terminal = color.terminal()
        terminal.print("\(terminal.styled(link, .bold))  \(say("opens the studio"))")
        if open, BrowserLauncher.program() != nil {
            terminal.print(say("If the browser shows an error, open the link above."))
        }
        terminal.print(say("Ctrl-C ends it."))
        terminal.flush()
    }
}

extension OpenedCapture {
    /// Reads a capture file, or the standard input for -.
    init(path: String) throws {
        var air = CapturedAir()
        let reading = try CaptureReading.read(path) { air.add($0) }
        let name = path == "-" ? path : URL(fileURLWithPath: path).lastPathComponent
        self.init(name: name, story: reading.story, air: air, end: reading.end.sentence.map(ToolWords.phrase))
    }
}

/// The record of `--json`.
struct StudioRecord: Encodable {
    let link: String
    let port: UInt16
    let isSecure: Bool
}

private struct RoomStart: Encodable, Sendable {
    let scene: String?
    let seed: UInt64?
}

private struct RoomScene: Decodable, Sendable {
    let scene: String?
}
