import Foundation

/// A timer that retains its target and `userInfo` until it ends, as a timer with a selector does on Apple's systems.
final class TargetTimer: Timer {
    private var info: Any?
    private var call: ((Timer) -> Void)?

    convenience init(
        fire date: Date, interval: TimeInterval, userInfo: Any?, repeats: Bool, call: @escaping (Timer) -> Void
    ) {
        self.init(fire: date, interval: interval, repeats: repeats) { timer in
            guard let timer = timer as? TargetTimer, let call = timer.call else { return }
            call(timer)
            // Foundation ends a timer that does not repeat without a call of `invalidate`.
            if !repeats { timer.release() }
        }
        info = userInfo
        self.call = call
    }

    override var userInfo: Any? { info }

    override func invalidate() {
        super.invalidate()
        release()
    }

    private func release() {
        // The last reference to the target may be one of these, and its `deinit` may invalidate this timer.
        let released = (info, call)
        (info, call) = (nil, nil)
        withExtendedLifetime(released) {}
    }
}

/// Timers with a target, for methods in place of selectors. `Scripts/without-objective-c` replaces `#selector(Type.method)` by `Type.method`.
extension Timer {
    /// A timer that calls a method of its target, in the current run loop and its default mode.
    ///
    /// - Parameters:
    ///   - interval: The time before each call, in seconds.
    ///   - target: The timer retains it until the timer ends.
    ///   - selector: The method. Its parameter is the timer.
    ///   - userInfo: A value for the timer's `userInfo`, nil after the timer ended.
    ///   - repeats: Whether the timer goes on after the first call.
    @discardableResult
    public static func scheduledTimer<Target: AnyObject, Result>(
        timeInterval interval: TimeInterval, target: Target, selector: @escaping (Target) -> (Timer) -> Result,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        let timer = makeTimer(
            timeInterval: interval, target: target, selector: selector, userInfo: userInfo, repeats: repeats)
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }

    /// A timer that calls a method without parameters, in the current run loop and its default mode.
    @discardableResult
    public static func scheduledTimer<Target: AnyObject, Result>(
        timeInterval interval: TimeInterval, target: Target, selector: @escaping (Target) -> () -> Result,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        let timer = makeTimer(
            timeInterval: interval, target: target, selector: selector, userInfo: userInfo, repeats: repeats)
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }

    /// A timer that calls a method of its target and is in no run loop yet: `Timer(timeInterval:target:selector:userInfo:repeats:)` on Apple's
    /// systems.
    public static func makeTimer<Target: AnyObject, Result>(
        timeInterval interval: TimeInterval, target: Target, selector: @escaping (Target) -> (Timer) -> Result,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        makeTimer(
            fireAt: Date(timeIntervalSinceNow: interval), interval: interval, target: target, selector: selector,
            userInfo: userInfo, repeats: repeats)
    }

    /// A timer that calls a method without parameters and is in no run loop yet.
    public static func makeTimer<Target: AnyObject, Result>(
        timeInterval interval: TimeInterval, target: Target, selector: @escaping (Target) -> () -> Result,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        makeTimer(
            fireAt: Date(timeIntervalSinceNow: interval), interval: interval, target: target, selector: selector,
            userInfo: userInfo, repeats: repeats)
    }

    /// A timer with its first date, in no run loop yet: `Timer(fireAt:interval:target:selector:userInfo:repeats:)` on Apple's systems.
    public static func makeTimer<Target: AnyObject, Result>(
        fireAt date: Date, interval: TimeInterval, target: Target, selector: @escaping (Target) -> (Timer) -> Result,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        TargetTimer(fire: date, interval: interval, userInfo: userInfo, repeats: repeats) { _ = selector(target)($0) }
    }

    /// A timer with its first date that calls a method without parameters and is in no run loop yet.
    public static func makeTimer<Target: AnyObject, Result>(
        fireAt date: Date, interval: TimeInterval, target: Target, selector: @escaping (Target) -> () -> Result,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        TargetTimer(fire: date, interval: interval, userInfo: userInfo, repeats: repeats) { _ in
            _ = selector(target)()
        }
    }

    /// A timer that calls a static method, in the current run loop and its default mode.
    @discardableResult
    public static func scheduledTimer<Result>(
        timeInterval interval: TimeInterval, target: AnyClass, selector: @escaping (Timer) -> Result, userInfo: Any?,
        repeats: Bool
    ) -> Timer {
        let timer = makeTimer(
            timeInterval: interval, target: target, selector: selector, userInfo: userInfo, repeats: repeats)
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }

    /// A timer that calls a static method and is in no run loop yet.
    public static func makeTimer<Result>(
        timeInterval interval: TimeInterval, target: AnyClass, selector: @escaping (Timer) -> Result, userInfo: Any?,
        repeats: Bool
    ) -> Timer {
        makeTimer(
            fireAt: Date(timeIntervalSinceNow: interval), interval: interval, target: target, selector: selector,
            userInfo: userInfo, repeats: repeats)
    }

    /// A timer with its first date that calls a static method and is in no run loop yet.
    public static func makeTimer<Result>(
        fireAt date: Date, interval: TimeInterval, target: AnyClass, selector: @escaping (Timer) -> Result,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        TargetTimer(fire: date, interval: interval, userInfo: userInfo, repeats: repeats) { _ = selector($0) }
    }
}
