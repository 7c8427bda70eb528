import NoiseChannel

/// Sends commands to all members of a group and repeats them until each member has answered, without sockets and clock.
///
/// Each member carries out each command at most once, and in the order of the sequence numbers. A command that a member does not
/// acknowledge in time fails for that member: whether the member carried it out is then unknown.
package struct GroupController<Address: Hashable & Sendable>: Sendable {
    package struct Outgoing: Sendable {
        /// Nil for the whole group: a broadcast or a multicast address.
        package let destination: Address?
        package let octets: [UInt8]
    }

    package enum Failure: Hashable, Sendable {
        /// The member has not answered in time. It may have carried out the command.
        case noAnswer
        /// The member began anew after the command was sent. It may have carried out the command before.
        case restarted
    }

    package enum Event: Equatable, Sendable {
        case acknowledged(sequence: UInt64, member: String, reply: [UInt8])
        case failed(sequence: UInt64, member: String, Failure)
        /// All members have acknowledged, or failed.
        case completed(sequence: UInt64)
    }

    package enum SubmitError: Error, Equatable, Sendable {
        /// The body has more than 1,024 octets.
        case tooLong
        /// 16 commands wait for acknowledgements. Submit the command after `completed`.
        case tooManyCommands
    }

    package struct Dropped: Equatable, Sendable {
        package var forged = 0
        package var replayed = 0
        package var unexpected = 0
    }

    package struct Timing: Sendable {
        /// The time before the first repetition. Each further one takes half as long again, up to `longestPause`.
        package var firstPause = Duration.milliseconds(150)
        package var longestPause = Duration.seconds(1)
        /// The time after which a command fails for members that have not answered.
        package var limit = Duration.seconds(20)
        /// So many missing members get a repetition each; more get one together.
        package var mostUnicast = 8
        package init() {}
    }

    private struct Member {
        /// The session of the member's run, after its first challenge.
        var session: GroupSession?
        var cipher: NoiseCipher?
        var address: Address?
        var window = ReplayWindow()
        /// The next counter of the controller when it learned the session. A challenge of another run that answers an earlier datagram is late, or a
        /// recording.
        var established: UInt64 = 0
    }

    private struct Command {
        let body: [UInt8]
        let start: Duration
        var missing: Set<String>
        /// The members that have proven their session and can have received the command.
        var reached: Set<String> = []
        var next: Duration
        var pause: Duration
    }

    private static var mostCommands: Int { 16 }

    private let key: GroupKey
    private let timing: Timing
    private var sealer: GroupSealer
    private var members: [String: Member] = [:]
    private var names: [GroupSession: String] = [:]
    private var commands: [UInt64: Command] = [:]
    private var nextSequence: UInt64 = 0
    private var latest = Duration.zero
    private var outgoing: [Outgoing] = []
    private var events: [Event] = []
    package private(set) var dropped = Dropped()

    /// - Parameters:
    ///   - members: The names of the devices that have to acknowledge; others are ignored.
    ///   - session: A new one for each run.
    package init(members: some Sequence<String>, key: GroupKey, session: GroupSession, timing: Timing = Timing()) {
        self.key = key
        self.timing = timing
        sealer = GroupSealer(key, session)
        for name in members where (1...GroupDatagram.longestMember).contains(name.utf8.count) {
            self.members[name] = Member()
        }
    }

    package mutating func takeOutgoing() -> [Outgoing] {
        defer { outgoing = [] }
        return outgoing
    }

    package mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    package var deadline: Duration? {
        commands.values.flatMap { [$0.next, $0.start + timing.limit] }.min()
    }

    /// Sends a command to the group. Returns its sequence number.
    package mutating func submit(_ body: [UInt8], at now: Duration) throws(SubmitError) -> UInt64 {
        latest = max(latest, now)
        guard body.count <= GroupDatagram.longestBody else { throw .tooLong }
        // A member remembers its latest 32 replies.
        guard commands.count < Self.mostCommands, nextSequence - (commands.keys.min() ?? nextSequence) < 32 else {
            throw .tooManyCommands
        }
        let sequence = nextSequence
        nextSequence += 1
        commands[sequence] = Command(
            body: body, start: latest, missing: Set(members.keys), reached: Set(names.values),
            next: latest + timing.firstPause, pause: timing.firstPause)
        if members.isEmpty { complete(sequence) } else { send(sequence, to: nil) }
        return sequence
    }

    package mutating func handleTimeout(at now: Duration) {
        latest = max(latest, now)
        for sequence in commands.keys.sorted() {
            guard let command = commands[sequence] else { continue }
            if command.start + timing.limit <= latest {
                for member in command.missing.sorted() { fail(sequence, member, .noAnswer) }
            } else if command.next <= latest {
                commands[sequence]!.pause = min(command.pause * 3 / 2, timing.longestPause)
                commands[sequence]!.next = latest + commands[sequence]!.pause
                repeatCommand(sequence)
            }
        }
    }

    package mutating func receive(_ datagram: [UInt8], from address: Address, at now: Duration) {
        latest = max(latest, now)
        guard let header = GroupDatagram.header(of: datagram) else {
            dropped.forged += 1
            return
        }
        guard header.session != sealer.session,
            header.kind == GroupDatagram.Kind.challenge || header.kind == GroupDatagram.Kind.acknowledgement
        else {
            dropped.unexpected += 1
            return
        }
        if let name = names[header.session], !members[name]!.window.accepts(header.counter) {
            dropped.replayed += 1
            return
        }
        let cipher = names[header.session].flatMap { members[$0]!.cipher } ?? key.cipher(of: header.session)
        guard let content = GroupDatagram.open(datagram, header, cipher) else {
            dropped.forged += 1
            return
        }
        if header.kind == GroupDatagram.Kind.challenge {
            receive(challenge: content, header, cipher, from: address)
        } else {
            receive(acknowledgement: content, header, from: address)
        }
    }

    // MARK: Members

    private mutating func receive(
        challenge content: [UInt8], _ header: GroupDatagram.Header, _ cipher: NoiseCipher, from address: Address
    ) {
        guard let challenge = GroupContent.challenge(content), challenge.controller == sealer.session,
            let name = String(validating: challenge.member, as: UTF8.self), var member = members[name],
            challenge.command < sealer.nextCounter,
            member.session == header.session || challenge.command >= member.established
        else {
            dropped.unexpected += 1
            return
        }
        if let old = member.session, old != header.session {
            // What was sent to the earlier run may have been carried out.
            names[old] = nil
            member.window = ReplayWindow()
            for sequence in commands.keys.sorted() where commands[sequence]!.reached.contains(name) {
                if commands[sequence]!.missing.contains(name) { fail(sequence, name, .restarted) }
            }
        }
        if member.session != header.session { member.established = sealer.nextCounter }
        member.session = header.session
        member.cipher = cipher
        member.address = address
        member.window.insert(header.counter)
        members[name] = member
        names[header.session] = name
        let open = commands.keys.sorted().filter { commands[$0]!.missing.contains(name) }
        let proof = GroupContent.Proof(
            member: header.session, challenge: header.counter, first: open.first ?? nextSequence)
        outgoing.append(
            Outgoing(
                destination: address, octets: sealer.seal(GroupDatagram.Kind.proof, GroupContent.encode(proof))))
        for sequence in open {
            commands[sequence]!.reached.insert(name)
            send(sequence, to: address)
        }
    }

    private mutating func receive(
        acknowledgement content: [UInt8], _ header: GroupDatagram.Header, from address: Address
    ) {
        guard let acknowledgement = GroupContent.acknowledgement(content),
            acknowledgement.controller == sealer.session,
            let name = names[header.session], Array(name.utf8) == acknowledgement.member
        else {
            dropped.unexpected += 1
            return
        }
        members[name]!.window.insert(header.counter)
        members[name]!.address = address
        let sequence = acknowledgement.sequence
        guard commands[sequence]?.missing.remove(name) != nil else { return }
        events.append(.acknowledged(sequence: sequence, member: name, reply: acknowledgement.reply))
        if commands[sequence]!.missing.isEmpty { complete(sequence) }
    }

    // MARK: Commands

    private mutating func fail(_ sequence: UInt64, _ member: String, _ failure: Failure) {
        guard commands[sequence]?.missing.remove(member) != nil else { return }
        events.append(.failed(sequence: sequence, member: member, failure))
        if commands[sequence]!.missing.isEmpty { complete(sequence) }
    }

    private mutating func complete(_ sequence: UInt64) {
        commands[sequence] = nil
        events.append(.completed(sequence: sequence))
    }

    private mutating func repeatCommand(_ sequence: UInt64) {
        let missing = commands[sequence]!.missing.sorted()
        let addresses = missing.compactMap { members[$0]?.address }
        guard missing.count <= timing.mostUnicast, addresses.count == missing.count else {
            return send(sequence, to: nil)
        }
        for address in addresses { send(sequence, to: address) }
    }

    private mutating func send(_ sequence: UInt64, to address: Address?) {
        let first = commands.keys.min() ?? sequence
        let content = GroupContent.Command(sequence: sequence, first: first, body: commands[sequence]!.body)
        outgoing.append(
            Outgoing(
                destination: address, octets: sealer.seal(GroupDatagram.Kind.command, GroupContent.encode(content))))
    }
}
