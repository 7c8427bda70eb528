import BLEAdapter
import BLEWire
import Dispatch

/// The callbacks of one step, in order.
struct CallbackBatch {
    /// A callback, or the next callbacks of a source.
    private enum Callback {
        case block(@Sendable @convention(block) () -> Void, DispatchQueue)
        case source(any CallbackSource, Int, DispatchQueue)

        var queue: DispatchQueue {
            switch self {
            case .block(_, let queue), .source(_, _, let queue): queue
            }
        }

        func run() {
            switch self {
            case .block(let block, _): block()
            case .source(let source, let count, _): source.run(count)
            }
        }
    }

    /// The number of callbacks that leave before the end of the step, in one block. A queue should not idle during a long
    /// step.
    private static let limit = 32

    private var callbacks: [Callback] = []
    /// The callbacks of `last`, which follow those in the array: most batches have a single source.
    private var lastCount = 0
    private var last: (source: any CallbackSource, queue: DispatchQueue)?
    private var count = 0

    mutating func append(_ block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        finishLast()
        callbacks.append(.block(block, queue))
        count += 1
    }

    mutating func append(_ count: Int, of source: any CallbackSource, on queue: DispatchQueue) {
        self.count += count
        if let last, last.source === source {
            lastCount += count
            return
        }
        finishLast()
        last = (source, queue)
        lastCount = count
    }

    private mutating func finishLast() {
        guard let last else { return }
        callbacks.append(.source(last.source, lastCount, last.queue))
        self.last = nil
        lastCount = 0
    }

    var isEmpty: Bool { count == 0 }
    var isFull: Bool { count >= Self.limit }

    /// Callbacks of one source.
    struct Run {
        fileprivate let source: any CallbackSource
        fileprivate let count: Int
        fileprivate let queue: DispatchQueue

        /// Puts one block on the queue.
        func send() {
            if count == 1 { queue.async(execute: source.runNext) } else { queue.async { source.run(count) } }
        }
    }

    /// Whether all callbacks are of one source.
    var isOneRun: Bool { callbacks.isEmpty && lastCount > 0 }

    /// Removes and returns the callbacks if all are of one source.
    mutating func takeOneRun() -> Run? {
        guard isOneRun, let (source, queue) = last.take() else { return nil }
        let run = Run(source: source, count: lastCount, queue: queue)
        (lastCount, count) = (0, 0)
        return run
    }

    /// Puts one block on a queue for each run of callbacks of that queue.
    mutating func send() {
        if let run = takeOneRun() { return run.send() }
        finishLast()
        count = 0
        var start = 0
        while start < callbacks.count {
            let queue = callbacks[start].queue
            var end = start + 1
            while end < callbacks.count, callbacks[end].queue === queue { end += 1 }
            if end == start + 1 {
                switch callbacks[start] {
                case .block(let block, _): queue.async(execute: block)
                case .source(let source, 1, _): queue.async(execute: source.runNext)
                case .source(let source, let count, _): queue.async { source.run(count) }
                }
            } else {
                let run = callbacks[start..<end]
                queue.async { for callback in run { callback.run() } }
            }
            start = end
        }
        callbacks.empty()
    }
}
