/// The event that a browser loads the page for the first time.
final class PageLoad: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream<Void>.makeStream() }

    func happen() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}
