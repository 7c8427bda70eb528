import BLEAdapter
import BLETransport
import BLEWire
import Dispatch
import Synchronization

/// Steps a model through virtual time on one serial queue.
///
/// One step runs the submitted calls, exchanges packets, and starts the program's callbacks one at a time. Until a
/// callback has returned, no time passes and no call runs. Then time advances to the next deadline. Calls and callbacks
/// therefore have one order, whatever queues the callbacks run on, and a run is a function of its seed.
///
/// Time passes only during `run`, and between `start` and `stop`. Otherwise the model is frozen and calls wait.
///
/// `@unchecked Sendable`: state outside `mailbox` is used only on `queue`.
package final class VirtualTimeEngine: @unchecked Sendable {
    /// The relation of virtual time to real time.
    package enum Pace: Sendable {
        /// From deadline to deadline without waiting.
        case unlimited
        /// This many virtual seconds in a real second.
        case multiple(Double)
    }

    typealias Callback = EngineMailbox.Callback

    package let queue: DispatchQueue
    private let queueMark = DispatchSpecificKey<Bool>()
    let mailbox = EngineMailbox()
    private let publishedTime = Atomic<Int64>(0)
    let pace: Pace
    private let freezesDuringCallbacks: Bool

    /// The virtual time, on the engine's queue. Other threads read `currentTime`.
    package private(set) var now = Instant.zero {
        didSet { publishedTime.store(now.nanoseconds, ordering: .releasing) }
    }
    var model: (any VirtualTimeModel)?
    var goals = GoalList()
    var timers = DeadlineList<(number: UInt64, callback: Callback)>()
    /// The number of goals and timers so far.
    private let numbers = Atomic<UInt64>(0)
    var isRunningFree = false
    private var isCallbackRunning = false
    /// The number of callbacks that have begun. For code on the engine's queue.
    package private(set) var callbackCount = 0
    /// Whether a pump that left the queue to other blocks is on the queue again.
    private var isPumpQueued = false
    var clock = PaceClock()
    /// The clock while the engine waits for the end of a quiet time of the model; otherwise nil.
    let quietClock = Lock<PaceClock?>(nil)
    /// Waits for real time; nil without a pace.
    private(set) var alarm: EngineTimer?
    private let watchdog = CallbackWatchdog()

    /// - Parameter freezesDuringCallbacks: False lets time pass during the program's callbacks, as with hardware.
    package init(pace: Pace, freezesDuringCallbacks: Bool = true, label: String = "virtual-time") {
        self.pace = pace
        self.freezesDuringCallbacks = freezesDuringCallbacks
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: queueMark, value: true)
        guard case .multiple = pace else { return }
        let alarm = EngineTimer(queue: queue) { [weak self] serveStreams in
            self?.attend(serveStreams)
            return self != nil
        }
        self.alarm = alarm
        alarm.start()
    }

    /// Serves the streams of external hosts on the engine's queue; nil without a pace. Dispatch sources serve them then.
    package var streamGroup: PollingGroup? { alarm?.group }
    /// The number of waits of an engine with a pace. For code on the engine's queue.
    package var waitCount: Int { alarm?.waitCount ?? 0 }

    /// Sets the model. Called once, before any other call.
    func install(_ model: ExecutorIsolated<some VirtualTimeModel>) { self.model = model.object }

    /// Whether a run that begins on this thread could never end. The thread is inside a callback or a condition that
    /// holds this clock, or on the engine's queue.
    package var isHeldByCaller: Bool {
        CallbackScope.isInside(of: self) || DispatchQueue.getSpecific(key: queueMark) == true
    }

    /// Evaluates a condition while this clock stands still.
    package func evaluate(_ condition: () -> Bool) -> Bool { CallbackScope.run(holding: self, condition) }

    /// Releases the model and ends all runs. The engine then does nothing more.
    package func close() {
        mailbox.close()
        submitControl { engine in
            engine.model = nil
            engine.isRunningFree = false
            let goals = engine.goals.removeAll()
            engine.timers = DeadlineList()
            if let asking = engine.goals.asking { engine.stopAsking(asking) }
            for goal in goals { goal.finish(false) }
        }
    }

    /// The virtual time, from any thread.
    package var currentTime: Instant {
        let published = Instant(nanoseconds: publishedTime.load(ordering: .acquiring))
        guard case .multiple = pace, let clock = quietClock.withLock(\.self) else { return published }
        return max(published, clock.now)
    }

    /// Runs `call` before time passes. May be called on any thread.
    package func submit(_ call: @escaping @Sendable () -> Void) {
        if mailbox.add(call) { wake() }
    }

    /// Runs `block` on `queue`. The model stands still until it has returned.
    package func scheduleCallback(_ block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        perform(.on(queue, block))
    }

    /// Calls `start` in order among the callbacks. The model stands still until the `done` argument is called.
    package func startCallback(_ start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) {
        perform(.started(start))
    }

    /// Schedules a callback. The model stands still until it has returned. Deadlines that have passed are due at once.
    ///
    /// - Returns: A number for ``cancelTimer(_:)``.
    @discardableResult
    package func schedule(
        at deadline: Instant, on queue: DispatchQueue, _ block: @escaping @Sendable @convention(block) () -> Void
    ) -> UInt64 { addTimer(at: deadline, .on(queue, block)) }

    /// Schedules a call of `start` in order among the callbacks. See ``startCallback(_:)``.
    ///
    /// - Returns: A number for ``cancelTimer(_:)``.
    package func schedule(
        at deadline: Instant, start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void
    ) -> UInt64 { addTimer(at: deadline, .started(start)) }

    /// Removes a scheduled callback that is not due yet.
    package func cancelTimer(_ number: UInt64) {
        submit { [self] in timers.removeAll { $0.number == number } }
    }

    private func addTimer(at deadline: Instant, _ callback: Callback) -> UInt64 {
        let number = numbers.add(1, ordering: .relaxed).newValue
        submit { [self] in
            if deadline <= now { return perform(callback) }
            timers.add((number, callback), at: deadline)
        }
        return number
    }

    private func perform(_ callback: Callback) {
        if freezesDuringCallbacks {
            if mailbox.add(callback) { wake() }
        } else {
            switch callback {
            case .on(let queue, let block): queue.async(execute: block)
            case .started(let start): start(nil)
            }
        }
    }

    /// Lets time pass until `stop`.
    package func start() {
        submitControl { $0.isRunningFree = true }
    }

    package func stop() {
        submitControl { $0.isRunningFree = false }
    }

    /// Runs until `length` has passed, or until `condition` holds. The engine evaluates the condition whenever the
    /// model stands still. Calls `finish` on its queue with true if the condition held, or if there is none.
    @discardableResult
    package func run(
        for length: TimeSpan?, until condition: Condition?, finish: @escaping @Sendable (Bool) -> Void
    ) -> UInt64 {
        addGoal(condition, finish) { now in length.map { now + $0 } }
    }

    /// Runs up to and including `deadline`.
    @discardableResult
    package func run(until deadline: Instant, finish: @escaping @Sendable (Bool) -> Void) -> UInt64 {
        addGoal(nil, finish) { now in max(now, deadline) }
    }

    /// Ends a run early.
    package func abandon(_ goal: UInt64) {
        submitControl { engine in
            guard let removed = engine.goals.remove(goal) else { return }
            removed.finish(false)
            engine.stopAsking(goal)
        }
    }

    private func addGoal(
        _ condition: Condition?, _ finish: @escaping @Sendable (Bool) -> Void,
        deadline: @escaping @Sendable (Instant) -> Instant?
    ) -> UInt64 {
        let number = numbers.add(1, ordering: .relaxed).newValue
        submitControl { engine in
            engine.goals.add(
                Goal(number: number, deadline: deadline(engine.now), condition: condition, finish: finish))
        }
        return number
    }

    /// Changes the goals of the engine. Also has an effect while the model is frozen.
    func submitControl(_ change: @escaping @Sendable (VirtualTimeEngine) -> Void) {
        queue.async { [self] in
            if isActive, !isCallbackRunning, goals.asking == nil, case .multiple = pace { catchUp() }
            change(self)
            pump()
        }
    }

    private func wake() {
        queue.async { [self] in
            mailbox.setWoken(false)
            pump()
        }
    }
}

