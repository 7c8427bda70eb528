import BLETransport
import Dispatch
import Foundation

/// Handles the signals that end a command: SIGINT, SIGTERM and SIGHUP. A write to a pipe without a reader fails instead of raising
/// SIGPIPE.
final class TerminationSignals: Sendable {
    private let signals: ProcessSignals

    /// - Parameter handler: Called on `queue` for each signal, with the exit code that the signal stands for.
    init(on queue: DispatchQueue, _ handler: @escaping @Sendable (ToolError.Kind) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        // `nohup` starts a program with SIGHUP ignored, and it stays ignored.
        let numbers = [SIGINT, SIGTERM] + (Self.isIgnored(SIGHUP) ? [] : [SIGHUP])
        signals = ProcessSignals(numbers, on: queue) { number in
            switch number {
            case SIGINT: handler(.interrupted)
            case SIGHUP: handler(.hungUp)
            default: handler(.terminated)
            }
        }
    }

    /// Ends the handling. The process then ignores the signals.
    func cancel() { signals.cancel() }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
