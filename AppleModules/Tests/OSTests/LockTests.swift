import Dispatch
import Testing
import os.lock

@Test func aLockLetsOneThreadInAtATime() {
    final class Counter: @unchecked Sendable { var value = 0 }
    let counter = Counter()
    let lock = OSAllocatedUnfairLock()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
        for _ in 0..<20_000 {
            lock.lock()
            counter.value += 1
            lock.unlock()
        }
    }
    #expect(counter.value == 160_000)
}

@Test func aLockGuardsItsState() {
    let lock = OSAllocatedUnfairLock(initialState: 1)
    let copy = lock
    #expect(
        lock.withLock {
            $0 += 1; return $0
        } == 2)
    #expect(copy.withLock { $0 } == 2)
    lock.withLockUnchecked { _ in
        copy.precondition(.owner)
        #expect(copy.withLockIfAvailable { $0 } == nil)
    }
    lock.precondition(.notOwner)
    #expect(copy.withLockIfAvailable { $0 } == 2)
}

@Test func theFunctionsOfTheHeaderWork() {
    let lock = os_unfair_lock_t.allocate(capacity: 1)
    lock.initialize(to: os_unfair_lock())
    defer { lock.deallocate() }
    os_unfair_lock_lock(lock)
    #expect(!os_unfair_lock_trylock(lock))
    os_unfair_lock_assert_owner(lock)
    os_unfair_lock_unlock(lock)
    #expect(os_unfair_lock_trylock(lock))
    os_unfair_lock_unlock(lock)
    os_unfair_lock_assert_not_owner(lock)
}

@Test func aThreadThatLocksTwiceEndsTheProgram() async {
    await #expect(processExitsWith: .failure) {
        let lock = OSAllocatedUnfairLock()
        lock.withLockUnchecked { lock.withLockUnchecked {} }
    }
}
