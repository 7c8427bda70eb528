import Dispatch

/// The WebSocket of one page: passes its messages to a `StudioClient`, one after the other.
///
/// Threads: used only on the server's queue.
final class PageSocket: Sendable {
    private let client: StudioClient
    private let queue: DispatchQueue

    init(hub: StudioHub, queue: DispatchQueue, connection: WebConnection) {
        self.queue = queue
        let client = StudioClient(hub: hub) { [weak connection] text in
            guard let connection else { return }
            queue.async { connection.send(text) }
        }
        self.client = client
        Task { await client.run() }
    }

    /// Handles a message, and calls `completion` on the queue.
    func receive(_ text: String, _ completion: @escaping @Sendable () -> Void) {
        Task { [client, queue] in
            await client.receive(text)
            queue.async(execute: completion)
        }
    }

    func end() { client.end() }
}
