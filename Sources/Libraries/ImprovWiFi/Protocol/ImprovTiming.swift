import CoreBluetooth

/// Time limits.
public struct ImprovTiming: Hashable, Sendable {
    /// The time that an authorisation by the user is valid. The specification recommends one minute.
    public var authorization = Duration.seconds(60)
    /// The time in which the next part of a command has to arrive.
    public var command = Duration.seconds(5)
    /// The time that an attempt to join a network has.
    public var join = Duration.seconds(30)
    /// The time that a client waits for a link, and for each answer to a command.
    public var answer = Duration.seconds(45)

    /// Creates the usual limits.
    public init() {}
}
