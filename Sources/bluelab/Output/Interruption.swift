import Dispatch
import Foundation

/// The end of a command that runs until it is told to end: by Ctrl-C, by a signal that asks for the end, or by `request`.
///
/// `@unchecked Sendable`: the sources are made in the initialiser and only kept afterwards.
final class Interruption: @unchecked Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private var sources: [any DispatchSourceSignal] = []

    /// From now on SIGINT, SIGTERM and SIGHUP ask for the end, and writing to a pipe without a reader is an error and no signal.
    init() {
        (stream, continuation) = AsyncStream.makeStream()
        signal(SIGPIPE, SIG_IGN)
        var signals = [SIGINT, SIGTERM]
        // A hang-up that is ignored at the start stays ignored, as nohup wants it.
        if !Self.isIgnored(SIGHUP) { signals.append(SIGHUP) }
        for number in signals {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [continuation] in continuation.finish() }
            source.resume()
            sources.append(source)
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// Asks for the end.
    func request() { continuation.finish() }

    /// Returns when something has asked for the end.
    func wait() async { for await _ in stream {} }

    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
