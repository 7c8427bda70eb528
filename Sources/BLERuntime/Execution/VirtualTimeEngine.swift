import BLEAdapter
import BLEWire
import DequeModule
import Dispatch
import Synchronization

/// Steps a scene through virtual time on one serial queue.
///
/// One step: carry out the calls that were submitted; settle; give the program its callbacks, one at a time, and let no
/// time pass and carry no call out before each has returned; then jump to the next deadline. So whatever queues the
/// callbacks run on, calls and callbacks have one order, and a run is a function of its seed.
///
/// The engine moves only while someone runs it (`run`) or while it runs free (`start`); in between the scene is frozen
/// and submitted calls wait.
///
/// `@unchecked Sendable`: everything that is not in `mailbox` is touched on `queue` alone.
package final class VirtualTimeEngine: @unchecked Sendable {
    /// How virtual time follows real time.
    package enum Pace: Sendable {
        /// From deadline to deadline without waiting.
        case unlimited
        /// So many virtual seconds in a real one.
        case multiple(Double)
    }

    enum Callback {
        case on(DispatchQueue, body: @Sendable () -> Void)
        /// Calls its argument when it has ended.
        case handing(@Sendable (_ done: (@Sendable () -> Void)?) -> Void)
    }

    struct Mailbox {
        var calls: [@Sendable () -> Void] = []
        var callbacks = Deque<Callback>()
        /// Whether a pump has been put on the queue and has not yet begun.
        var isWoken = false
        var isClosed = false
        var now = Instant.zero
    }

    package let queue: DispatchQueue
    let mailbox = Mutex(Mailbox())
    let pace: Pace
    private let freezesDuringCallbacks: Bool

    /// The virtual time, on the engine's queue; `currentTime` has it for everybody.
    package private(set) var now = Instant.zero {
        didSet { mailbox.withLock { $0.now = now } }
    }
    var scene: (any VirtualScene)?
    var goals: [Goal] = []
    var isRunningFree = false
    private let goalNumbers = Atomic<UInt64>(0)
    private var callbackIsOut = false
    /// The run whose condition is being evaluated elsewhere.
    private var askingGoal: UInt64?
    /// Whether a pump that gave way to others is on the queue.
    private var isGivingWay = false
    private var clock = PaceClock()
    private var timer: (any DispatchSourceTimer)?
    private let watchdog = CallbackWatchdog()

    /// - Parameter freezesDuringCallbacks: false lets the program's callbacks run beside the scene, as beside hardware.
    package init(pace: Pace, freezesDuringCallbacks: Bool = true, label: String = "virtual-time") {
        self.pace = pace
        self.freezesDuringCallbacks = freezesDuringCallbacks
        queue = DispatchQueue(label: label)
    }

    deinit { timer?.cancel() }

    /// Gives the engine what it moves. Once, before anything else.
    func install(_ scene: Confined<some VirtualScene>) { self.scene = scene.object }

    /// Lets go of the scene and ends all runs. Nothing happens here any more.
    package func close() {
        let left = mailbox.withLock { mailbox in
            mailbox.isClosed = true
            defer {
                mailbox.calls = []
                mailbox.callbacks = []
            }
            return (mailbox.calls, mailbox.callbacks)
        }
        // Whatever these hold is let go of outside the lock.
        _ = left
        submitControl { engine in
            engine.scene = nil
            engine.isRunningFree = false
            let goals = engine.goals
            engine.goals.removeAll()
            if let asking = engine.askingGoal { engine.stopAsking(asking) }
            for goal in goals { goal.finish(false) }
        }
    }

    /// The virtual time, from any thread.
    package var currentTime: Instant { mailbox.withLock { $0.now } }

    /// Carries `call` out before time moves on. From any thread.
    package func submit(_ call: @escaping @Sendable () -> Void) {
        let isTaken = mailbox.withLock { mailbox in
            if !mailbox.isClosed { mailbox.calls.append(call) }
            return !mailbox.isClosed
        }
        if isTaken { wake() }
    }

    /// Runs `body` on `queue`; the scene stands still until it has returned.
    package func deliver(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        guard freezesDuringCallbacks else { return queue.async(execute: body) }
        post(.on(queue, body: body))
    }

    /// Calls `start` in its turn; the scene stands still until the `done` that it gets was called.
    package func deliver(handing start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) {
        guard freezesDuringCallbacks else { return start(nil) }
        post(.handing(start))
    }

    private func post(_ callback: Callback) {
        let isTaken = mailbox.withLock { mailbox in
            if !mailbox.isClosed { mailbox.callbacks.append(callback) }
            return !mailbox.isClosed
        }
        if isTaken { wake() }
    }

    /// Runs free, until `stop`.
    package func start() {
        submitControl { $0.isRunningFree = true }
    }

    package func stop() {
        submitControl { $0.isRunningFree = false }
    }

    /// Runs until `length` has passed, or until `condition` holds, which is asked whenever the scene stands still.
    /// `finish` gets whether it held (true for a run without a condition), on the engine's queue.
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

    /// Ends a run before its time.
    package func abandon(_ goal: UInt64) {
        submitControl { engine in
            guard let index = engine.goals.firstIndex(where: { $0.number == goal }) else { return }
            engine.goals.remove(at: index).finish(false)
            engine.stopAsking(goal)
        }
    }

    private func addGoal(
        _ condition: Condition?, _ finish: @escaping @Sendable (Bool) -> Void,
        deadline: @escaping @Sendable (Instant) -> Instant?
    ) -> UInt64 {
        let number = goalNumbers.add(1, ordering: .relaxed).newValue
        submitControl { engine in
            engine.goals.append(
                Goal(number: number, deadline: deadline(engine.now), condition: condition, finish: finish))
        }
        return number
    }

    /// Changes what the engine is to do; works while it stands still, too.
    private func submitControl(_ change: @escaping @Sendable (VirtualTimeEngine) -> Void) {
        queue.async { [self] in
            change(self)
            pump()
        }
    }

    private func wake() {
        let isNeeded = mailbox.withLock { mailbox in
            defer { mailbox.isWoken = true }
            return !mailbox.isWoken
        }
        guard isNeeded else { return }
        queue.async { [self] in
            mailbox.withLock { $0.isWoken = false }
            pump()
        }
    }
}

