internal import BLEWire
internal import DequeModule
import BLEAdapter

/// Receives the frequent events of a dispatcher, on the delegate's queue.
protocol FrequentEventReceiver: AnyObject {
    /// Delivers consecutive discoveries, and removes them.
    func deliver(_ discoveries: inout Deque<Discovery>)
    /// Delivers consecutive values, and removes them.
    func deliver(_ values: inout ValueRun)
    func deliver(_ value: WaitingValue, readFrom handle: UInt16, on peer: PeerIdentifier)
    func deliver(_ result: Result<GATTResult, GATTError>, of operation: GATTOperation, on peer: PeerIdentifier)
}

/// The pending callbacks of a dispatcher, in order. A scheduler runs each accepted callback on the delegate's queue.
///
/// Consecutive discoveries, and consecutive values, are one entry, of which a block of callbacks takes as many as it runs in one access.
final class WaitingCallbacks: @unchecked Sendable {
    enum Admission { case taken, dropped, firstDropped, firstDroppedOfAnyKind }

    /// The limits that apply to a callback.
    enum Limits {
        case none
        /// `CallbackDispatcher.totalLimit`.
        case total
        /// `CallbackDispatcher.limit`, too.
        case totalAndCounted
    }

    /// What a single callback does.
    enum Work {
        case call(() -> Void)
        case read(WaitingValue, handle: UInt16, PeerIdentifier)
        case completion(GATTOperation, Result<GATTResult, GATTError>, PeerIdentifier)
    }

    private enum Kind { case single, discoveries, values }

    /// A single callback, or consecutive ones of a kind. It has no references, because to look at an element of a deque copies it.
    private struct Entry {
        let kind: Kind
        let isCounted: Bool
        var count = 1
    }

    /// The discoveries or the values of one access, and the storage for them.
    private struct Taken {
        var discoveries = Deque<Discovery>()
        var values = ValueRun()
        var count = 0
    }

    private struct Content {
        var entries = Deque<Entry>()
        var works = Deque<Work>()
        var discoveries = Deque<Discovery>()
        var values = Deque<ValueRun>()
        /// Storage that the next block of callbacks uses.
        var spare = Taken()
        var pool = ValueRunPool()
        /// The pending callbacks.
        var count = 0
        /// The pending callbacks to which `limit` applies.
        var counted = 0
        /// Whether one of these was dropped since the last time no callback was pending.
        var isDropping = false
        /// Whether a callback was dropped because of `totalLimit` since the last time none was pending.
        var isOverflowing = false
        /// The most pending callbacks since the storage was allocated.
        var peak = 0
        var receiver: (any FrequentEventReceiver)?

        mutating func append(_ work: Work, isCounted: Bool) {
            works.append(work)
            entries.append(Entry(kind: .single, isCounted: isCounted))
            added(1, isCounted: isCounted)
        }

        private mutating func added(_ added: Int, isCounted: Bool) {
            count += added
            if isCounted { counted += added }
            peak = max(peak, count)
        }

        /// Adds callbacks of a kind whose content waits apart.
        mutating func append(_ added: Int, _ kind: Kind) {
            let last = entries.count - 1
            if last >= 0, entries[last].kind == kind {
                entries[last].count += added
            } else {
                entries.append(Entry(kind: kind, isCounted: true, count: added))
            }
            self.added(added, isCounted: true)
        }

        var lastKind: Kind? { entries.isEmpty ? nil : entries[entries.count - 1].kind }

        /// The callbacks that both limits allow.
        var room: Int { min(CallbackDispatcher.limit - counted, CallbackDispatcher.totalLimit - count) }

        /// Drops a callback to which both limits apply.
        mutating func dropCounted() -> Admission {
            guard counted >= CallbackDispatcher.limit else { return drop() }
            defer { isDropping = true }
            return isDropping ? .dropped : .firstDropped
        }

        mutating func drop() -> Admission {
            defer { isOverflowing = true }
            return isOverflowing ? .dropped : .firstDroppedOfAnyKind
        }

        /// Adds values as a run. `values` is another one afterwards, without values.
        mutating func append(_ values: inout ValueRun) {
            append(values.count, .values)
            self.values.append(values)
            values = pool.take(toFollow: values)
        }

        /// Removes the oldest callback; nil if it is one of a run, or if there is none.
        mutating func takeWork() -> Work? {
            guard !entries.isEmpty, entries[0].kind == .single else { return nil }
            let isCounted = entries[0].isCounted
            entries.removeFirst()
            let work = works.removeFirst()
            removed(1, isCounted: isCounted)
            return work
        }

        /// Removes at most `limit` callbacks of the run that is the oldest entry; nil if there is none.
        mutating func takeRun(upTo limit: Int) -> Taken? {
            guard !entries.isEmpty else { return nil }
            var taken = Taken()
            swap(&taken, &spare)
            var number = min(limit, entries[0].count)
            if entries[0].kind == .values {
                number = takeValues(upTo: number, &taken.values)
            } else {
                takeDiscoveries(number, &taken.discoveries)
            }
            taken.count = number
            if number < entries[0].count { entries[0].count -= number } else { entries.removeFirst() }
            removed(number, isCounted: true)
            return taken
        }

