import CLinuxBluetooth
import Dispatch

/// Calls a handler for each of some signals of this process.
///
/// The action of a signal is in place when the initialiser returns. A signal source of libdispatch registers later, on another thread,
/// and a signal before that is lost.
package final class ProcessSignals: Sendable {
    private let key: Int

    /// - Parameter handler: Called on `queue` with the number of the signal.
    package init(_ numbers: [Int32], on queue: DispatchQueue, _ handler: @escaping @Sendable (Int32) -> Void) {
        key = Self.shared.add(Receiver(numbers: numbers, queue: queue, handler: handler))
        for number in numbers { Self.shared.watch(number) }
    }

    deinit { cancel() }

    /// Ends the calls. The process ignores the signals until another object handles them.
    package func cancel() { Self.shared.remove(key) }

    private static let shared = SignalDispatcher()
}

private struct Receiver: Sendable {
    let numbers: [Int32]
    let queue: DispatchQueue
    let handler: @Sendable (Int32) -> Void
}

/// The pipe between the signal handler, which may do no more than a write, and the receivers.
///
/// `@unchecked Sendable`: `receivers` and `nextKey` are used only on `queue`; the rest never changes after the initialiser.
private final class SignalDispatcher: @unchecked Sendable {
    private let queue = DispatchQueue(label: "bluetooth.signals")
    private let pipe: WakeupPipe?
    private let source: (any DispatchSourceRead)?
    private var receivers: [Int: Receiver] = [:]
    private var nextKey = 0

    init() {
        pipe = try? WakeupPipe()
        source = pipe.map { [queue] in DispatchSource.makeReadSource(fileDescriptor: $0.number, queue: queue) }
        source?.setEventHandler { [unowned self] in deliver() }
        source?.resume()
    }

    func add(_ receiver: Receiver) -> Int {
        queue.sync {
            nextKey += 1
            receivers[nextKey] = receiver
            return nextKey
        }
    }

    /// The receiver gets no further signal, but one may be on the way to its queue.
    func remove(_ key: Int) { queue.async { self.receivers[key] = nil } }

    /// Without a pipe, the signal keeps its default action, which ends the process.
    func watch(_ number: Int32) {
        if let pipe { _ = clb_write_signals(number, pipe.writingNumber) }
    }

    private func deliver() {
        pipe?.drain { octet in
            let number = Int32(octet)
            for receiver in receivers.values where receiver.numbers.contains(number) {
                receiver.queue.async { receiver.handler(number) }
            }
        }
    }
}
