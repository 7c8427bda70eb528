/// A lock with its state in separate memory, so that copies of this value share both.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    /// The expected relation of the current thread to the lock.
    public enum Ownership: Hashable, Sendable {
        /// It holds the lock.
        case owner
        /// It does not.
        case notOwner
    }

    private final class Storage {
        let lock: UnsafeMutablePointer<os_unfair_lock>
        var state: State

        init(_ state: State) {
            lock = .allocate(capacity: 1)
            lock.initialize(to: os_unfair_lock())
            self.state = state
        }

        deinit { lock.deallocate() }
    }

    private let storage: Storage

    /// Makes a lock around a state that need not be Sendable.
    ///
    /// - Parameter initialState: The initial state. No other reference to its content may exist.
    public init(uncheckedState initialState: State) { storage = Storage(initialState) }

    /// Acquires the lock and runs `body`, without Sendable checks.
    public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        os_unfair_lock_lock(storage.lock)
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// Acquires the lock and runs `body`.
    public func withLock<Result: Sendable>(_ body: @Sendable (inout State) throws -> Result) rethrows -> Result {
        try withLockUnchecked(body)
    }

    /// Runs `body` under the lock if it is free, without Sendable checks; returns nil otherwise.
    public func withLockIfAvailableUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result? {
        guard os_unfair_lock_trylock(storage.lock) else { return nil }
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// Runs `body` under the lock if it is free; returns nil otherwise.
    public func withLockIfAvailable<Result: Sendable>(
        _ body: @Sendable (inout State) throws -> Result
    ) rethrows -> Result? {
        try withLockIfAvailableUnchecked(body)
    }

    /// Traps if the current thread does not fulfil the condition.
    public func precondition(_ condition: Ownership) {
        switch condition {
        case .owner: os_unfair_lock_assert_owner(storage.lock)
        case .notOwner: os_unfair_lock_assert_not_owner(storage.lock)
        }
    }
}

extension OSAllocatedUnfairLock where State: Sendable {
    /// Makes a lock around a state.
    ///
    /// - Parameter initialState: The initial state.
    public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
    /// Makes a lock without a state.
    public init() { self.init(uncheckedState: ()) }

    /// Acquires the lock and runs `body`, without Sendable checks.
    public func withLockUnchecked<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Acquires the lock and runs `body`.
    public func withLock<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
        try withLockUnchecked(body)
    }

    /// Acquires the lock. The same thread must release it.
    @available(*, noasync, message: "a task may go on in another thread; use withLock")
    public func lock() { os_unfair_lock_lock(storage.lock) }

    /// Releases the lock.
    @available(*, noasync, message: "a task may go on in another thread; use withLock")
    public func unlock() { os_unfair_lock_unlock(storage.lock) }

    /// Acquires the lock if it is free, and returns whether it did.
    @available(*, noasync, message: "a task may go on in another thread; use withLock")
    public func lockIfAvailable() -> Bool { os_unfair_lock_trylock(storage.lock) }
}