extension VirtualTimeEngine {
    private var isActive: Bool { isRunningFree || !goals.isEmpty }

    /// How long the queue may be occupied in one go, real nanoseconds: a scene that always has something to do, or that
    /// is slower than its pace, must not keep sockets from being read and runs from being begun and ended.
    private static let turn: UInt64 = 2_000_000
    /// The same with someone outside who waits for answers. Long enough for many packets to leave in one write.
    private static let shortTurn: UInt64 = 100_000
    /// A scene that is later than this takes the long turn all the same: those outside who send as fast as they can must not
    /// slow its time down.
    private static let lateness = TimeSpan.milliseconds(10)

    /// Steps until there is nothing to do, something to wait for, or others to give way to.
    private func pump() {
        guard !callbackIsOut, askingGoal == nil, isActive else {
            if !isActive { clock.stop() }
            return
        }
        var isLate = false
        if case .multiple(let factor) = pace {
            clock.start(at: now, factor: factor)
            catchUp()
            isLate = clock.now > now + Self.lateness
        }
        let isShort = !isLate && scene?.hasOutsiders == true
        let turnEnds = DispatchTime.now().uptimeNanoseconds &+ (isShort ? Self.shortTurn : Self.turn)
        var isBusy = false
        var steps = 0
        defer { scene?.exchangeWithOutsiders(isLooking: isBusy) }
        while true {
            let hasMail = mailbox.withLock { !$0.calls.isEmpty || !$0.callbacks.isEmpty }
            if hasMail {
                carryOutCalls()
                if sendCallback() { return forgetAnswers() }
            }
            if askElsewhere() { return }
            finishGoals()
            guard isActive else { return clock.stop() }
            guard let target = nextTarget else {
                // Nothing is scheduled: the next call wakes us.
                return
            }
            if case .multiple = pace, target > clock.now {
                return wait(for: target)
            }
            advance(to: target)
            // Asking for the time costs as much as a step.
            steps &+= 1
            if steps & 7 == 0, DispatchTime.now().uptimeNanoseconds >= turnEnds {
                isBusy = true
                return giveWay()
            }
        }
    }

