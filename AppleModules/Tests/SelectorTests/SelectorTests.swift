import Foundation
import SelectorNames
import Testing

/// An object with methods for timers, notifications and calls after a delay.
private class Target: NSObject {
    var calls: [String] = []
    var onEnd: (() -> Void)?

    nonisolated(unsafe) static var kept: Timer?
    nonisolated(unsafe) static var found: [Int]?

    static func keep(_ timer: Timer) {
        kept = timer
        found = timer.userInfo as? [Int]
    }

    func tick() { calls.append("tick") }
    func note(with timer: Timer) -> Int {
        calls.append("tick \(timer.userInfo as? String ?? "nil")")
        return calls.count
    }
    func hear(_ notification: Notification) { calls.append("hear \(notification.name.rawValue)") }
    func hearClass(_ notification: NSNotification) { calls.append("class \(notification.name.rawValue)") }
    func take(_ value: Any?) { calls.append("take \(value as? String ?? "nil")") }
    func stop(_ timer: Timer) {
        timer.invalidate()
        calls.append("stop")
    }

    deinit {
        NotificationCenter.default.removeObserver(self)
        onEnd?()
    }
}

/// Runs the current run loop until a condition holds.
private func runLoop(until isDone: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: 30)
    while !isDone() {
        guard Date() < end else { return false }
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }
    return true
}

/// Timers with a target.
struct TargetTimerTests {
    @Test func aTimerCallsTheMethodWithItself() {
        let target = Target()
        let timer = Timer.makeTimer(
            timeInterval: 60, target: target, selector: Target.note(with:), userInfo: "note", repeats: true)
        timer.fire()
        timer.fire()
        #expect(target.calls == ["tick note", "tick note"])
        #expect(timer.isValid && timer.userInfo as? String == "note")
        timer.invalidate()
        #expect(timer.userInfo == nil)
    }

    @Test func aTimerRetainsItsTargetUntilItIsInvalid() {
        var isOver = false
        var timer: Timer?
        do {
            let target = Target()
            target.onEnd = { isOver = true }
            timer = Timer.makeTimer(
                fireAt: .distantFuture, interval: 1, target: target, selector: Target.tick, userInfo: nil, repeats: true
            )
        }
        #expect(!isOver)
        timer?.invalidate()
        #expect(isOver)
    }

    @Test func aScheduledTimerThatDoesNotRepeatReleasesItsTarget() {
        var isOver = false
        var timer: Timer?
        weak var weakTarget: Target?
        do {
            let target = Target()
            weakTarget = target
            target.onEnd = { isOver = true }
            timer = Timer.scheduledTimer(
                timeInterval: 0.001, target: target, selector: Target.tick, userInfo: nil, repeats: false)
        }
        #expect(weakTarget != nil)
        #expect(runLoop { isOver })
        #expect(timer?.isValid == false)
    }

    @Test func aTimerCallsAStaticMethod() {
        let timer = Timer.makeTimer(
            timeInterval: 60, target: Target.self, selector: Target.keep, userInfo: [1, 2], repeats: false)
        timer.fire()
        #expect((Target.kept?.userInfo as? [Int]) == nil && Target.kept === timer)
        #expect(Target.found == [1, 2])
    }

    @Test func aMethodEndsItsTimer() {
        let target = Target()
        let timer = Timer.scheduledTimer(
            timeInterval: 0.001, target: target, selector: Target.stop, userInfo: nil, repeats: true)
        #expect(runLoop { !timer.isValid })
        timer.fire()
        #expect(target.calls == ["stop"])
    }
}

/// Notifications with an observer.
struct NotificationObserverTests {
    private let center = NotificationCenter()
    private let name = Notification.Name("SelectorTests")
    private let other = Notification.Name("SelectorTests.other")

    @Test func anObserverHearsItsNotifications() {
        let (target, object) = (Target(), NSObject())
        center.addObserver(target, selector: Target.hear(_:), name: name, object: object)
        center.addObserver(target, selector: Target.tick, name: other, object: nil)
        center.post(name: name, object: object)
        center.post(name: name, object: nil)
        center.post(name: other, object: nil)
        #expect(target.calls == ["hear SelectorTests", "tick"])
    }

    @Test func aParameterMayBeTheClassOrAny() {
        let target = Target()
        center.addObserver(target, selector: Target.hearClass, name: name, object: nil)
        center.addObserver(target, selector: Target.take, name: name, object: nil)
        center.post(name: name, object: nil)
        #expect(target.calls.sorted() == ["class SelectorTests", "take nil"])
    }

