import BLEWire

/// What each bearer of a link has for itself: its ATT_MTU, and the transactions of both sides. Everything else belongs to the
/// link: subscriptions, configurations, knowledge of the database.
struct BearerState {
    /// 0 for the unenhanced bearer, otherwise the number of its channel.
    var number: UInt32
    /// In octets.
    var mtu: UInt16
    var hasFailed = false

    // The client's running task.
    var current: ClientState.Submission?
    var request: ATT.Opcode?
    var deadline: Instant?

    // The peer's request that waits for its answer.
    var pending: ATTServer.Pending?
}