    /// Goes on behind what waits on the queue.
    private func giveWay() {
        guard !isGivingWay else { return }
        isGivingWay = true
        queue.async { [self] in
            isGivingWay = false
            pump()
        }
    }

    private var nextTarget: Instant? {
        var target = scene?.nextDeadline
        for goal in goals {
            guard let deadline = goal.deadline else { continue }
            target = target.map { min($0, deadline) } ?? deadline
        }
        return target
    }

    /// With a pace, moves the time to where it should be now, before calls are carried out that came in meanwhile.
    private func catchUp() {
        let due = min(clock.now, nextTarget ?? clock.now)
        if due > now { advance(to: due) }
    }

    private func advance(to target: Instant) {
        if target > now { now = target }
        scene?.advance(to: now)
        scene?.settle()
        forgetAnswers()
    }

    private func carryOutCalls() {
        while true {
            let calls = mailbox.withLock { mailbox in
                let calls = mailbox.calls
                mailbox.calls.removeAll(keepingCapacity: true)
                return calls
            }
            guard !calls.isEmpty else { return }
            for call in calls { call() }
            scene?.settle()
            // A call may have made a condition true, and perhaps no deadline follows at which it would be asked again.
            forgetAnswers()
        }
    }

    /// Sends the oldest callback on its way; true if there was one.
    private func sendCallback() -> Bool {
        let callback = mailbox.withLock { $0.callbacks.popFirst() }
        guard let callback else { return false }
        callbackIsOut = true
        clock.hold()
        watchdog.callbackIsOut(on: self.queue)
        switch callback {
        case .on(let queue, let body):
            queue.async { [self] in
                CallbackScope.run(body)
                callbackReturned()
            }
        case .handing(let start): start { [self] in callbackReturned() }
        }
        return true
    }

    private func callbackReturned() {
        queue.async { [self] in
            callbackIsOut = false
            clock.release()
            watchdog.callbackReturned()
            pump()
        }
    }

    private func finishGoals() {
        guard !goals.isEmpty else { return }
        var finished: [(goal: Goal, isMet: Bool)] = []
        goals.removeAll { goal in
            if goal.isMet {
                finished.append((goal, true))
            } else if let deadline = goal.deadline, deadline <= now {
                finished.append((goal, goal.condition == nil))
            } else {
                return false
            }
            return true
        }
        for (goal, isMet) in finished { goal.finish(isMet) }
    }

    /// Puts the question of the first goal that has no answer yet; true if there is one. The scene stands still until the answer.
    private func askElsewhere() -> Bool {
        for goal in goals where goal.answer == nil {
            guard case .elsewhere(let ask) = goal.condition else { continue }
            let number = goal.number
            askingGoal = number
            clock.hold()
            ask { [self] answer in
                submitControl { engine in
                    guard engine.askingGoal == number else { return }
                    if let index = engine.goals.firstIndex(where: { $0.number == number }) {
                        engine.goals[index].answer = answer
                    }
                    engine.stopAsking(number)
                }
            }
            return true
        }
        return false
    }

    /// Lets the scene go on if it stands still for this goal's answer.
    private func stopAsking(_ goal: UInt64) {
        guard askingGoal == goal else { return }
        askingGoal = nil
        clock.release()
    }

    private func forgetAnswers() {
        for index in goals.indices where goals[index].answer != nil { goals[index].answer = nil }
    }

    private func wait(for target: Instant) {
        let timer = self.timer ?? makeTimer()
        self.timer = timer
        timer.schedule(deadline: clock.dispatchTime(of: target), leeway: .microseconds(20))
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.pump() }
        timer.resume()
        return timer
    }
}
