import BLEAdapter
import Foundation
import Phrases
import Testing

@testable import StudioServer

/// A page without a socket: a client of a hub, and the messages that it sends.
final class TestPage: Sendable {
    let client: StudioClient
    private let changes: AsyncStream<Void>

    init(_ hub: StudioHub) {
        let (changes, changing) = AsyncStream<Void>.makeStream()
        self.changes = changes
        let messages = Messages()
        client = StudioClient(hub: hub) { text in
            messages.append(text)
            changing.yield()
        }
        received = messages
        Task { [client] in
            await client.run()
            changing.finish()
        }
    }

    private let received: Messages

    private final class Messages: Sendable {
        private let list = Lock<[TestMessage]>([])

        func append(_ text: String) {
            let message = TestMessage(text)
            list.withLock { $0.append(message) }
        }

        var all: [TestMessage] { list.withLock { $0 } }
    }

    deinit { client.end() }

    /// All messages until now.
    var all: [TestMessage] { received.all }

    /// Waits until a message fulfils a condition, and returns the first that does.
    func message(where condition: (TestMessage) -> Bool) async throws -> TestMessage {
        if let message = all.first(where: condition) { return message }
        for await _ in changes { if let message = all.first(where: condition) { return message } }
        throw TestError("the client ended")
    }

    func update(_ number: Int) async throws -> TestMessage { try await message { $0.update == number } }
    func reply(_ id: Int) async throws -> TestMessage { try await message { $0.re == id } }

    func send(_ text: String) async { await client.receive(text) }
    func watch(_ names: String...) async { await send(#"{"watch":\#(names)}"#) }
    func acknowledge(_ number: Int) async { await send(#"{"ack":\#(number)}"#) }
    func `do`(_ id: Int, _ command: String, _ arguments: String = "{}") async {
        await send(#"{"id":\#(id),"do":"\#(command)","with":\#(arguments)}"#)
    }
}

struct TestError: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// A message to the page. Values of topics and items of streams are numbers in these tests.
struct TestMessage: Decodable, Sendable {
    struct Push: Decodable, Hashable, Sendable {
        var topic: String?
        var stream: String?
        var data: Value
        var next: Int?
        var missed: Int?
        var reset: Int?
    }

    enum Value: Decodable, Hashable, Sendable {
        case number(Int)
        case numbers([Int])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .numbers(try container.decode([Int].self))
            }
        }
    }

    struct Failure: Decodable, Hashable, Sendable {
        var code: String
        var text: Phrase
    }

    var update: Int?
    var push: [Push]?
    var re: Int?
    var failed: Failure?
    var text = ""

    enum CodingKeys: CodingKey { case update, push, re, failed }

    init(_ text: String) {
        if let message = try? JSONDecoder().decode(TestMessage.self, from: Data(text.utf8)) { self = message }
        self.text = text
    }
}

/// A number that tests change from several tasks.
final class Counter: Sendable {
    private let number = Lock(0)

    var value: Int { number.withLock { $0 } }

    func set(_ value: Int) { number.withLock { $0 = value } }

    @discardableResult
    func increment() -> Int {
        number.withLock {
            $0 += 1
            return $0
        }
    }
}

/// A gate that a test opens.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream<Void>.makeStream() }

    func open() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}
