import Foundation

/// Waits for conditions on the state of the main actor. Each change of the state calls `check()`.
@MainActor
final class Conditions {
    private let clock: StepClock

    init(_ clock: StepClock = .machine) { self.clock = clock }

    private struct Waiter {
        let condition: @MainActor () throws -> Bool
        let isCancellable: Bool
        let continuation: CheckedContinuation<Bool, any Error>
    }

    private var waiters: [Int: Waiter] = [:]
    private var count = 0
    /// The signal that ends the command. Later waits fail at once.
    private var end: ToolError?

    /// Waits until `condition` is true.
    ///
    /// - Parameters:
    ///   - limit: The longest time; nil for no limit.
    ///   - isCancellable: Whether `cancel` ends the wait.
    /// - Returns: Whether the condition became true within the limit.
    /// - Throws: The error of the condition, or of `cancel`.
    func wait(
        _ limit: Duration?, isCancellable: Bool = true, until condition: @escaping @MainActor () throws -> Bool
    ) async throws -> Bool {
        if let end, isCancellable { throw end }
        if try condition() { return true }
        count += 1
        let number = count
        let timer = limit.map { limit in
            clock.after(limit) { [weak self] in self?.finish(number, .success(false)) }
        }
        defer { timer?.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            waiters[number] = Waiter(condition: condition, isCancellable: isCancellable, continuation: continuation)
            clock.rest()
        }
    }

    /// Resumes the waits whose conditions are true.
    func check() {
        for (number, waiter) in waiters.sorted(by: { $0.key < $1.key }) {
            do {
                if try waiter.condition() { finish(number, .success(true)) }
            } catch { finish(number, .failure(error)) }
        }
    }

    /// Ends all waits that can be cancelled.
    ///
    /// - Parameter isFinal: Whether later waits fail as well.
    func cancel(_ failure: ToolError, isFinal: Bool = false) {
        if isFinal { end = failure }
        for (number, waiter) in waiters where waiter.isCancellable { finish(number, .failure(failure)) }
    }

    private func finish(_ number: Int, _ result: Result<Bool, any Error>) {
        guard let waiter = waiters.removeValue(forKey: number) else { return }
        clock.work { waiter.continuation.resume(with: result) }
    }
}
