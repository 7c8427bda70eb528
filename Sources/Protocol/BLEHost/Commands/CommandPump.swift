import BLEWire

/// The commands of a host: queues them, sends them as the controller has room, and matches the answers.
struct CommandPump: Sendable {
    private(set) var queue = CommandQueue<CommandPurpose>()
    /// Whether the queue changed: there may be commands to send and a new deadline. Most packets skip that work.
    private(set) var hasChanged = false
    /// The deadline after the last `pump`.
    private var knownDeadline: Instant?
    /// The time that the controller has to answer a command.
    private let timeout: TimeSpan

    init(timeout: TimeSpan) { self.timeout = timeout }

    /// The time at which the first command times out.
    var deadline: Instant? { hasChanged ? queue.deadline : knownDeadline }

    mutating func enqueue<C: HCICommand & ~Escapable>(_ command: C, for purpose: CommandPurpose) {
        hasChanged = true
        queue.enqueue(command, timeout: timeout, purpose: purpose)
    }

    /// Removes everything, as after power-on.
    mutating func reset() {
        hasChanged = true
        queue.reset()
    }

    /// Moves commands to `packets` as the controller has room.
    mutating func pump(into packets: inout [UInt8], at now: Instant) {
        queue.pump(into: &packets, at: now)
        knownDeadline = queue.deadline
        hasChanged = false
    }

    /// Takes Command Complete (Vol 4, Part E, 7.7.14).
    mutating func answered(_ event: borrowing HCI.CommandComplete) -> CommandQueue<CommandPurpose>.Match {
        hasChanged = true
        return queue.answered(opcode: event.opcode, credits: event.numberOfCommandPackets)
    }

    /// Takes Command Status (Vol 4, Part E, 7.7.15).
    mutating func answered(_ event: HCI.CommandStatus) -> CommandQueue<CommandPurpose>.Match {
        hasChanged = true
        if event.status == .success, !Self.endsWithStatus(event.opcode) {
            // Command Complete follows.
            _ = queue.answered(opcode: .none, credits: event.numberOfCommandPackets)
            return .creditsOnly
        }
        return queue.answered(opcode: event.opcode, credits: event.numberOfCommandPackets)
    }

    /// Whether Command Status is the controller's only answer to this command (Vol 4, Part E, 7.7.15).
    private static func endsWithStatus(_ opcode: HCI.Opcode) -> Bool {
        switch opcode {
        case .disconnect, .leCreateConnection, .leExtendedCreateConnection, .leConnectionUpdate, .leReadRemoteFeatures,
            .leSetPHY,
            .leEnableEncryption, .leReadRemoteTransmitPowerLevel, .leSubrateRequest,
            .lePeriodicAdvertisingCreateSync,
            .none:
            true
        default: false
        }
    }

    /// Removes and returns a command that was not answered in time.
    mutating func expire(at now: Instant) -> CommandQueue<CommandPurpose>.Entry? {
        hasChanged = true
        return queue.expire(at: now)
    }
}
