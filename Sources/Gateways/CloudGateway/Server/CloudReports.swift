import DurableQueue

/// What a gateway has told its program, which hears of each problem once.
struct CloudReports {
    private var refusal: String?
    private var failure: DurableQueueError?
    private var isStopped = false

    /// Returns false for the refusal of the last report.
    mutating func isNew(refusal: String) -> Bool {
        guard refusal != self.refusal else { return false }
        self.refusal = refusal
        return true
    }

    /// Returns the failure of the queue if the program does not know it; nil as well after the end of a failure.
    mutating func newFailure(_ failure: DurableQueueError?) -> DurableQueueError? {
        guard failure != self.failure else { return nil }
        self.failure = failure
        return failure
    }

    /// Returns true once.
    mutating func stop() -> Bool {
        defer { isStopped = true }
        return !isStopped
    }
}
