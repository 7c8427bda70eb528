import ArgumentParser
import Foundation

struct MCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Serve the commands as tools of the Model Context Protocol, for assistants.",
        discussion: """
              bluelab mcp
              bluelab mcp --allow-write --controller radio

            Speaks the Model Context Protocol (JSON-RPC 2.0) on the standard input and output until the input ends. The tools are \
            scan, explore, read, notify and rssi; with --allow-write also write. A client starts this command, for example with the \
            configuration {"mcpServers": {"bluetooth": {"command": "bluelab", "args": ["mcp"]}}}.

            The link to a device stays open between calls, and ends after a minute without a call. Results contain the records of --json.
            """)

    @Option(
        help: ArgumentHelp(
            "The controller, as in BLUETOOTH_CONTROLLER: bluez, hci0, radio and others; bluelab help adapters lists them.",
            valueName: "controller"), completion: .custom { _, _, _ in ControllerSelection.words })
    var controller: String?

    @Flag(help: "Offer the tool write, with which the client changes values of devices.")
    var allowWrite = false

    func run() async throws {
        try ControllerSelection.apply(controller, isService: true)
        let commands = Bluelab.configuration.subcommands.compactMap { $0.configuration.commandName }
        let tools = MCPTool.all(allowsWrites: allowWrite, commands: commands)
        let (stream, continuation) = AsyncStream<MCPServer.Input>.makeStream()
        let signals = TerminationSignals(on: .main) { continuation.yield(.signal($0)) }
        let input = MCPInput()
        input.start(continuation)
        let state = MCPProtocol(tools: tools, serverVersion: toolVersion)
        try await MCPServer.serve(state, stream, continuation, Self.run, release: { input.release() })
        withExtendedLifetime(signals) {}
    }

    /// Runs a command line of `bluelab`.
    private static func run(_ words: [String]) async throws {
        var command: any ParsableCommand
        do {
            command = try Bluelab.parseAsRoot(words)
        } catch {
            throw ToolError(.usage, Bluelab.sentence(for: error))
        }
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }
}
