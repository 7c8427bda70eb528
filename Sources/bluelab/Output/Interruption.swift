import Dispatch
import Foundation

/// The end of a command that runs until it is told to end: by Ctrl-C, by a signal that asks for the end, or by `request`.
struct Interruption: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// From now on these signals no longer end the process by themselves, and neither does writing to a pipe without a reader.
    init() {
        (stream, continuation) = AsyncStream.makeStream()
        signal(SIGPIPE, SIG_IGN)
    }

    /// Asks for the end.
    func request() { continuation.finish() }

    /// Returns when something has asked for the end.
    func wait() async {
        // A hang-up that is ignored at the start stays ignored, as nohup wants it.
        var signals = [SIGINT, SIGTERM]
        if !Self.isIgnored(SIGHUP) { signals.append(SIGHUP) }
        for number in signals { signal(number, SIG_IGN) }
        let sources = signals.map { DispatchSource.makeSignalSource(signal: $0, queue: .global()) }
        for source in sources {
            source.setEventHandler { request() }
            source.resume()
        }
        for await _ in stream {}
        for source in sources { source.cancel() }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
