import BLEAdapter
import Foundation
import Phrases

/// Connects the parts of the studio with the open pages.
///
/// A part registers commands, topics, streams and files. A topic is a value that a page gets whole after each change, so a page that
/// missed changes is complete with the next one. A stream is a sequence of items, such as packets, of which each page gets those after its
/// own position. Nothing is encoded while no page watches.
package final class StudioHub: Sendable {
    package typealias Snapshot = @Sendable () async -> JSONText
    package typealias Items = @Sendable (_ position: Int, _ limit: Int) async -> StreamBatch
    package typealias File = @Sendable (_ arguments: [String: String]) async throws -> StudioFile
    typealias Command = @Sendable (Data) async throws -> JSONText

    private struct Topic {
        var version: UInt64
        var snapshot: Snapshot
        /// The text of a version.
        var text: (version: UInt64, text: JSONText)?
    }

    private struct Stream {
        var items: Items
        var resets: StreamResets
    }

    private struct State {
        var commands: [String: Command] = [:]
        var topics: [String: Topic] = [:]
        var streams: [String: Stream] = [:]
        var files: [String: File] = [:]
        var clients: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// The latest version of any topic. A topic that is removed and added again has another version than before.
        var version: UInt64 = 0

        mutating func nextVersion() -> UInt64 {
            version += 1
            return version
        }
    }

    private let state = Lock(State())

    package init() {
        // A page asks whether the connection still works after the computer slept.
        on("studio.ping") { (_: Nothing) in Nothing() }
    }

    // MARK: Parts

    /// Registers a command. The page receives the result, or the error as a `PhrasedError`.
    ///
    /// Commands with the same first word (`room.move`, `room.add`) of one page start in the order in which the page sent them. The next one
    /// starts when the one before has ended, or 100 ms after its start.
    package func on<Arguments: Decodable & Sendable, Reply: Encodable & Sendable>(
        _ command: String, _ body: @escaping @Sendable (Arguments) async throws -> Reply
    ) {
        state.withLock { state in
            state.commands[command] = { data in
                let arguments: Arguments
                do {
                    arguments = try JSONDecoder().decode(CommandArguments<Arguments>.self, from: data).with
                } catch {
                    throw PhrasedError(
                        "arguments", Phrase("The arguments of \(command) are not valid.", "\(command) 的参数无效。"))
                }
                return try JSONText(encoding: try await body(arguments))
            }
        }
    }

    /// Registers a topic, which `snapshot` encodes. `snapshot` runs only while a page watches the topic.
    package func addTopic(_ name: String, _ snapshot: @escaping Snapshot) {
        state.withLock { state in
            state.topics[name] = Topic(version: state.nextVersion(), snapshot: snapshot)
        }
        wakeAll()
    }

    package func removeTopic(_ name: String) { _ = state.withLock { $0.topics.removeValue(forKey: name) } }

    /// Reports a change of a topic. Calls are cheap: pages receive the state at their next update.
    package func touch(_ topic: String) {
        let isKnown = state.withLock { state in
            guard state.topics[topic] != nil else { return false }
            state.topics[topic]!.version = state.nextVersion()
            return true
        }
        if isKnown { wakeAll() }
    }

    /// Registers a stream. `items` returns the items from a position on.
    package func addStream(_ name: String, _ items: @escaping Items) {
        state.withLock { state in
            // A page that read a stream of the same name drops its items.
            var resets = state.streams[name]?.resets ?? StreamResets()
            if state.streams[name] != nil { resets.append(0) }
            state.streams[name] = Stream(items: items, resets: resets)
        }
        wakeAll()
    }

    /// Reports that a stream has new items.
    package func touchStream(_ name: String) { wakeAll() }

    /// Reports that a stream began again at a position, for example after a step back in time. Every page drops its items from there on, also one
    /// that reads the stream only after it has grown beyond the page's position again.
    package func resetStream(_ name: String, to position: Int) {
        state.withLock { $0.streams[name]?.resets.append(position) }
        wakeAll()
    }

    /// Registers a file that the page can save: `studio.download(name, arguments)`. The name has letters, digits, `.`, `-` and `_`.
    package func addFile(_ name: String, _ body: @escaping File) {
        precondition(name.utf8.allSatisfy(StudioHub.isFileNameOctet), "\(name) is not a name of a file")
        state.withLock { $0.files[name] = body }
    }

    /// Registers a file without arguments.
    package func addFile(_ name: String, _ body: @escaping @Sendable () async throws -> StudioFile) {
        addFile(name) { (_: [String: String]) in try await body() }
    }

    package func removeFile(_ name: String) { _ = state.withLock { $0.files.removeValue(forKey: name) } }

    // MARK: The program

    /// Runs a command as a page does. Throws a `PhrasedError` if the command does not exist.
    package func run(_ command: String, _ arguments: some Encodable & Sendable) async throws {
        guard let body = self.command(command) else {
            throw PhrasedError.unknownCommand(command)
        }
        let text = try JSONText(encoding: arguments).text
        _ = try await body(Data(#"{"with":\#(text)}"#.utf8))
    }

    /// The value of a topic; nil if there is no such topic or it has other members.
    package func value<Value: Decodable & Sendable>(of topic: String, as type: Value.Type) async -> Value? {
        guard let text = await text(of: topic)?.text.text else { return nil }
        return try? JSONDecoder().decode(type, from: Data(text.utf8))
    }

    // MARK: Pages

    func attach(_ client: AnyObject, wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.clients[ObjectIdentifier(client)] = wake }
    }

    func detach(_ client: AnyObject) { _ = state.withLock { $0.clients.removeValue(forKey: ObjectIdentifier(client)) } }

    /// The number of open pages.
    package var pageCount: Int { state.withLock { $0.clients.count } }

    private func wakeAll() {
        let wakes = state.withLock { Array($0.clients.values) }
        for wake in wakes { wake() }
    }

    func command(_ name: String) -> Command? { state.withLock { $0.commands[name] } }

    func file(_ name: String) -> File? { state.withLock { $0.files[name] } }

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

    /// The items of a stream after a position, and the position after them. A page without a position begins at 0 and drops what it had. Nil
    /// if the stream does not exist.
    func items(
        of stream: String, after position: StreamPosition?, limit: Int
    ) async -> (batch: StreamBatch, position: StreamPosition)? {
        guard let stream = state.withLock({ $0.streams[stream] }) else { return nil }
        let reset = position.map { stream.resets.lowest(after: $0.resets) } ?? 0
        let start = min(position?.next ?? 0, reset ?? .max)
        var batch = await stream.items(start, limit)
        batch.reset = [reset, batch.reset].compactMap(\.self).min()
        return (batch, StreamPosition(next: batch.next, resets: stream.resets.count))
    }

    static func isFileNameOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

private struct CommandArguments<Arguments: Decodable & Sendable>: Decodable {
    let with: Arguments
}

/// A command without arguments, or without a result: `{}`.
package struct Nothing: Codable, Hashable, Sendable {
    package init() {}
}
