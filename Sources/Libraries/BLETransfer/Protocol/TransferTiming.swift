/// The time limits of a transfer.
public struct TransferTiming: Hashable, Sendable {
    /// The time after which an end gives up on a peer that sends nothing, although the link exists. At least three times
    /// ``checkInterval``.
    public var answerLimit: Duration
    /// The time without progress after which a sender asks the receiver for its offset.
    public var checkInterval: Duration
    /// The time for which a central tries to connect, for the first time or again after a lost link.
    public var linkLimit: Duration

    /// Creates time limits; the defaults are 30 s, 2 s and 60 s.
    public init(
        answerLimit: Duration = .seconds(30), checkInterval: Duration = .seconds(2), linkLimit: Duration = .seconds(60)
    ) {
        self.answerLimit = answerLimit
        self.checkInterval = checkInterval
        self.linkLimit = linkLimit
    }
}
