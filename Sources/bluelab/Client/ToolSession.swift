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
        defer { Self.currentSession.withLock { $0 = nil } }
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
        let fit = DeviceSearch(wanted: wanted).fit(name: peripheral.name, identifier: peripheral.identifier)
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

/// The output of a command in a session.
final class CollectedOutput: Sendable {
    private let text = Lock("")

    /// The longest output in octets.
    private static let limit = 1 << 20

    func append(_ more: String) throws {
        let fits = text.withLock { text in
            guard text.utf8.count + more.utf8.count <= Self.limit else { return false }
            text += more
            return true
        }
        guard fits else {
            throw ToolFailure(.failed, "the output would be longer than 1 MiB.", "Try: a shorter time or a filter.")
        }
    }

    /// Returns the output and empties it.
    func take() -> String {
        text.withLock { text in
            defer { text = "" }
            return text
        }
    }
}
