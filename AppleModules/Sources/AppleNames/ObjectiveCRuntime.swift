import Foundation

/// Runs `body`. Linux has no autorelease pools, so the call drains nothing.
public func autoreleasepool<Result, Failure: Error>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result { try body() }

/// The value that ``objc_sync_enter(_:)`` and ``objc_sync_exit(_:)`` return on success.
public let OBJC_SYNC_SUCCESS: Int32 = 0
/// The result of ``objc_sync_exit(_:)`` in a thread that has not entered.
public let OBJC_SYNC_NOT_OWNING_THREAD_ERROR: Int32 = -1

/// Acquires the lock of an object. The lock is recursive.
///
/// - Parameter object: The object. The call has no effect for a value that is not an object.
@discardableResult
public func objc_sync_enter(_ object: Any) -> Int32 {
    guard let object = identity(of: object) else { return OBJC_SYNC_SUCCESS }
    ObjectLocks.shared.enter(object)
    return OBJC_SYNC_SUCCESS
}

/// Releases the lock of an object.
///
/// - Parameter object: The object.
@discardableResult
public func objc_sync_exit(_ object: Any) -> Int32 {
    guard let object = identity(of: object) else { return OBJC_SYNC_SUCCESS }
    return ObjectLocks.shared.exit(object) ? OBJC_SYNC_SUCCESS : OBJC_SYNC_NOT_OWNING_THREAD_ERROR
}

/// The locks that a thread holds or waits for.
private final class ObjectLocks: @unchecked Sendable {
    static let shared = ObjectLocks()

    private final class Entry {
        let lock = NSRecursiveLock()
        /// The number of entries of all threads that hold the lock or wait for it.
        var users = 0
        /// The number of entries of the thread that holds the lock.
        var depth = 0
        var thread: pthread_t?
    }

    private let lock = NSLock()
    private var entries: [ObjectIdentifier: Entry] = [:]

    func enter(_ object: AnyObject) {
        let entry = lock.withLock {
            let entry = entries[ObjectIdentifier(object)] ?? Entry()
            entries[ObjectIdentifier(object)] = entry
            entry.users += 1
            return entry
        }
        entry.lock.lock()
        lock.withLock {
            entry.depth += 1
            entry.thread = pthread_self()
        }
    }

    func exit(_ object: AnyObject) -> Bool {
        let entry: Entry? = lock.withLock {
            guard let entry = entries[ObjectIdentifier(object)], let thread = entry.thread,
                pthread_equal(thread, pthread_self()) != 0
            else { return nil }
            entry.depth -= 1
            entry.users -= 1
            if entry.depth == 0 { entry.thread = nil }
            if entry.users == 0 { entries[ObjectIdentifier(object)] = nil }
            return entry
        }
        entry?.lock.unlock()
        return entry != nil
    }
}
