import Foundation

/// One open page: what it watches, and what it has received.
///
/// Messages of the page are `{"id":1,"do":"room.move","with":{...}}`, `{"watch":["room","packets"]}` with all topics and streams that it wants from now
/// on, and `{"ack":7}`. Messages to the page are `{"re":1,"ok":...}` or `{"re":1,"failed":{...}}`, and `{"update":7,"push":[...]}`, which the
/// page acknowledges. A page that does not acknowledge gets no more updates, so a page that sleeps costs no memory.
actor StudioClient {
    /// The least time between two updates.
    static let updateInterval = Duration.milliseconds(33)
    /// The number of updates without an acknowledgement.
    static let unacknowledgedLimit = 3
    /// The most items of a stream in one update.
    static let itemLimit = 1000

    private let hub: StudioHub
    private let send: @Sendable (String) -> Void
    private var watched: [String] = []
    private var versions: [String: UInt64] = [:]
    private var positions: [String: Int] = [:]
    private var update = 0
    private var acknowledged = 0
    private var isUpdating = false
    private var isStale = false

    init(hub: StudioHub, send: @escaping @Sendable (String) -> Void) {
        self.hub = hub
        self.send = send
    }

    func receive(_ text: String) async {
        let data = Data(text.utf8)
        guard let message = try? JSONDecoder().decode(PageMessage.self, from: data) else {
            return send(#"{"re":null,"failed":{"code":"message","text":"The message is not understood."}}"#)
        }
        if let number = message.ack {
            acknowledged = min(max(acknowledged, number), update)
            await flush()
        }
        if let watch = message.watch {
            watched = Array(watch.prefix(64))
            versions = versions.filter { watched.contains($0.key) }
            positions = positions.filter { watched.contains($0.key) }
            await flush()
        }
        if let id = message.id, let name = message.do { await answer(id, name, data) }
    }

    private func answer(_ id: Int, _ name: String, _ data: Data) async {
        guard let command = hub.command(name) else {
            return fail(id, StudioFailure("unknown-command", "The studio has no command \(name.prefix(64))."))
        }
        do {
            send(#"{"re":\#(id),"ok":\#(try await command(data).text)}"#)
        } catch let failure as StudioFailure {
            fail(id, failure)
        } catch {
            fail(id, StudioFailure("failed", error.localizedDescription))
        }
    }

    private func fail(_ id: Int, _ failure: StudioFailure) {
        let text = (try? JSONText(encoding: failure).text) ?? "{}"
        send(#"{"re":\#(id),"failed":\#(text)}"#)
    }

    /// Sends what has changed, now or when the interval and the acknowledgements allow it.
    func flush() async {
        isStale = true
        guard !isUpdating else { return }
        isUpdating = true
        defer { isUpdating = false }
        while isStale, update - acknowledged < Self.unacknowledgedLimit {
            isStale = false
            let pushes = await changes()
            guard !pushes.isEmpty else { continue }
            update += 1
            send(#"{"update":\#(update),"push":[\#(pushes.joined(separator: ","))]}"#)
            try? await Task.sleep(for: Self.updateInterval)
        }
    }

    private func changes() async -> [String] {
        var pushes: [String] = []
        for name in watched {
            if let version = hub.version(of: name) {
                guard version != versions[name], let (version, text) = await hub.text(of: name) else { continue }
                versions[name] = version
                pushes.append(#"{"topic":\#(quoted(name)),"data":\#(text.text)}"#)
            } else if let batch = await hub.items(of: name, from: positions[name, default: 0], limit: Self.itemLimit) {
                positions[name] = batch.next
                guard !batch.items.isEmpty || batch.missed > 0 || batch.reset != nil else { continue }
                if batch.items.count >= Self.itemLimit { isStale = true }
                let reset = batch.reset.map { #","reset":\#($0)"# } ?? ""
                let items = batch.items.map(\.text).joined(separator: ",")
                pushes.append(
                    #"{"stream":\#(quoted(name)),"next":\#(batch.next),"missed":\#(batch.missed)\#(reset),"data":[\#(items)]}"#
                )
            }
        }
        return pushes
    }

    private func quoted(_ name: String) -> String { (try? JSONText(encoding: name).text) ?? "\"\"" }
}

private struct PageMessage: Decodable {
    var id: Int?
    var `do`: String?
    var watch: [String]?
    var ack: Int?
}
