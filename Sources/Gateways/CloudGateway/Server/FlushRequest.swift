/// Whether the actions of the session wait for one flush, which serves many events of the broker.
struct FlushRequest {
    private var isPending = false
    private var isServingBroker = false

    /// Requests a flush. Returns whether the caller has to schedule it: the end of the broker's turn flushes by itself.
    mutating func request() -> Bool {
        guard !isPending else { return false }
        isPending = true
        return !isServingBroker
    }

    mutating func beginServingBroker() { isServingBroker = true }
    mutating func endServingBroker() { isServingBroker = false }

    /// Takes the request. Returns false without one.
    mutating func take() -> Bool {
        defer { isPending = false }
        return isPending
    }
}
