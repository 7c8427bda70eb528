import BLEAdapter
import BLEHostAdapter
import BLETransport
import BLEWire
import Dispatch
import Glibc
import Synchronization

/// The executor of a host with real hardware: a thread that waits for the transport, for calls and for the monotonic clock.
///
/// The thread works in steps: received octets, then submitted calls, then timeouts. At the end of a step, all packets leave in
/// one write and all callbacks in one block for each queue. A thread that calls `runAtOnce` runs a step itself while the
/// executor's thread waits, because waking another thread costs more than most calls. Other code, such as the end of the
/// opening of a transport, runs between the steps (`runBetweenSteps`).
///
/// `@unchecked Sendable`: state outside `mailbox` and the atomics is used only by the thread that has the turn, except `thread`, which never changes.
///
/// It is not generic over its owner: a generic class would look up the metadata of its types at run time, many times in each step.
final class RealTimeExecutor: AdapterExecutor, @unchecked Sendable {
    typealias Owner = HostDriver
    typealias Call = @Sendable (HostDriver) -> Void

    // A structure, because an array of functions wraps each of them in another one.
    private struct SubmittedCall {
        let run: Call
    }

    private struct Mailbox {
        var calls: [SubmittedCall] = []
        var isRetired = false
        /// Whether the executor works, or its thread will work before it waits again.
        var isAwake = true
        /// Whether the executor's thread works, or waits for the turn.
        var isThreadAwake = true
        /// The number of calls of `runBetweenSteps` that have not ended.
        var visits = 0
        /// The time at which the wait ends; nil if only `wake` ends it.
        var sleepsUntil: Instant?

        /// Whether another thread may run a step. The lock of the turn is not fair: a burst of such steps would keep it from all that wait for it.
        var isIdle: Bool { !isAwake && visits == 0 && calls.isEmpty }
    }

    /// What the thread that has the turn knows.
    private struct Work: ~Copyable {
        var deadline: Instant?
        /// The latest time at which the thread wakes. It stays when deadlines move to a later time, as those of transactions do.
        var alarm: Instant?
        /// The time of the step; nil between steps.
        var time: Instant?
        /// The calls taken from the mailbox. The array keeps its capacity.
        var calls: [SubmittedCall] = []
        /// The number of these calls that have not begun.
        var callsLeft = 0
        /// The number of calls that observers may still make at once in this turn. Without a limit, an observer whose operations end without
        /// traffic would keep the turn.
        var callsAtOnce = 0
        var callbacks = CallbackBatch()
        /// Whether the current wait includes room for the stream's queued octets.
        var awaitsWriting = false
    }

    /// For work that is not part of a step, such as the opening of a transport.
    let queue: DispatchQueue
    private let mailbox = Lock(Mailbox())
    /// Held during a step, and between steps by `runBetweenSteps`. A lock, because each step on a dispatch queue costs 900 instructions more.
    /// It is not fair: the executor's thread can take it several times before a thread in `runBetweenSteps`.
    private let turn = Lock(())
    /// Whether the mailbox has calls. Most steps find none, and look here instead of taking the lock.
    private let hasCalls = Atomic(false)
    /// The thread that has the turn; 0 if none has it.
    private let holder = Atomic<UInt>(0)
    @exclusivity(unchecked) private var thread: PollingThread?
    /// The thread holds the executor, and the executor its owner, until `retire`: a weak reference to one of them would make all
    /// references to it expensive.
    @exclusivity(unchecked) private(set) var owner: HostDriver?
    @exclusivity(unchecked) private var stream: PolledStream?
    @exclusivity(unchecked) private var work = Work()
    /// The thread that runs a step; 0 if there is none.
    private let stepping = Atomic<UInt>(0)
    private static let callLimit = 32

    init(label: String) throws(TransportError) {
        queue = DispatchQueue(label: label)
        thread = try PollingThread { [self] readiness in attend(readiness) }
    }

    func adopt(_ owner: ExecutorIsolated<HostDriver>) { runBetweenSteps { self.owner = owner.object } }

    func retire() {
        mailbox.withLock { $0.isRetired = true }
        wake()
    }

    /// The time of the monotonic clock. Within a step, the time of its beginning.
    var now: Instant { work.time ?? Self.clock }

