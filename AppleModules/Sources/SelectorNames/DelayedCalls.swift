import Foundation

/// The calls that wait in run loops.
private final class DelayedCalls: @unchecked Sendable {
    private struct Call {
        let target: ObjectIdentifier
        let loop: ObjectIdentifier
        let name: String
        let argument: Any?
        let timer: Timer
    }

    static let shared = DelayedCalls()

    private let lock = NSLock()
    private var calls: [Call] = []

    /// Calls a closure in the current run loop and its default mode.
    func add(target: AnyObject, name: String, argument: Any?, delay: TimeInterval, body: @escaping () -> Void) {
        // The run loop can retain a cancelled timer for a while.
        let timer = TargetTimer(
            fire: Date(timeIntervalSinceNow: delay), interval: 0, userInfo: nil, repeats: false
        ) { timer in
            DelayedCalls.shared.forget(timer)
            body()
        }
        let loop = RunLoop.current
        let call = Call(
            target: ObjectIdentifier(target), loop: ObjectIdentifier(loop), name: name, argument: argument, timer: timer
        )
        lock.withLock { calls.append(call) }
        loop.add(timer, forMode: .default)
    }

    func cancel(_ target: AnyObject, matching: (_ name: String, _ argument: Any?) -> Bool) {
        let (identity, loop) = (ObjectIdentifier(target), ObjectIdentifier(RunLoop.current))
        // The comparison of arguments is code of the program: the lock is not held meanwhile.
        let cancelled = lock.withLock { calls }
            .filter { $0.target == identity && $0.loop == loop && matching($0.name, $0.argument) }
        for call in cancelled {
            forget(call.timer)
            call.timer.invalidate()
        }
    }

    private func forget(_ timer: Timer) {
        // What it retains goes after the lock is released.
        let forgotten = lock.withLock {
            let forgotten = calls.filter { $0.timer === timer }
            calls.removeAll { $0.timer === timer }
            return forgotten
        }
        withExtendedLifetime(forgotten) {}
    }
}

/// Calls after a delay, for methods in place of selectors. `Scripts/without-objective-c` replaces `#selector(Type.method)` by `Type.method` and
/// adds the name.
extension NSObjectProtocol where Self: NSObject {
    /// Calls a method without parameters after a delay, in the current run loop and its default mode. The call retains the object.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - name: The name by which `cancelPreviousPerformRequests(withTarget:selector:object:)` finds the call.
    ///   - argument: Not used by such a method, but compared when the call is cancelled.
    ///   - delay: The delay, in seconds.
    public func perform<Result>(
        _ method: @escaping (Self) -> () -> Result, named name: String, with argument: Any?,
        afterDelay delay: TimeInterval
    ) {
        DelayedCalls.shared.add(target: self, name: name, argument: argument, delay: delay) { _ = method(self)() }
    }

    /// Calls a method with its argument after a delay, in the current run loop and its default mode. The call retains both.
    public func perform<Argument, Result>(
        _ method: @escaping (Self) -> (Argument) -> Result, named name: String, with argument: Argument,
        afterDelay delay: TimeInterval
    ) {
        DelayedCalls.shared.add(target: self, name: name, argument: argument, delay: delay) {
            _ = method(self)(argument)
        }
    }
}

extension NSObject {
    /// Cancels all calls of methods of an object that wait in the current run loop.
    public static func cancelPreviousPerformRequests(withTarget target: NSObject) {
        DelayedCalls.shared.cancel(target) { _, _ in true }
    }

    /// Cancels the calls of one method with an equal argument that wait in the current run loop.
    ///
    /// - Parameters:
    ///   - target: The object.
    ///   - name: The name that the call has.
    ///   - argument: The argument of the call, nil if it has none.
    public static func cancelPreviousPerformRequests(
        withTarget target: NSObject, selector name: String, object argument: Any?
    ) {
        DelayedCalls.shared.cancel(target) { $0 == name && Self.isEqual($1, argument) }
    }

    private static func isEqual(_ first: Any?, _ second: Any?) -> Bool {
        guard let first = unwrapped(first), let second = unwrapped(second) else {
            return unwrapped(first) == nil && unwrapped(second) == nil
        }
        if let first = first as? AnyHashable, let second = second as? AnyHashable { return first == second }
        return type(of: first) is AnyClass && type(of: second) is AnyClass && first as AnyObject === second as AnyObject
    }

    /// The argument of a method can be an Optional itself.
    private static func unwrapped(_ value: Any?) -> Any? {
        guard let value else { return nil }
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
}
