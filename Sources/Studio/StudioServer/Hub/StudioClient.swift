import BLETransport
import Foundation
import Phrases

/// One open page: what it watches, and what it has received.
///
/// Messages of the page are `{"id":1,"do":"room.move","with":{...}}`, `{"watch":["room","packets"]}` with all topics and streams that it wants from now
/// on, and `{"ack":7}`. Messages to the page are `{"re":1,"ok":...}` or `{"re":1,"failed":{...}}`, and `{"update":7,"push":[...]}`, which the
/// page acknowledges. A page that does not acknowledge gets no more updates, so a page that sleeps costs no memory.
///
/// A page gets a stream from its beginning when it begins to watch it. Its first batch then has `"reset":0`.
actor StudioClient {
    /// The least time between two updates.
    static let updateInterval = Duration.milliseconds(33)
    /// The number of updates without an acknowledgement.
    static let unacknowledgedLimit = 3
    /// The most items of a stream in one update.
    static let itemLimit = 1000
    /// The most topics and streams that a page watches.
    static let watchLimit = 64
    /// The most commands of a page that run or wait.
    static let commandLimit = 64
    /// The time after which a command no longer delays the next one of its part.
    static let orderLimit = Duration.milliseconds(100)

    private let hub: StudioHub
    private let send: @Sendable (String) -> Void
    /// Holds one wake-up, so that one that comes during an update causes another update.
    private let wakes: AsyncStream<Void>
    private let waking: AsyncStream<Void>.Continuation

    private var watched: [String] = []
    private var versions: [String: UInt64] = [:]
    private var positions: [String: StreamPosition] = [:]
    private var lastUpdate = 0
    private var acknowledged = 0

    private var commandCount = 0
    private var waitingCommands: [String: [PageCommand]] = [:]
    /// The command of each part after whose end the next one starts.
    private var currentCommands: [String: UInt64] = [:]
    private var commandNumber: UInt64 = 0

    init(hub: StudioHub, send: @escaping @Sendable (String) -> Void) {
        self.hub = hub
        self.send = send
        (wakes, waking) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Sends updates until `end`.
    func run() async {
        hub.attach(self) { [waking] in waking.yield() }
        for await _ in wakes { await update() }
        hub.detach(self)
    }

    nonisolated func end() { waking.finish() }

    // MARK: Messages

    func receive(_ text: String) {
        let data = Data(text.utf8)
        guard let message = try? JSONDecoder().decode(PageMessage.self, from: data) else {
            return send(#"{"re":null,"failed":{"code":"message","text":"The message is not understood."}}"#)
        }
        if let number = message.ack { acknowledged = min(max(acknowledged, number), lastUpdate) }
        if let watch = message.watch {
            watched = watch.prefix(Self.watchLimit).filter { $0.utf8.count <= 256 }
            versions = versions.filter { watched.contains($0.key) }
            positions = positions.filter { watched.contains($0.key) }
        }
        if message.ack != nil || message.watch != nil { waking.yield() }
        if let id = message.id, let name = message.do { enqueue(PageCommand(id: id, name: name, message: data)) }
    }

    // MARK: Commands

    private func enqueue(_ command: PageCommand) {
        guard commandCount < Self.commandLimit else {
            return fail(
                command,
                PhrasedError(
                    "busy",
                    Phrase(
                        "The studio has \(Self.commandLimit) commands of this page to do.",
                        "这个页面有 \(Self.commandLimit) 条命令正在等待工作室执行。"),
                    next: Phrase("Wait, and try again.", "请稍候再试。")))
        }
        commandCount += 1
        waitingCommands[command.part, default: []].append(command)
        startNextCommand(of: command.part)
    }

    private func startNextCommand(of part: String) {
        guard currentCommands[part] == nil, var waiting = waitingCommands[part] else { return }
        let command = waiting.removeFirst()
        waitingCommands[part] = waiting.isEmpty ? nil : waiting
        commandNumber += 1
        let number = commandNumber
        currentCommands[part] = number
        let limit = Task {
            guard (try? await Task.sleep(for: Self.orderLimit)) != nil else { return }
            passOn(part, after: number)
        }
        Task {
            await answer(command)
            limit.cancel()
            commandCount -= 1
            passOn(part, after: number)
        }
    }

    private func passOn(_ part: String, after number: UInt64) {
        guard currentCommands[part] == number else { return }
        currentCommands[part] = nil
        startNextCommand(of: part)
    }

    private func answer(_ command: PageCommand) async {
        guard let body = hub.command(command.name) else {
            return fail(command, .unknownCommand(command.name))
        }
        do {
            send(#"{"re":\#(command.id),"ok":\#(try await body(command.message).text)}"#)
        } catch let failure as PhrasedError {
            fail(command, failure)
        } catch {
            fail(command, .unexpected(error, in: command.name))
        }
    }

    private func fail(_ command: PageCommand, _ failure: PhrasedError) {
        let text = (try? JSONText(encoding: failure).text) ?? "{}"
        send(#"{"re":\#(command.id),"failed":\#(text)}"#)
    }

    // MARK: Updates

    /// Sends what has changed. Changes of the time after it are in the next update.
    private func update() async {
        // The next acknowledgement wakes this again.
        guard lastUpdate - acknowledged < Self.unacknowledgedLimit else { return }
        let pushes = await changes()
        guard !pushes.isEmpty else { return }
        lastUpdate += 1
        send(#"{"update":\#(lastUpdate),"push":[\#(pushes.joined(separator: ","))]}"#)
        try? await Task.sleep(for: Self.updateInterval)
    }

    private func changes() async -> [String] {
        var pushes: [String] = []
        for name in watched {
            if let version = hub.version(of: name) {
                guard version != versions[name], let (version, text) = await hub.text(of: name), isWatching(name) else {
                    continue
                }
                versions[name] = version
                pushes.append(#"{"topic":\#(JSONString.quoted(name)),"data":\#(text.text)}"#)
            } else {
                let before = positions[name]
                guard let (batch, position) = await hub.items(of: name, after: before, limit: Self.itemLimit),
                    isWatching(name), positions[name] == before
                else { continue }
                positions[name] = position
                guard !batch.items.isEmpty || batch.missed > 0 || batch.reset != nil else { continue }
                if batch.items.count >= Self.itemLimit { waking.yield() }
                let reset = batch.reset.map { #","reset":\#($0)"# } ?? ""
                let items = batch.items.map(\.text).joined(separator: ",")
                pushes.append(
                    #"{"stream":\#(JSONString.quoted(name)),"next":\#(batch.next),"missed":\#(batch.missed)\#(reset),"data":[\#(items)]}"#
                )
            }
        }
        return pushes
    }

    /// Whether the page still watches a topic or a stream after a suspension.
    private func isWatching(_ name: String) -> Bool { watched.contains(name) }

}

private struct PageMessage: Decodable {
    var id: Int?
    var `do`: String?
    var watch: [String]?
    var ack: Int?
}

private struct PageCommand {
    var id: Int
    var name: String
    /// The whole message, whose member `with` has the arguments.
    var message: Data

    /// The part of the studio that runs the command: the first word of its name.
    var part: String { String(name.prefix { $0 != "." }.prefix(64)) }
}
