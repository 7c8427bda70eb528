#if !canImport(Darwin)
import Foundation

/// A value behind a lock. A POSIX mutex, because ThreadSanitizer understands it: the slow path of
/// `Synchronization.Mutex` on Linux locks in the kernel, which looks like a race to it.
///
/// Never call out while holding it, and let no last reference to an object of the program's end inside: hand it out.
struct Guarded<Value>: ~Copyable, @unchecked Sendable {
    private struct Storage {
        var mutex = pthread_mutex_t()
        var value: Value
    }

    private let storage: UnsafeMutablePointer<Storage>

    init(_ value: Value) {
        storage = .allocate(capacity: 1)
        storage.initialize(to: Storage(value: value))
        pthread_mutex_init(&storage.pointee.mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(&storage.pointee.mutex)
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        // The mutex is the first field, so its address is the storage's.
        let mutex = UnsafeMutableRawPointer(storage).assumingMemoryBound(to: pthread_mutex_t.self)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&storage.pointee.value)
    }
}
#endif
