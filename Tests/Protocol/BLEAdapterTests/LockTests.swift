import Testing

@testable import BLEAdapter

@Suite struct LockTests {
    @Test func `A value of no size lies in the memory of its lock`() {
        #expect(MemoryLayout<Lock<Void>.Storage>.offset(of: \.value)! < Lock<Void>.size)
        #expect(MemoryLayout<Lock<Int>.Storage>.offset(of: \.value)! < Lock<Int>.size)
    }

    @Test func `A lock that a thread has is not taken`() {
        let lock = Lock(1)
        let inner = lock.withLock { value in
            value = 2
            return lock.withLockIfFree { $0 }
        }
        #expect(inner == nil)
        #expect(lock.withLockIfFree { $0 } == 2)
    }
}
