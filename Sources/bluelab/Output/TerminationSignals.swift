import Dispatch
import Foundation

/// Handles the signals that end a command: SIGINT, SIGTERM and SIGHUP. A write to a pipe without a reader fails instead of raising
/// SIGPIPE.
///
/// `@unchecked Sendable`: the initialiser alone changes `sources`.
final class TerminationSignals: @unchecked Sendable {
    private var sources: [any DispatchSourceSignal] = []

    /// - Parameter handler: Called on `queue` for each signal, with the exit code that the signal stands for.
    init(on queue: DispatchQueue, _ handler: @escaping @Sendable (ToolFailure.Kind) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        for (number, kind) in [
            (SIGINT, ToolFailure.Kind.interrupted), (SIGTERM, .terminated), (SIGHUP, .hungUp),
        ] {
            // `nohup` starts a program with SIGHUP ignored, and it stays ignored.
            if number == SIGHUP, Self.isIgnored(SIGHUP) { continue }
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(kind) }
            source.resume()
            sources.append(source)
        }
    }

    deinit { cancel() }

    /// Ends the handling. The signals stay ignored.
    func cancel() { for source in sources { source.cancel() } }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