    private static var clock: Instant {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Instant(nanoseconds: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
    }

    /// Reads and writes `stream` for the owner from now on. Used only with the turn.
    func serve(_ stream: PolledStream) {
        self.stream = stream
        // Also within a step of another thread: the executor's thread may be waiting without the stream.
        thread?.wake()
    }

    /// Drops the closed `stream`. Used only with the turn.
    func drop(_ stream: PolledStream) {
        guard self.stream === stream else { return }
        self.stream = nil
        // The current wait keeps the stream open for the peer.
        thread?.wake()
    }

    func submit(to owner: ExecutorIsolated<HostDriver>, _ call: @escaping Call) {
        let wasAwake = mailbox.withLock { mailbox in
            mailbox.calls.append(SubmittedCall(run: call))
            hasCalls.store(true, ordering: .relaxed)
            defer { mailbox.isAwake = true }
            return mailbox.isAwake
        }
        if !wasAwake { thread?.wake() }
    }

    func runAtOnce(_ call: (HostDriver) -> Void) -> Bool {
        guard !hasTurn else { return runWithinStep(call) }
        // Never waits for the turn: the thread that has it may wait for this one.
        let end = turn.withLockIfFree { _ -> (mustWake: Bool, run: CallbackBatch.Run?)? in
            guard let owner else { return nil }
            let mayStep = mailbox.withLock { mailbox in
                guard mailbox.isIdle else { return false }
                mailbox.isAwake = true
                return true
            }
            return mayStep ? haveTurn { (borrowedStep(of: owner, call), work.callbacks.takeOneRun()) } : nil
        }
        guard let (mustWake, run) = end ?? nil else { return false }
        if mustWake { thread?.wake() }
        run?.send()
        return true
    }

    /// Runs a call that an observer makes in a step, unless other calls precede it.
    private func runWithinStep(_ call: (HostDriver) -> Void) -> Bool {
        guard let owner, work.callsAtOnce > 0, work.callsLeft == 0, !hasCalls.load(ordering: .relaxed),
            owner.runWithinReport(call)
        else { return false }
        work.callsAtOnce -= 1
        return true
    }

    /// Runs code that uses the owner or its stream between two steps. Never called in a step, which may be in the middle of a change.
    func runBetweenSteps(_ body: () -> Void) {
        precondition(!hasTurn, "Code between steps runs within one.")
        mailbox.withLock { $0.visits += 1 }
        takeTurn(body)
        mailbox.withLock { $0.visits -= 1 }
    }

    /// Whether a thread other than one that runs a step for `runAtOnce` has the turn or waits for it.
    var isClaimed: Bool { mailbox.withLock { $0.isThreadAwake || $0.visits > 0 } }

    private var hasTurn: Bool { holder.load(ordering: .relaxed) == Self.thisThread }

    private func takeTurn<Result>(_ body: () -> Result) -> Result {
        turn.withLock { _ in haveTurn(body) }
    }

    private func haveTurn<Result>(_ body: () -> Result) -> Result {
        // No other thread stores this thread's number.
        holder.store(Self.thisThread, ordering: .relaxed)
        work.callsAtOnce = Self.callLimit
        defer { holder.store(0, ordering: .relaxed) }
        return body()
    }

    /// Runs a step on the calling thread while the executor's thread waits. Returns whether to wake the executor's
    /// thread: calls were submitted meanwhile, or its wait has a wrong deadline or wrong events.
    private func borrowedStep(of owner: HostDriver, _ call: (HostDriver) -> Void) -> Bool {
        _ = runStep {
            call(owner)
            owner.flush()
        }
        let isWaitWrong = stream.map { $0.awaitsWriting != work.awaitsWriting } ?? false
        return mailbox.withLock { mailbox in
            // It waits for the turn, and makes the next step.
            if mailbox.isThreadAwake { return false }
            let isTooLate = work.deadline.map { deadline in mailbox.sleepsUntil.map { deadline < $0 } ?? true } ?? false
            guard mailbox.calls.isEmpty, !mailbox.isRetired, !isTooLate, !isWaitWrong else { return true }
            mailbox.isAwake = false
            return false
        }
    }

    func schedule(_ owner: HostDriver, at deadline: Instant?) {
        work.deadline = deadline
        guard let deadline, work.time == nil else { return }
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
    private func attend(_ readiness: PollingThread.Readiness) -> PollingThread.WaitRequest? {
        mailbox.withLock { mailbox in
            mailbox.isAwake = true
            mailbox.isThreadAwake = true
        }
        let (request, run) = takeTurn { (step(readiness), work.callbacks.takeOneRun()) }
        run?.send()
        return request
    }

    /// Returns nil at the end.
    private func step(_ readiness: PollingThread.Readiness) -> PollingThread.WaitRequest? {
        // Before the adoption there is nothing to do but to wait.
        guard let owner else { return prepareToWait(since: now) }
        let now = runStep {
            stream?.serve(readiness)
            runSubmittedCalls(owner)
            if let deadline = work.deadline, deadline <= self.now {
                work.deadline = nil
                owner.handleTimeout()
            }
            owner.flush()
        }
        return prepareToWait(since: now)
    }

    /// Runs `body` as a step and sends its callbacks, except those of a single source, as most are: they leave after the turn
    /// (`CallbackBatch.takeOneRun`), so that the thread that runs them finds the turn free and the executor idle for its next call. A source
    /// has its callbacks in order, and their blocks are all alike. Returns the time of the step.
    private func runStep(_ body: () -> Void) -> Instant {
        let now = Self.clock
        work.time = now
        stepping.store(Self.thisThread, ordering: .relaxed)
        body()
        if !work.callbacks.isOneRun { sendCallbacks() }
        stepping.store(0, ordering: .relaxed)
        work.time = nil
        return now
    }

    private func runSubmittedCalls(_ owner: HostDriver) {
        // A call that this misses is found before the wait (`prepareToWait`).
        guard hasCalls.load(ordering: .relaxed) else { return }
        mailbox.withLock { mailbox in
            swap(&mailbox.calls, &work.calls)
            hasCalls.store(false, ordering: .relaxed)
        }
        work.callsLeft = work.calls.count
        for index in work.calls.indices {
            work.callsLeft -= 1
            work.calls[index].run(owner)
            owner.deliverEvents()
        }
        // The release of a call can end an object of the program, which can submit another call, but only to the mailbox.
        work.calls.empty()
    }

    /// What the thread does after a step.
    private enum Next {
        case step
        case wait
        case end
    }

    private func prepareToWait(since now: Instant) -> PollingThread.WaitRequest? {
        let until =
            if let alarm = work.alarm, alarm > now { min(alarm, work.deadline ?? alarm) } else { work.deadline }
        work.alarm = until
        let next = mailbox.withLock { mailbox in
            guard mailbox.calls.isEmpty else { return Next.step }
            if mailbox.isRetired { return .end }
            mailbox.isAwake = false
            mailbox.isThreadAwake = false
            mailbox.sleepsUntil = until
            return .wait
        }
        switch next {
        case .step:
            // The stream has its turn also while there are always calls.
            return PollingThread.WaitRequest(stream: stream, deadline: now, waits: false)
        case .wait:
            let request = PollingThread.WaitRequest(stream: stream, deadline: until)
            work.awaitsWriting = request.awaitsWriting
            return request
        case .end:
            stream = nil
            owner = nil
            return nil
        }
    }

    private static var thisThread: UInt { UInt(pthread_self()) }

    // MARK: Callbacks

    func scheduleCallback(_ block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        // No other thread stores this thread's number.
        guard stepping.load(ordering: .relaxed) == Self.thisThread else { return queue.async(execute: block) }
        work.callbacks.append(block, on: queue)
        if work.callbacks.isFull { sendCallbacks() }
    }

    func scheduleCallbacks(_ count: Int, of source: any CallbackSource, on queue: DispatchQueue) {
        guard stepping.load(ordering: .relaxed) == Self.thisThread else {
            for _ in 0..<count { queue.async(execute: source.runNext) }
            return
        }
        work.callbacks.append(count, of: source, on: queue)
        if work.callbacks.isFull { sendCallbacks() }
    }

    /// Sends the callbacks of this step. The release of a callback can end an object of the program, whose end can schedule another callback: the
    /// batch is out of its property meanwhile.
    private func sendCallbacks() {
        while !work.callbacks.isEmpty {
            var batch = CallbackBatch()
            swap(&batch, &work.callbacks)
            batch.send()
            if work.callbacks.isEmpty { swap(&batch, &work.callbacks) }
        }
    }

    func startCallback(_ start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) {
        // Sends the callbacks that wait for the end of the step first.
        if stepping.load(ordering: .relaxed) == Self.thisThread { sendCallbacks() }
        start(nil)
    }
}
