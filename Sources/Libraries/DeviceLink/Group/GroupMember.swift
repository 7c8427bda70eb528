import NoiseChannel

/// A device of a group, without sockets and clock: it carries out the commands of its controllers, each once and in order.
///
/// The caller passes received datagrams and the time, carries out the commands, and sends what `takeOutgoing` returns. Times are durations since
/// any fixed moment; a clock that jumps back stands still.
package struct GroupMember<Address: Hashable & Sendable>: Sendable {
    package struct Outgoing: Sendable {
        package let destination: Address
        package let octets: [UInt8]
        /// The time to wait before sending, so that the answers of many members do not collide.
        package let delay: Duration
    }

    /// A command to carry out now.
    package struct Command: Equatable, Sendable {
        package let controller: GroupSession
        package let sequence: UInt64
        package let body: [UInt8]
    }

    /// The datagrams that were dropped.
    package struct Dropped: Equatable, Sendable {
        /// No datagram of this version, or one of another key, or changed.
        package var forged = 0
        /// Received before, or too old to know that.
        package var replayed = 0
        /// Authentic, and without meaning for this member.
        package var unexpected = 0
    }

    /// A controller that has proven that its session is alive.
    private struct Controller {
        let cipher: NoiseCipher
        var window = ReplayWindow()
        var next: UInt64
        /// Commands that arrived before an earlier one.
        var held: [UInt64: [UInt8]] = [:]
        /// The replies to the latest commands, for acknowledgements that were lost.
        var replies: [UInt64: [UInt8]] = [:]
        var running: UInt64?
        var lastHeard: Duration
        var address: Address
    }

    private static var mostControllers: Int { 8 }
    private static var mostHeld: UInt64 { 32 }
    /// A controller gives up a command after 20 s, so a controller that returns later repeats none.
    private static var idleTime: Duration { .seconds(60) }
    private static var challengesInASecond: Int { 20 }
    /// Recorded commands of one session do not use up the challenges of the others.
    private static var challengesOfASession: Int { 4 }

    package let name: String
    private let key: GroupKey
    private var sealer: GroupSealer
    private let replySpread: Duration
    private var controllers: [GroupSession: Controller] = [:]
    /// The counter of the first challenge that a proof may answer. A recorded proof of a controller that was dropped answers an earlier one.
    private var firstChallenge: UInt64 = 0
    private var outgoing: [Outgoing] = []
    private var commands: [Command] = []
    private var latest = Duration.zero
    private var challengeSecond: Int64 = 0
    private var challenges = 0
    /// The challenges of this second, by session.
    private var challenged: [GroupSession: Int] = [:]
    private var delayState: UInt64
    package private(set) var dropped = Dropped()

    /// - Parameters:
    ///   - name: 1 to 64 octets of UTF-8.
    ///   - session: A new one for each run.
    ///   - replySpread: The longest delay of an answer.
    package init?(name: String, key: GroupKey, session: GroupSession, replySpread: Duration = .milliseconds(50)) {
        guard (1...GroupDatagram.longestMember).contains(name.utf8.count) else { return nil }
        self.name = name
        self.key = key
        self.replySpread = replySpread
        sealer = GroupSealer(key, session)
        delayState = session.octets.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } | 1
    }

    package mutating func takeOutgoing() -> [Outgoing] {
        defer { outgoing = [] }
        return outgoing
    }

    /// The commands to carry out. Of each controller there is one at a time; `finish` brings the next.
    package mutating func takeCommands() -> [Command] {
        defer { commands = [] }
        return commands
    }

    /// The command has been carried out. The reply is cut to 256 octets.
    package mutating func finish(_ command: Command, reply: [UInt8] = []) {
        guard var controller = controllers[command.controller], controller.running == command.sequence else { return }
        controller.running = nil
        controller.next = command.sequence + 1
        controller.replies[command.sequence] = Array(reply.prefix(GroupDatagram.longestReply))
        if command.sequence >= Self.mostHeld { controller.replies[command.sequence - Self.mostHeld] = nil }
        if controller.replies.count > Self.mostHeld {
            controller.replies = controller.replies.filter { $0.key + Self.mostHeld > command.sequence }
        }
        acknowledge(command.sequence, to: command.controller, controller)
        advance(&controller, command.controller)
        controllers[command.controller] = controller
    }

    package mutating func receive(_ datagram: [UInt8], from address: Address, at now: Duration) {
        latest = max(latest, now)
        guard let header = GroupDatagram.header(of: datagram) else {
            dropped.forged += 1
            return
        }
        // What other members send concerns the controller alone.
        guard header.kind == GroupDatagram.Kind.command || header.kind == GroupDatagram.Kind.proof,
            header.session != sealer.session
        else {
            dropped.unexpected += 1
            return
        }
        if let controller = controllers[header.session], !controller.window.accepts(header.counter) {
            dropped.replayed += 1
            return
        }
        let cipher = controllers[header.session]?.cipher ?? key.cipher(of: header.session)
        guard let content = GroupDatagram.open(datagram, header, cipher) else {
            dropped.forged += 1
            return
        }
        if header.kind == GroupDatagram.Kind.proof {
            receive(proof: content, header, cipher, from: address)
        } else {
            receive(command: content, header, from: address)
        }
    }

    // MARK: Controllers

    private mutating func receive(
        proof content: [UInt8], _ header: GroupDatagram.Header, _ cipher: NoiseCipher, from address: Address
    ) {
        guard let proof = GroupContent.proof(content), proof.member == sealer.session,
            proof.challenge >= firstChallenge, proof.challenge < sealer.nextCounter
        else {
            dropped.unexpected += 1
            return
        }
        if controllers[header.session] != nil {
            controllers[header.session]?.window.insert(header.counter)
            return
        }
        if controllers.count >= Self.mostControllers {
            let idle = controllers.filter { $0.value.running == nil && latest - $0.value.lastHeard > Self.idleTime }
            guard let oldest = idle.min(by: { $0.value.lastHeard < $1.value.lastHeard }) else {
                dropped.unexpected += 1
                return
            }
            controllers[oldest.key] = nil
            // Without its sequence numbers, recorded commands would be carried out again: its recorded proof must not count.
            firstChallenge = sealer.nextCounter
        }
        var controller = Controller(cipher: cipher, next: proof.first, lastHeard: latest, address: address)
        controller.window.insert(header.counter)
        controllers[header.session] = controller
    }

    private mutating func receive(command content: [UInt8], _ header: GroupDatagram.Header, from address: Address) {
        guard let command = GroupContent.command(content) else {
            dropped.unexpected += 1
            return
        }
        guard var controller = controllers[header.session] else { return challenge(header, address) }
        controller.window.insert(header.counter)
        controller.lastHeard = latest
        controller.address = address
        // The controller has given up what is before `first`.
        if controller.running == nil, command.first > controller.next { controller.next = command.first }
        controller.held = controller.held.filter { $0.key >= command.first }
        if let reply = controller.replies[command.sequence] {
            acknowledge(command.sequence, to: header.session, controller, reply)
        } else if command.sequence &- controller.next < Self.mostHeld, command.sequence != controller.running {
            // A command before the next one wraps to a great distance.
            controller.held[command.sequence] = command.body
        }
        advance(&controller, header.session)
        controllers[header.session] = controller
    }

    private mutating func advance(_ controller: inout Controller, _ session: GroupSession) {
        guard controller.running == nil, let body = controller.held.removeValue(forKey: controller.next) else { return }
        controller.running = controller.next
        commands.append(Command(controller: session, sequence: controller.next, body: body))
    }

    /// Asks an unknown controller for a proof: its datagram may be a recording. Nothing is kept beyond the second, and the challenges of a
    /// session and of all together have limits.
    private mutating func challenge(_ header: GroupDatagram.Header, _ address: Address) {
        let second = Int64(latest / .seconds(1))
        if second != challengeSecond { (challengeSecond, challenges, challenged) = (second, 0, [:]) }
        guard challenges < Self.challengesInASecond, challenged[header.session, default: 0] < Self.challengesOfASession
        else {
            dropped.unexpected += 1
            return
        }
        challenges += 1
        challenged[header.session, default: 0] += 1
        let content = GroupContent.Challenge(
            controller: header.session, command: header.counter, member: Array(name.utf8))
        send(GroupDatagram.Kind.challenge, GroupContent.encode(content), to: address)
    }

    private mutating func acknowledge(
        _ sequence: UInt64, to session: GroupSession, _ controller: Controller, _ reply: [UInt8]? = nil
    ) {
        let content = GroupContent.Acknowledgement(
            controller: session, sequence: sequence, member: Array(name.utf8),
            reply: reply ?? controller.replies[sequence] ?? [])
        send(GroupDatagram.Kind.acknowledgement, GroupContent.encode(content), to: controller.address)
    }

    private mutating func send(_ kind: UInt8, _ content: [UInt8], to address: Address) {
        // xorshift64: the delay needs no secret.
        delayState ^= delayState << 13
        delayState ^= delayState >> 7
        delayState ^= delayState << 17
        outgoing.append(
            Outgoing(
                destination: address, octets: sealer.seal(kind, content),
                delay: replySpread * Int(delayState % 1000) / 1000))
    }
}