        private mutating func removed(_ removed: Int, isCounted: Bool) {
            count -= removed
            if isCounted {
                counted -= removed
                if counted == 0 { isDropping = false }
            }
            if count == 0 { becameEmpty() }
        }

        private mutating func takeValues(upTo limit: Int, _ taken: inout ValueRun) -> Int {
            let count = values[0].count
            guard count <= limit else {
                values[0].move(limit, to: &taken)
                return limit
            }
            pool.keep(taken)
            taken = values.removeFirst()
            return count
        }

        private mutating func takeDiscoveries(_ count: Int, _ taken: inout Deque<Discovery>) {
            if count == discoveries.count, taken.isEmpty, peak <= WaitingCallbacks.keptCapacity {
                return swap(&discoveries, &taken)
            }
            for _ in 0..<count { taken.append(discoveries.removeFirst()) }
        }

        private mutating func becameEmpty() {
            isOverflowing = false
            guard peak > WaitingCallbacks.keptCapacity else { return }
            (entries, works, discoveries, values) = (Deque(), Deque(), Deque(), Deque())
            peak = 0
        }
    }

    private static let keptCapacity = 256

    private let content = Lock(Content())

    /// The receiver belongs to the dispatcher until the next call.
    func setReceiver(_ receiver: (any FrequentEventReceiver)?) {
        let former = content.withLock { content in
            defer { content.receiver = receiver }
            return content.receiver
        }
        withExtendedLifetime(former) {}
    }

    func append(_ work: Work, _ limits: Limits) -> Admission {
        content.withLock { content in
            switch limits {
            case .none: break
            case .total: if content.count >= CallbackDispatcher.totalLimit { return content.drop() }
            case .totalAndCounted: if content.room <= 0 { return content.dropCounted() }
            }
            content.append(work, isCounted: limits == .totalAndCounted)
            return .taken
        }
    }

    func append(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) -> Admission {
        content.withLock { content in
            guard content.room > 0 else { return content.dropCounted() }
            let last = content.values.count - 1
            if content.lastKind == .values, !content.values[last].isFull {
                content.values[last].append(value, handle: handle, from: peer)
                content.append(1, .values)
            } else {
                var run = content.pool.take()
                run.append(value, handle: handle, from: peer)
                content.append(&run)
                // The run from the pool that took its place.
                content.pool.keep(run)
            }
            return .taken
        }
    }

    /// Returns the number of values that were taken, and why the first other one was not. `values` has no values afterwards.
    func append(_ values: inout ValueRun) -> (Int, Admission) {
        content.withLock { content in
            let count = values.count
            let taken = max(0, min(content.room, count))
            if taken < count { values.truncate(to: taken) }
            if taken > 0 { content.append(&values) }
            return (taken, taken < count ? content.dropCounted() : .taken)
        }
    }

    /// Returns the number of discoveries that were taken, and why the first other one was not.
    func append(_ discoveries: ArraySlice<Discovery>) -> (Int, Admission) {
        content.withLock { content in
            let taken = max(0, min(content.room, discoveries.count))
            if taken > 0 {
                content.discoveries.append(contentsOf: discoveries.prefix(taken))
                content.append(taken, .discoveries)
            }
            return (taken, taken < discoveries.count ? content.dropCounted() : .taken)
        }
    }

    /// Runs the oldest callbacks.
    func run(_ count: Int) {
        var left = count
        while left > 0 {
            var taken: Taken?
            let (work, receiver) = content.withLock { content in
                let work = content.takeWork()
                if work == nil { taken = content.takeRun(upTo: left) }
                return (work, content.receiver)
            }
            if let work {
                perform(work, receiver)
                left -= 1
            } else {
                guard let count = taken?.count else { return }
                perform(&taken!, receiver)
                left -= count
            }
        }
    }

    private func perform(_ work: consuming Work, _ receiver: (any FrequentEventReceiver)?) {
        switch consume work {
        case .call(let body): body()
        case .read(let value, let handle, let peer): receiver?.deliver(value, readFrom: handle, on: peer)
        case .completion(let operation, let result, let peer): receiver?.deliver(result, of: operation, on: peer)
        }
    }

    private func perform(_ taken: inout Taken, _ receiver: (any FrequentEventReceiver)?) {
        if let receiver {
            if !taken.discoveries.isEmpty { receiver.deliver(&taken.discoveries) }
            if !taken.values.isEmpty { receiver.deliver(&taken.values) }
        } else {
            taken.discoveries.removeAll()
            taken.values.removeAll()
        }
        content.withLock { swap(&taken, &$0.spare) }
    }
}
