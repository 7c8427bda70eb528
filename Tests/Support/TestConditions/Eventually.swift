import Glibc

/// Waits until the condition holds. Returns false if it does not hold within the limit, or if the test is cancelled: `#expect(await eventually { … })`.
///
/// Tests in virtual time need no such wait. The limit is long because all tests share the processors.
package func eventually(
    within limit: Duration = .seconds(180), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while true {
        // The last look follows the end.
        let isLast = ContinuousClock.now >= end || Task.isCancelled
        if try await condition() { return true }
        if isLast { return false }
        // check-tests: wait: the pause between two looks at a condition that has a deadline.
        try? await Task.sleep(for: .milliseconds(2))
    }
}

/// The same for code that must keep its thread.
package func eventuallyOnThisThread(
    within limit: Duration = .seconds(180), _ condition: () throws -> Bool
) rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while true {
        let isLast = ContinuousClock.now >= end
        if try condition() { return true }
        if isLast { return false }
        // check-tests: wait: the loop has a deadline.
        sched_yield()
    }
}
