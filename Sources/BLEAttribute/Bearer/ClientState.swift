import BLEWire

/// The client side of a bearer: one request outstanding, everything else waits in order.
struct ClientState {
    struct Waiting {
        /// Nil for what the bearer answers with an event of its own.
        var id: UInt32?
        var task: ClientTask
    }

    struct Current {
        var id: UInt32?
        var task: ClientTask
        /// The outstanding request.
        var request: ATT.Opcode
        var deadline: Instant
    }

    var waiting: [Waiting] = []
    /// What the host asks for of its own accord; it runs when nothing else waits.
    var background: [Waiting] = []
    var current: Current?
    var hasExchangedMTU = false
    /// The peer's Service Changed.
    var serviceChangedHandle: UInt16?

    mutating func takeNext() -> Waiting? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        return background.isEmpty ? nil : background.removeFirst()
    }
}