extension VirtualTimeEngine {
    private var isActive: Bool { isRunningFree || !goals.isEmpty }

    /// The longest time for which the engine occupies its queue, in real nanoseconds. A model that is slower than its
    /// pace or always has a due event must not block other work: sockets, and the beginnings and ends of runs.
    private static let turn: UInt64 = 2_000_000
    /// The same time while an external host may wait for answers. It suffices for many packets in one write.
    private static let shortTurn: UInt64 = 100_000
    /// The lateness above which a model uses the long turn even with external hosts: hosts that send at full speed must
    /// not slow its time down.
    private static let lateness = TimeSpan.milliseconds(10)

    /// Steps until no event is due, the engine has to wait for a callback or a deadline, or the turn is over.
    func pump() {
        guard !isCallbackRunning, goals.asking == nil, isActive else {
            if !isActive { clock.stop() }
            return
        }
        var isLate = false
        if case .multiple(let factor) = pace {
            clock.start(at: now, factor: factor)
            catchUp()
            isLate = clock.now > now + Self.lateness
        }
        let isShort = !isLate && model?.hasExternalHosts == true
        let turnEnds = DispatchTime.now().uptimeNanoseconds &+ (isShort ? Self.shortTurn : Self.turn)
        var isBusy = false
        var steps = 0
        defer { model?.exchangeWithExternalHosts(isPolling: isBusy) }
        while true {
            if !mailbox.isEmpty {
                runSubmittedCalls()
                if startNextCallback() { return goals.forgetAnswers() }
            }
            if evaluateElsewhere() { return }
            finishGoals()
            guard isActive else { return clock.stop() }
            guard let target = nextTarget else {
                // The next call wakes the engine.
                return
            }
            if case .multiple = pace, target > clock.now {
                alarm?.set(wakeTime())
                return
            }
            advance(to: target)
            // Reads the clock rarely, because a read costs as much as a step.
            steps &+= 1
            if steps & 7 == 0, DispatchTime.now().uptimeNanoseconds >= turnEnds {
                isBusy = true
                return yieldQueue()
            }
        }
    }

