import Glibc

/// A value that a lock protects.
///
/// This is a POSIX mutex because ThreadSanitizer understands it. `Synchronization.Mutex` waits in the kernel on Linux, outside the
/// sanitizer's view, which then reports races that do not exist.
///
/// Code inside the lock never calls other objects, and never releases the last reference to an object of the program:
/// such references are returned from the closure and released outside. The turn of an executor is the exception: its code may do both.
///
/// `@unchecked Sendable`: the compiler cannot verify that each access to the value is inside the lock.
///
/// The type is public because Swift 6.3 does not specialize the functions of a `package` generic type in other modules: each use would
/// look up the metadata of `Storage` at run time.
public struct Lock<Value>: ~Copyable, @unchecked Sendable {
    @usableFromInline
    package struct Storage {
        @usableFromInline package var mutex = pthread_mutex_t()
        @usableFromInline package var value: Value

        @usableFromInline
        init(value: Value) { self.value = value }
    }

    /// The octets of the lock's memory. One of them is for a value of no size, as that of `Lock<Void>`: ThreadSanitizer records an access to it
    /// too. Behind the lock's memory, it would compare the access with those of other threads to an earlier lock in the same place.
    @inlinable
    package static var size: Int { max(MemoryLayout<Storage>.stride, MemoryLayout<pthread_mutex_t>.size + 1) }

    @usableFromInline package let storage: UnsafeMutablePointer<Storage>

    /// - Parameter value: An autoclosure, because the value is then made in its place and not copied there.
    @inlinable
    package init(_ value: @autoclosure () -> Value) {
        // The alignment of `malloc` suffices, and `allocate` takes twice the instructions.
        precondition(MemoryLayout<Storage>.alignment <= 16)
        storage = malloc(Self.size).bindMemory(to: Storage.self, capacity: 1)
        storage.initialize(to: Storage(value: value()))
        pthread_mutex_init(&storage.pointee.mutex, nil)
    }

    @inlinable
    deinit {
        pthread_mutex_destroy(&storage.pointee.mutex)
        storage.deinitialize(count: 1)
        free(storage)
    }

    /// Runs `body` while the calling thread holds the lock. The lock is not recursive.
    @inlinable
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        // The mutex is the first field, so its address is the storage's.
        let mutex = UnsafeMutableRawPointer(storage).assumingMemoryBound(to: pthread_mutex_t.self)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&storage.pointee.value)
    }

    /// Runs `body` while the calling thread holds the lock. Returns nil at once if a thread has it.
    @inlinable
    package func withLockIfFree<Result>(_ body: (inout Value) -> Result) -> Result? {
        let mutex = UnsafeMutableRawPointer(storage).assumingMemoryBound(to: pthread_mutex_t.self)
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return body(&storage.pointee.value)
    }
}
