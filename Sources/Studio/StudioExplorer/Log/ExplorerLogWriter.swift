import Foundation
import Phrases

/// What a callback of CoreBluetooth said, as a line of the log.
struct CallbackLine {
    let kind: ExplorerLogEntry.Kind
    let key: String
    let text: Phrase

    static func callback(_ key: String, _ text: Phrase) -> CallbackLine {
        CallbackLine(kind: .callback, key: key, text: text)
    }

    static func failure(_ key: String, _ text: Phrase, _ error: any Error) -> CallbackLine {
        let reason = Phrase(error)
        return CallbackLine(kind: .error, key: key, text: Phrase("\(text): \(reason)", "\(text)：\(reason)"))
    }
}

/// Adds lines to the explorer's log, and reports each.
///
/// A class, because a report may read the log. It is confined to the explorer's queue.
final class ExplorerLogWriter {
    private(set) var log = ExplorerLog()
    private let clock: @Sendable () -> Int64
    private let report: @Sendable (ExplorerLogEntry) -> Void
    private let changed: @Sendable () -> Void

    /// - Parameters:
    ///   - clock: The time in nanoseconds.
    ///   - report: Called with each entry.
    ///   - changed: Called after each change.
    init(
        clock: @escaping @Sendable () -> Int64, report: @escaping @Sendable (ExplorerLogEntry) -> Void,
        changed: @escaping @Sendable () -> Void
    ) {
        (self.clock, self.report, self.changed) = (clock, report, changed)
    }

    func call(_ key: String, _ text: Phrase, swift: String, _ device: UUID? = nil) {
        add(.call, key, text, swift, device)
    }

    func callback(_ key: String, _ text: Phrase, swift: String, _ device: UUID? = nil) {
        add(.callback, key, text, swift, device)
    }

    func note(_ key: String, _ text: Phrase, _ device: UUID? = nil) { add(.note, key, text, nil, device) }

    /// Adds a failure that CoreBluetooth reported to the delegate.
    func failure(_ key: String, _ text: Phrase, _ error: any Error, swift: String, _ device: UUID?) {
        add(.failure(key, text, error), swift: swift, device)
    }

    /// - Parameter swift: The delegate's method.
    func add(_ line: CallbackLine, swift: String, _ device: UUID?) {
        add(line.kind, line.key, line.text, swift, device)
    }

    private func add(_ kind: ExplorerLogEntry.Kind, _ key: String, _ text: Phrase, _ swift: String?, _ device: UUID?) {
        report(log.add(kind, key, text, swift: swift, device: device?.uuidString, at: clock()))
        changed()
    }

    func clear() {
        log.clear()
        changed()
    }
}
