/// A lock with its state, in memory of its own, so that copies of this value share both.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    /// What is said of the thread that runs.
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
    /// - Parameter initialState: The state to begin with. Nobody else may hold what it refers to.
    public init(uncheckedState initialState: State) { storage = Storage(initialState) }

    /// Waits for the lock and runs `body` under it, without checks of what goes in and out.
    public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        os_unfair_lock_lock(storage.lock)
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// Waits for the lock and runs `body` under it.
    public func withLock<Result: Sendable>(_ body: @Sendable (inout State) throws -> Result) rethrows -> Result {
        try withLockUnchecked(body)
    }

    /// Runs `body` under the lock if that is free, else gives nil; without checks of what goes in and out.
    public func withLockIfAvailableUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result? {
        guard os_unfair_lock_trylock(storage.lock) else { return nil }
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// Runs `body` under the lock if that is free, else gives nil.
    public func withLockIfAvailable<Result: Sendable>(
        _ body: @Sendable (inout State) throws -> Result
    ) rethrows -> Result? {
        try withLockIfAvailableUnchecked(body)
    }

    /// Ends the program if the thread is not what is said of it.
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
    /// - Parameter initialState: The state to begin with.
    public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
    /// Makes a lock without a state.
    public init() { self.init(uncheckedState: ()) }

    /// Waits for the lock and runs `body` under it, without checks of what goes in and out.
    public func withLockUnchecked<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Waits for the lock and runs `body` under it.
    public func withLock<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
        try withLockUnchecked(body)
    }

    /// Waits for the lock. The same thread must release it.
    @available(*, noasync, message: "a task may go on in another thread; use withLock")
    public func lock() { os_unfair_lock_lock(storage.lock) }

    /// Releases the lock.
    @available(*, noasync, message: "a task may go on in another thread; use withLock")
    public func unlock() { os_unfair_lock_unlock(storage.lock) }

    /// Takes the lock if it is free, and says whether it did.
    @available(*, noasync, message: "a task may go on in another thread; use withLock")
    public func lockIfAvailable() -> Bool { os_unfair_lock_trylock(storage.lock) }
}
