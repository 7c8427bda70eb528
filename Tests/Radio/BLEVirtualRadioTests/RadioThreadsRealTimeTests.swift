import Dispatch
import Testing

@testable import BLEVirtualRadio

struct RadioThreadsRealTimeTests {
    /// Counts the calls of each part in an element of its own.
    private final class Calls: Sendable {
        nonisolated(unsafe) let counts = UnsafeMutablePointer<Int>.allocate(capacity: 8)
        init() { counts.initialize(repeating: 0, count: 8) }
        deinit { counts.deallocate() }
    }

    @Test(arguments: [1, 2, 4])
    func eachPartIsComputedOnceOnAnyNumberOfThreads(count: Int) {
        let threads = RadioThreads(count: count)
        let calls = Calls()
        var expected = [Int](repeating: 0, count: 8)
        for round in 0..<5_000 {
            // More parts than threads are possible.
            let parts = 1 + round % (count + 2)
            threads.run(parts) { calls.counts[$0] += 1 }
            for part in 0..<parts { expected[part] += 1 }
            guard round % 500 == 0 else { continue }
            // Longer than a helper waits for its next part.
            let end = DispatchTime.now().uptimeNanoseconds + 3_000_000
            while DispatchTime.now().uptimeNanoseconds < end {}
        }
        #expect((0..<8).map { calls.counts[$0] } == expected)
    }
}
