import BLEAdapter
import Foundation

/// Connects the parts of the studio with the open pages.
///
/// A part registers commands, topics and streams. A topic is a value that a page gets whole after each change, so a page that
/// missed changes is complete with the next one. A stream is a sequence of items, such as packets, of which each page gets those after its
/// own position. Nothing is encoded while no page watches.
package final class StudioHub: Sendable {
    package typealias Snapshot = @Sendable () async -> JSONText
    package typealias Items = @Sendable (_ position: Int, _ limit: Int) async -> StreamBatch
    typealias Command = @Sendable (Data) async throws -> JSONText

    private struct Topic {
        var version: UInt64 = 1
        var snapshot: Snapshot
        /// The text of a version.
        var text: (version: UInt64, text: JSONText)?
    }

    private struct State {
        var commands: [String: Command] = [:]
        var topics: [String: Topic] = [:]
        var streams: [String: Items] = [:]
        var clients: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state = Lock(State())

    package init() {}

    // MARK: Parts

    /// Registers a command. The page receives the result, or the error as a `StudioFailure`.
    package func on<Arguments: Decodable & Sendable, Reply: Encodable & Sendable>(
        _ command: String, _ body: @escaping @Sendable (Arguments) async throws -> Reply
    ) {
        state.withLock { state in
            state.commands[command] = { data in
                let arguments: Arguments
                do {
                    arguments = try JSONDecoder().decode(CommandArguments<Arguments>.self, from: data).with
                } catch {
                    throw StudioFailure("arguments", "The arguments of \(command) are not valid.")
                }
                return try JSONText(encoding: try await body(arguments))
            }
        }
    }

    /// Registers a topic, which `snapshot` encodes. `snapshot` runs only while a page watches the topic.
    package func addTopic(_ name: String, _ snapshot: @escaping Snapshot) {
        state.withLock { state in
            let version = (state.topics[name]?.version ?? 0) + 1
            state.topics[name] = Topic(version: version, snapshot: snapshot)
        }
        wakeAll()
    }

    package func removeTopic(_ name: String) { state.withLock { $0.topics[name] = nil } }

    /// Reports a change of a topic. Calls are cheap: pages receive the state at their next update.
    package func touch(_ topic: String) {
        state.withLock { state in
            guard state.topics[topic] != nil else { return }
            state.topics[topic]!.version += 1
        }
        wakeAll()
    }

    /// Registers a stream. `items` returns the items from a position on.
    package func addStream(_ name: String, _ items: @escaping Items) {
        state.withLock { $0.streams[name] = items }
        wakeAll()
    }

    /// Reports that a stream has new items, or was reset.
    package func touchStream(_ name: String) { wakeAll() }

    // MARK: Pages

    func attach(_ client: AnyObject, wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.clients[ObjectIdentifier(client)] = wake }
    }

    func detach(_ client: AnyObject) { _ = state.withLock { $0.clients.removeValue(forKey: ObjectIdentifier(client)) } }

    private func wakeAll() {
        let wakes = state.withLock { Array($0.clients.values) }
        for wake in wakes { wake() }
    }

    func command(_ name: String) -> Command? { state.withLock { $0.commands[name] } }

    /// The version of a topic; nil if the topic does not exist.
    func version(of topic: String) -> UInt64? { state.withLock { $0.topics[topic]?.version } }

    /// The text of a topic and its version. Pages that ask for the same version share the text.
    func text(of topic: String) async -> (version: UInt64, text: JSONText)? {
        guard let current = state.withLock({ $0.topics[topic] }) else { return nil }
        if let text = current.text, text.version == current.version { return text }
        let text = (current.version, await current.snapshot())
        state.withLock { state in
            if let kept = state.topics[topic]?.text, kept.version > current.version { return }
            state.topics[topic]?.text = text
        }
        return text
    }

    func items(of stream: String, from position: Int, limit: Int) async -> StreamBatch? {
        guard let items = state.withLock({ $0.streams[stream] }) else { return nil }
        return await items(position, limit)
    }
}

/// Items of a stream.
package struct StreamBatch: Sendable {
    /// The items as JSON, without the brackets of the array.
    package var items: [JSONText]
    /// The position after the last item.
    package var next: Int
    /// The number of items before the first one that the page did not get, because they are no longer kept.
    package var missed: Int
    /// Whether the stream began again, for example after a step back in time. The page drops the items at and after this position.
    package var reset: Int?

    package init(items: [JSONText], next: Int, missed: Int = 0, reset: Int? = nil) {
        self.items = items
        self.next = next
        self.missed = missed
        self.reset = reset
    }
}

private struct CommandArguments<Arguments: Decodable & Sendable>: Decodable {
    let with: Arguments
}

/// A command without arguments, or without a result: `{}`.
package struct Nothing: Codable, Hashable, Sendable {
    package init() {}
}
