import BLEAdapter
import CoreBluetooth

/// The link and the output that several commands of one process share. `bluelab mcp` runs each command in a session, and `current` is
/// nil for a command of its own.
@MainActor
final class ToolSession {
    /// The session of the current command. Delegate callbacks read it as well, so it belongs to the process and not to a task.
    nonisolated static var current: ToolSession? { currentSession.withLock { $0 } }
    private nonisolated static let currentSession = Lock<ToolSession?>(nil)

    /// Runs a command in this session. Commands of a process run one after another.
    func run(_ command: () async throws -> Void) async throws {
        Self.currentSession.withLock { $0 = self }
        CollectedOutput.current.withLock { $0 = output }
        defer {
            Self.currentSession.withLock { $0 = nil }
            CollectedOutput.current.withLock { $0 = nil }
        }
        try await command()
    }

    let client: CentralClient
    /// The lines that the current command has emitted.
    nonisolated let output = CollectedOutput()
    private var connected: ConnectedDevice?

    init() { client = CentralClient() }

    /// The device of the open link, if `wanted` selects it.
    func device(fitting wanted: String) -> ConnectedDevice? {
        guard let connected, connected.peripheral.state == .connected else { return nil }
        let peripheral = connected.peripheral
        let fit = DeviceQuery(wanted: wanted).fit(name: peripheral.name, identifier: peripheral.identifier)
        return fit == .none ? nil : connected
    }

    /// Keeps a device for the following commands.
    func keep(_ device: ConnectedDevice) { connected = device }

    /// Whether a link is open.
    var hasLink: Bool { connected?.peripheral.state == .connected }

    /// Ends the link.
    func end() async {
        connected = nil
        await client.close()
    }
}