    /// Continues after the blocks that wait on the queue.
    private func yieldQueue() {
        guard !isPumpQueued, alarm?.repeatStep() != true else { return }
        isPumpQueued = true
        queue.async { [self] in
            isPumpQueued = false
            pump()
        }
    }

    /// The time of the next event of the model or of a timer. For code on the engine's queue.
    package var nextDeadline: Instant? {
        let next = model?.nextDeadline
        guard let timer = timers.first else { return next }
        return next.map { min($0, timer) } ?? timer
    }

    /// Whether nothing is due at the present time. For code on the engine's queue.
    package var isSettled: Bool { nextDeadline.map { $0 > now } ?? true }

    private var nextTarget: Instant? {
        let next = nextDeadline
        guard let end = goals.first else { return next }
        return next.map { min($0, end) } ?? end
    }

    /// The number of due events that a pump handles before calls. A model that is slower than its pace must not keep them waiting.
    private static let catchUpLimit = 64
    /// The same number after a quiet time of the model, whose events were left for later.
    private static let quietCatchUpLimit = 4096

    /// With a pace, advances to the present time before the engine runs newly submitted calls, or to the first callback.
    private func catchUp() {
        let wasQuiet = quietClock.withLock { $0.take() != nil }
        let limit = wasQuiet ? Self.quietCatchUpLimit : Self.catchUpLimit
        for _ in 0..<limit {
            let present = clock.now
            guard let target = nextTarget, target < present else {
                if present > now { advance(to: present) }
                return
            }
            advance(to: target)
            // The conditions and the ends of runs, and callbacks, come between two events.
            if !goals.isEmpty || mailbox.hasCallback { return }
        }
    }

    private func advance(to target: Instant) {
        if target > now { now = target }
        model?.advance(to: now)
        model?.exchangePackets()
        for timer in timers.take(through: now) { perform(timer.callback) }
        goals.forgetAnswers()
    }

    private func runSubmittedCalls() {
        while true {
            let calls = mailbox.takeCalls()
            guard !calls.isEmpty else { return }
            for call in calls { call() }
            model?.exchangePackets()
            // A call may have made a condition true, and there may be no later deadline at which the engine would
            // evaluate it again.
            goals.forgetAnswers()
        }
    }

    /// Starts the oldest callback. Returns false if none waits.
    private func startNextCallback() -> Bool {
        guard let callback = mailbox.takeCallback() else { return false }
        isCallbackRunning = true
        callbackCount &+= 1
        clock.hold()
        watchdog.callbackStarted(on: self.queue)
        switch callback {
        case .on(let queue, let block):
            queue.async { [self] in
                CallbackScope.run(holding: self) { block() }
                callbackReturned()
            }
        case .started(let start): start { [self] in callbackReturned() }
        }
        return true
    }

    private func callbackReturned() {
        queue.async { [self] in
            isCallbackRunning = false
            clock.release()
            watchdog.callbackReturned()
            pump()
        }
    }
}
