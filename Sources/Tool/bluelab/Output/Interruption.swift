/// The end of a command without a time limit: a signal or a call of `request` ends it.
final class Interruption: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let signals: TerminationSignals

    init() {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        self.stream = stream
        self.continuation = continuation
        signals = TerminationSignals(on: .global()) { _ in continuation.finish() }
    }

    /// Ends the command.
    func request() { continuation.finish() }

    /// Returns after a signal or a call of `request`.
    func wait() async { for await _ in stream {} }
}
