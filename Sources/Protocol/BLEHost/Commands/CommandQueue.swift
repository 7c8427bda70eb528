import BLEWire

/// Sends HCI commands as the controller has room for them and matches the answers to the commands (Vol 4, Part E, 4.4).
/// `Purpose` is the owner's data about a command. It is returned with the answer.
struct CommandQueue<Purpose: Sendable>: Sendable {
    /// One command, waiting or sent.
    struct Entry: Sendable {
        let opcode: HCI.Opcode
        let purpose: Purpose
        let timeout: TimeSpan
        /// The octets of the packet in `octets` and, after sending, its deadline.
        let count: Int
        fileprivate(set) var deadline: Instant
    }

    /// The command that an answer matches.
    enum Match: Sendable {
        case command(Entry)
        /// Opcode 0: the event changes the credits alone.
        case creditsOnly
        /// No command with this opcode is outstanding.
        case unexpected
    }

    private var waiting: [Entry] = []
    private var firstWaiting = 0
    /// The packets of `waiting`, one after another.
    private var octets: [UInt8] = []
    private var firstOctet = 0
    private var sent: [Entry] = []
    /// The end of the wait for a credit; nil while an outstanding command can still return one.
    private var creditDeadline: Instant?
    /// The controller's latest Num_HCI_Command_Packets.
    private(set) var credits = 1
    /// The maximum number of outstanding commands, whatever the controller allows.
    let maximumOutstanding: Int

    init(maximumOutstanding: Int = 4) { self.maximumOutstanding = maximumOutstanding }

    /// Commands not yet sent.
    var waitingCount: Int { waiting.count - firstWaiting }
    var isIdle: Bool { waitingCount == 0 && sent.isEmpty }

    /// Removes everything and allows one command, as after power-on (Vol 4, Part E, 4.4).
    mutating func reset() {
        waiting.empty()
        octets.empty()
        sent.empty()
        firstWaiting = 0
        firstOctet = 0
        credits = 1
        creditDeadline = nil
    }

    /// Queues a command. `timeout` starts when it is sent.
    mutating func enqueue<C: HCICommand & ~Escapable>(_ command: C, timeout: TimeSpan, purpose: Purpose) {
        let before = octets.count
        guard (try? octets.append(command: command)) != nil else { return }
        waiting.append(
            Entry(opcode: C.opcode, purpose: purpose, timeout: timeout, count: octets.count - before, deadline: .zero))
    }

    /// Moves commands to `output` as whole H4 packets, up to the number of credits.
    mutating func pump(into output: inout [UInt8], at now: Instant) {
        while credits > 0, sent.count < maximumOutstanding, firstWaiting < waiting.count {
            var entry = waiting[firstWaiting]
            firstWaiting += 1
            output.append(contentsOf: octets[firstOctet..<firstOctet + entry.count])
            firstOctet += entry.count
            entry.deadline = now + entry.timeout
            sent.append(entry)
            credits -= 1
        }
        if firstWaiting == waiting.count {
            waiting.empty()
            octets.empty()
            firstWaiting = 0
            firstOctet = 0
        }
        if credits == 0, sent.isEmpty, firstWaiting < waiting.count {
            creditDeadline = creditDeadline ?? now + waiting[firstWaiting].timeout
        } else {
            creditDeadline = nil
        }
    }

    /// Takes a Command Complete or Command Status.
    mutating func answered(opcode: HCI.Opcode, credits: UInt8) -> Match {
        self.credits = Int(credits)
        if opcode.rawValue == 0 { return .creditsOnly }
        guard let index = sent.firstIndex(where: { $0.opcode == opcode }) else { return .unexpected }
        return .command(sent.remove(at: index))
    }

    /// The time at which the first outstanding command, or the wait for a credit, times out.
    var deadline: Instant? {
        var first = creditDeadline
        for entry in sent where first.map({ entry.deadline < $0 }) ?? true { first = entry.deadline }
        return first
    }

    /// Removes a command that was not answered in time. A controller that ignores a command returns no credit either,
    /// so the queue assumes room for one more. It assumes the same for a controller that answered everything and never
    /// gave a credit. Call `pump` after the last expired command.
    mutating func expire(at now: Instant) -> Entry? {
        if let creditDeadline, creditDeadline <= now {
            self.creditDeadline = nil
            credits = max(credits, 1)
        }
        guard let index = sent.firstIndex(where: { $0.deadline <= now }) else { return nil }
        credits = max(credits, 1)
        return sent.remove(at: index)
    }
}