    @Test func anObserverIsRemovedWholeOrInPart() {
        let (target, second) = (Target(), Target())
        for target in [target, second] {
            center.addObserver(target, selector: Target.hear(_:), name: name, object: nil)
            center.addObserver(target, selector: Target.hear(_:), name: other, object: nil)
        }
        center.removeObserver(target, name: name, object: nil)
        center.post(name: name, object: nil)
        center.post(name: other, object: nil)
        #expect(target.calls == ["hear SelectorTests.other"])
        center.removeObserver(target)
        center.post(name: other, object: nil)
        #expect(target.calls == ["hear SelectorTests.other"])
        #expect(second.calls.count == 3)
    }

    @Test func anObserverOfOneObjectIsRemovedForThatObject() {
        let (target, object, second) = (Target(), NSObject(), NSObject())
        for object in [object, second] {
            center.addObserver(target, selector: Target.hear(_:), name: name, object: object)
        }
        center.addObserver(target, selector: Target.tick, name: other, object: nil)
        center.removeObserver(target, name: name, object: object)
        center.removeObserver(target, name: nil, object: 1)
        center.post(name: name, object: object)
        #expect(target.calls.isEmpty)
        center.post(name: name, object: second)
        center.post(name: other, object: nil)
        #expect(target.calls == ["hear SelectorTests", "tick"])
    }

    @Test func observersComeAndGoInSeveralThreads() {
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<200 {
                let target = Target()
                NotificationCenter.default.addObserver(target, selector: Target.tick, name: name, object: nil)
                NotificationCenter.default.post(name: other, object: nil)
            }
        }
        let target = Target()
        NotificationCenter.default.addObserver(target, selector: Target.tick, name: other, object: nil)
        NotificationCenter.default.post(name: other, object: nil)
        #expect(target.calls == ["tick"])
    }

    @Test func anObserverOfAClosureIsRemoved() {
        var count = 0
        nonisolated(unsafe) let counting = { count += 1 }
        let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in counting() }
        center.post(name: name, object: nil)
        center.removeObserver(token)
        center.post(name: name, object: nil)
        #expect(count == 1)
    }

    @Test func anObserverIsNotRetainedAndRemovesItselfAtItsEnd() {
        var ended = 0
        for _ in 0..<100 {
            let target = Target()
            target.onEnd = { ended += 1 }
            NotificationCenter.default.addObserver(target, selector: Target.hear(_:), name: name, object: nil)
            center.addObserver(target, selector: Target.hear(_:), name: name, object: nil)
        }
        #expect(ended == 100)
        center.post(name: name, object: nil)
        NotificationCenter.default.post(name: name, object: nil)
    }
}

/// Calls after a delay.
struct DelayedCallTests {
    @Test func aCallHasItsArgument() {
        let target = Target()
        target.perform(Target.take(_:), named: "take", with: "value", afterDelay: 0.001)
        target.perform(Target.tick, named: "tick", with: nil, afterDelay: 0.002)
        #expect(target.calls.isEmpty)
        #expect(runLoop { target.calls.count == 2 })
        #expect(target.calls == ["take value", "tick"])
    }

    @Test func callsAreCancelledByNameAndArgument() {
        let (target, second) = (Target(), Target())
        target.perform(Target.take(_:), named: "take", with: "one", afterDelay: 0.001)
        target.perform(Target.take(_:), named: "take", with: "two", afterDelay: 0.002)
        target.perform(Target.take(_:), named: "take", with: nil, afterDelay: 0.003)
        target.perform(Target.take(_:), named: "other", with: "one", afterDelay: 0.004)
        second.perform(Target.take(_:), named: "take", with: "one", afterDelay: 0.005)
        NSObject.cancelPreviousPerformRequests(withTarget: target, selector: "take", object: "one")
        NSObject.cancelPreviousPerformRequests(withTarget: target, selector: "take", object: nil)
        #expect(runLoop { !second.calls.isEmpty })
        #expect(target.calls == ["take two", "take one"])
    }

    @Test func allCallsOfAnObjectAreCancelledAndReleaseIt() {
        var isOver = false
        do {
            let target = Target()
            target.onEnd = { isOver = true }
            target.perform(Target.take(_:), named: "take", with: nil, afterDelay: 60)
            NSObject.cancelPreviousPerformRequests(withTarget: target)
        }
        #expect(isOver)
    }
}
