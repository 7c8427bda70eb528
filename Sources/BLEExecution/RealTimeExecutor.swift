import BLEAdapter
import BLETransport
import BLEWire
import Dispatch
import Glibc
import Synchronization

/// The executor of a host with real hardware: a serial queue, and a thread that waits for the transport, for calls and
/// for the monotonic clock.
///
/// The thread works in steps, on the queue: received octets, then submitted calls, then timeouts. At the end of a step,
/// all packets leave in one write and all callbacks in one block for each queue. Other blocks on the queue, such as the
/// opening of a transport, run between the steps. A thread that calls `perform` runs a step itself while the executor's
/// thread waits, because waking another thread costs more than most calls.
///
/// `@unchecked Sendable`: state outside `mailbox` and the atomic is used only on `queue`.
package final class RealTimeExecutor<Owner: ExecutorOwner>: AdapterExecutor, @unchecked Sendable {
    package typealias Call = @Sendable (Owner) -> Void

    private struct SubmittedCall {
        let owner: ExecutorIsolated<Owner>
        let call: Call
    }

    private struct Mailbox {
        var calls: [SubmittedCall] = []
        /// Whether the thread is working, or will work before it waits again.
        var isAwake = true
        /// The time at which the wait ends; nil if only `wake` ends it.
        var sleepsUntil: Instant?
    }

    package let queue: DispatchQueue
    private let mailbox = Lock(Mailbox())
    private var thread: PollingThread?
    private weak var owner: Owner?
    private var stream: PolledStream?
    private var deadline: Instant?
    /// The latest time at which the thread wakes. It stays when deadlines move to a later time, as those of
    /// transactions do.
    private var alarm: Instant?
    /// The thread that runs a step; 0 if there is none.
    private let stepping = Atomic<UInt>(0)
    private var stepTime: Instant?
    /// The calls taken from the mailbox. The array keeps its capacity.
    private var calls: [SubmittedCall] = []
    private var callbacks = CallbackBatch()
    private let mark = DispatchSpecificKey<Bool>()
    /// Whether the current wait includes room for the stream's queued octets.
    private var awaitsWriting = false

    package init(label: String) throws(TransportError) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: mark, value: true)
        thread = try PollingThread { [weak self] readiness in self?.attend(readiness) }
    }

    deinit { thread?.wake() }

    /// The time of the monotonic clock. Within a step, the time of its beginning.
    package var now: Instant { stepTime ?? Self.clock }

    private static var clock: Instant { Instant(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

    /// Reads and writes `stream` for `owner` from now on. Used only on the queue.
    package func serve(_ stream: PolledStream, for owner: Owner) {
        self.owner = owner
        self.stream = stream
        // Also within a step of another thread: the executor's thread may be waiting without the stream.
        thread?.wake()
    }

    /// Drops the closed `stream`. Used only on the queue.
    package func drop(_ stream: PolledStream) {
        guard self.stream === stream else { return }
        self.stream = nil
        // The current wait keeps the stream open for the peer.
        thread?.wake()
    }

    package func submit(to owner: ExecutorIsolated<Owner>, _ call: @escaping Call) {
        let wasAwake = mailbox.withLock { mailbox in
            mailbox.calls.append(SubmittedCall(owner: owner, call: call))
            defer { mailbox.isAwake = true }
            return mailbox.isAwake
        }
        if !wasAwake { thread?.wake() }
    }

    package func perform(on owner: ExecutorIsolated<Owner>, _ call: @escaping Call) {
        // A block on the queue runs between two steps and cannot wait for one.
        guard DispatchQueue.getSpecific(key: mark) == nil else { return submit(to: owner, call) }
        let mayStep = mailbox.withLock { mailbox in
            mailbox.calls.append(SubmittedCall(owner: owner, call: call))
            guard !mailbox.isAwake else { return false }
            mailbox.isAwake = true
            return true
        }
        guard mayStep else { return }
        let mustWake = queue.sync { borrowedStep() }
        if mustWake { thread?.wake() }
    }

    /// Runs a step on the calling thread while the executor's thread waits. Returns whether to wake the executor's
    /// thread: calls were submitted meanwhile, or its wait has a wrong deadline or wrong events.
    private func borrowedStep() -> Bool {
        _ = work { runSubmittedCalls() }
        let isWaitWrong = stream.map { $0.awaitsWriting != awaitsWriting } ?? false
        return mailbox.withLock { mailbox in
            let isTooLate = deadline.map { deadline in mailbox.sleepsUntil.map { deadline < $0 } ?? true } ?? false
            guard mailbox.calls.isEmpty, !isTooLate, !isWaitWrong else { return true }
            mailbox.isAwake = false
            return false
        }
    }

    package func schedule(_ owner: Owner, at deadline: Instant?) {
        self.owner = owner
        self.deadline = deadline
        guard let deadline, stepTime == nil else { return }
        let isTooLate = mailbox.withLock { !$0.isAwake && $0.sleepsUntil.map { deadline < $0 } ?? true }
        if isTooLate { wake() }
    }

    private func wake() {
        let wasAwake = mailbox.withLock { mailbox in
            defer { mailbox.isAwake = true }
            return mailbox.isAwake
        }
        if !wasAwake { thread?.wake() }
    }

    // MARK: Steps

    /// Runs on the thread, between two waits.
    private func attend(_ readiness: PollingThread.Readiness) -> PollingThread.WaitRequest {
        mailbox.withLock { $0.isAwake = true }
        var readiness = readiness
        while true {
            let request = queue.sync { step(readiness) }
            readiness = PollingThread.Readiness()
            if let request { return request }
        }
    }

    /// Returns nil if there is more to do at once.
    private func step(_ readiness: PollingThread.Readiness) -> PollingThread.WaitRequest? {
        // Keeps the owner alive while it takes the octets of the stream.
        let owner = owner
        let now = work {
            if owner != nil { stream?.serve(readiness) }
            runSubmittedCalls()
            if let owner, let deadline, deadline <= self.now {
                self.deadline = nil
                owner.handleTimeout()
                owner.flush()
            }
        }
        return prepareToWait(since: now)
    }

    /// Runs `body` as a step and sends its callbacks. Returns the time of the step.
    private func work(_ body: () -> Void) -> Instant {
        let now = Self.clock
        stepTime = now
        stepping.store(Self.thisThread, ordering: .relaxed)
        body()
        callbacks.send()
        stepping.store(0, ordering: .relaxed)
        stepTime = nil
        return now
    }

    private func runSubmittedCalls() {
        mailbox.withLock { swap(&$0.calls, &calls) }
        guard !calls.isEmpty else { return }
        for submitted in calls {
            submitted.call(submitted.owner.object)
            submitted.owner.object.deliverEvents()
        }
        // All calls have the same owner.
        calls[0].owner.object.flush()
        calls.empty()
    }

    private func prepareToWait(since now: Instant) -> PollingThread.WaitRequest? {
        if let alarm, alarm > now {
            self.alarm = min(alarm, deadline ?? alarm)
        } else {
            alarm = deadline
        }
        let until = alarm
        let mayWait = mailbox.withLock { mailbox in
            guard mailbox.calls.isEmpty else { return false }
            mailbox.isAwake = false
            mailbox.sleepsUntil = until
            return true
        }
        awaitsWriting = stream?.awaitsWriting ?? false
        return mayWait ? PollingThread.WaitRequest(stream: stream, deadline: until) : nil
    }

    private static var thisThread: UInt { UInt(pthread_self()) }

    // MARK: Callbacks

    package func scheduleCallback(_ block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        // No other thread stores this thread's number.
        guard stepping.load(ordering: .relaxed) == Self.thisThread else { return queue.async(execute: block) }
        callbacks.append(block, on: queue)
    }

    package func startCallback(_ start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) {
        // Sends the callbacks that wait for the end of the step first.
        if stepping.load(ordering: .relaxed) == Self.thisThread { callbacks.send() }
        start(nil)
    }
}

/// The callbacks of one step, in order.
private struct CallbackBatch {
    private struct Callback {
        let queue: DispatchQueue
        let block: @Sendable @convention(block) () -> Void
    }

    /// The maximum number of waiting callbacks, and of callbacks in one block. A queue should not idle during a long
    /// step.
    private static let limit = 32

    private var callbacks: [Callback] = []

    mutating func append(_ block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        callbacks.append(Callback(queue: queue, block: block))
        if callbacks.count == Self.limit { send() }
    }

    /// Puts one block on a queue for each run of callbacks of that queue.
    mutating func send() {
        var start = 0
        while start < callbacks.count {
            let queue = callbacks[start].queue
            var end = start + 1
            while end < callbacks.count, callbacks[end].queue === queue { end += 1 }
            if end == start + 1 {
                queue.async(execute: callbacks[start].block)
            } else {
                let run = callbacks[start..<end]
                queue.async { for callback in run { callback.block() } }
            }
            start = end
        }
        callbacks.empty()
    }
}
