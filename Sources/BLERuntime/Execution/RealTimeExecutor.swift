import BLEAdapter
import BLETransport
import BLEWire
import Dispatch
import Glibc
import Synchronization

/// The executor of a host with real hardware: a serial queue, and a thread that waits for the transport, for calls and for the
/// monotonic clock.
///
/// The thread works in steps, on the queue: what the transport brought, the calls that came in, timeouts; then everything
/// goes out at once, packets in one write and callbacks in one block for each queue. What else is on the queue, such as the
/// opening of a transport, runs between the steps. A thread whose call cannot wait may make a step of its own while the executor's
/// waits: to wake another thread costs more than most calls.
///
/// `@unchecked Sendable`: what is in neither `mailbox` nor an atomic is touched on `queue` alone.
final class RealTimeExecutor: AdapterExecutor, @unchecked Sendable {
    typealias Call = @Sendable (HostDriver) -> Void

    private struct Waiting {
        let core: Confined<HostDriver>
        let call: Call
    }

    private struct Mailbox {
        var calls: [Waiting] = []
        /// Whether the thread works, or will before it waits again.
        var isAwake = true
        /// Until when it waits; nil: until it is woken.
        var sleepsUntil: Instant?
    }

    private struct Callback {
        let queue: DispatchQueue
        let block: @Sendable @convention(block) () -> Void
    }

    /// Callbacks that one block takes at most, and that wait at most: a queue should not lie idle during a long step.
    private static let batch = 32

    let queue: DispatchQueue
    private let mailbox = Mutex(Mailbox())
    private var thread: PollingThread?
    private weak var core: HostDriver?
    private var stream: PolledStream?
    private var deadline: Instant?
    /// When the thread is due to wake, at the latest; it stays when deadlines move away, as those of transactions do.
    private var alarm: Instant?
    /// The thread that carries out a step; 0: none.
    private let stepping = Atomic<UInt>(0)
    private var stepTime: Instant?
    /// Taken from the mailbox; kept for its capacity.
    private var calls: [Waiting] = []
    private var callbacks: [Callback] = []
    private let mark = DispatchSpecificKey<Bool>()
    /// Whether the wait under way includes the room for what the stream has queued.
    private var awaitsWriting = false

    init(label: String) throws(TransportError) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: mark, value: true)
        thread = try PollingThread { [weak self] readiness in self?.attend(readiness) }
    }

    deinit { thread?.wake() }

    /// Nanoseconds of the monotonic clock; within a step, of its beginning.
    var now: Instant { stepTime ?? Self.clock }

    private static var clock: Instant { Instant(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

    /// Reads and writes `stream` for `core` from now on. On the queue.
    func serve(_ stream: PolledStream, for core: HostDriver) {
        self.core = core
        self.stream = stream
        // Also in a step of another thread: this one may wait without the stream.
        thread?.wake()
    }

    /// Forgets `stream`, which is closed. On the queue.
    func drop(_ stream: PolledStream) {
        guard self.stream === stream else { return }
        self.stream = nil
        // The wait under way keeps it open for the other side.
        thread?.wake()
    }

    func submit(to core: Confined<HostDriver>, _ call: @escaping Call) {
        let wasAwake = mailbox.withLock { mailbox in
            mailbox.calls.append(Waiting(core: core, call: call))
            defer { mailbox.isAwake = true }
            return mailbox.isAwake
        }
        if !wasAwake { thread?.wake() }
    }

    func carryOut(on core: Confined<HostDriver>, _ call: @escaping Call) {
        // The queue's own blocks are between two steps, and cannot wait for one.
        guard DispatchQueue.getSpecific(key: mark) == nil else { return submit(to: core, call) }
        let mayStep = mailbox.withLock { mailbox in
            mailbox.calls.append(Waiting(core: core, call: call))
            guard !mailbox.isAwake else { return false }
            mailbox.isAwake = true
            return true
        }
        guard mayStep else { return }
        let mustWake = queue.sync { borrowedStep() }
        if mustWake { thread?.wake() }
    }

    /// A step on another thread than the executor's, which waits. True if that has to be woken: for calls that came in
    /// meanwhile, or because it waits for the wrong things now.
    private func borrowedStep() -> Bool {
        _ = work { carryOutCalls() }
        let isWaitWrong = stream.map { $0.awaitsWriting != awaitsWriting } ?? false
        return mailbox.withLock { mailbox in
            let isTooLate = deadline.map { deadline in mailbox.sleepsUntil.map { deadline < $0 } ?? true } ?? false
            guard mailbox.calls.isEmpty, !isTooLate, !isWaitWrong else { return true }
            mailbox.isAwake = false
            return false
        }
    }

    func schedule(_ core: HostDriver, at deadline: Instant?) {
        self.core = core
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

    /// On the thread, between two waits.
    private func attend(_ readiness: PollingThread.Readiness) -> PollingThread.WaitRequest {
        mailbox.withLock { $0.isAwake = true }
        var readiness = readiness
        while true {
            let request = queue.sync { step(readiness) }
            readiness = PollingThread.Readiness()
            if let request { return request }
        }
    }

    /// Nil: there is more to do at once.
    private func step(_ readiness: PollingThread.Readiness) -> PollingThread.WaitRequest? {
        // What the stream brings is for the core, which must not go meanwhile.
        let core = core
        let now = work {
            if core != nil { stream?.serve(readiness) }
            carryOutCalls()
            if let core, let deadline, deadline <= self.now {
                self.deadline = nil
                core.handleTimeout()
                core.flush()
            }
        }
        return prepareToWait(since: now)
    }

    /// The frame of a step. Returns its time.
    private func work(_ body: () -> Void) -> Instant {
        let now = Self.clock
        stepTime = now
        stepping.store(Self.thisThread, ordering: .relaxed)
        body()
        sendCallbacks()
        stepping.store(0, ordering: .relaxed)
        stepTime = nil
        return now
    }

    private func carryOutCalls() {
        mailbox.withLock { swap(&$0.calls, &calls) }
        guard !calls.isEmpty else { return }
        for waiting in calls {
            waiting.call(waiting.core.object)
            waiting.core.object.settle()
        }
        // All of them are of one core.
        calls[0].core.object.flush()
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

    func deliver(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        deliver(block: body, on: queue)
    }

    func deliver(block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        // Only this thread can have put its own number there.
        guard stepping.load(ordering: .relaxed) == Self.thisThread else { return queue.async(execute: block) }
        callbacks.append(Callback(queue: queue, block: block))
        if callbacks.count == Self.batch { sendCallbacks() }
    }

    func deliver(handing start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) {
        // Not before those that wait for the end of the step.
        if stepping.load(ordering: .relaxed) == Self.thisThread { sendCallbacks() }
        start(nil)
    }

    /// One block for each run of callbacks of one queue.
    private func sendCallbacks() {
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
