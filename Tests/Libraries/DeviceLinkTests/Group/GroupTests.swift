import NoiseChannel
import TestConditions
import Testing

@testable import DeviceLink

/// A controller and its members with a bad network between them, by seed.
struct Network {
    struct Flight {
        let time: Duration
        let number: Int
        /// Nil to the controller.
        let member: Int?
        /// The sender's address: -1 is the controller.
        let source: Int
        let octets: [UInt8]
    }

    var random: Seeded
    let key: GroupKey
    var controller: GroupController<Int>
    var members: [GroupMember<Int>] = []
    /// What each member has carried out, over all of its runs.
    var done: [[UInt64]]
    var events: [GroupController<Int>.Event] = []
    var now = Duration.zero
    var flights: [Flight] = []
    private var flightCount = 0
    var loss = 0
    var duplicates = 0
    var longestDelay = 20
    /// All datagrams that were on the network.
    var recorded: [[UInt8]] = []
    /// Added to the time that each end sees.
    var memberClocks: [Duration]
    var controllerClock = Duration.zero
    /// Members that are without power.
    var off: Set<Int> = []
    /// Whether the members finish their commands.
    var finishes = true
    var timing = GroupController<Int>.Timing()

    init(_ count: Int, seed: UInt64, timing: GroupController<Int>.Timing = GroupController<Int>.Timing()) {
        random = Seeded(seed)
        key = GroupKey(PreSharedKey(octets: [UInt8](repeating: 7, count: 32))!)
        done = Array(repeating: [], count: count)
        memberClocks = Array(repeating: .zero, count: count)
        self.timing = timing
        controller = GroupController(
            members: (0..<count).map { "lamp \($0)" }, key: key, session: GroupSession(using: &random), timing: timing)
        for number in 0..<count { members.append(member(number)) }
    }

    mutating func member(_ number: Int) -> GroupMember<Int> {
        GroupMember(name: "lamp \(number)", key: key, session: GroupSession(using: &random))!
    }

    /// The member loses its memory.
    mutating func restart(_ number: Int) { members[number] = member(number) }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func fly(_ octets: [UInt8], to member: Int?, from source: Int, delay: Duration = .zero) {
        for _ in 0..<(chance(duplicates) ? 2 : 1) where !chance(loss) {
            flightCount += 1
            let time = now + delay + .milliseconds(Int.random(in: 1...longestDelay, using: &random))
            flights.append(Flight(time: time, number: flightCount, member: member, source: source, octets: octets))
        }
    }

    private mutating func collect() {
        for datagram in controller.takeOutgoing() {
            recorded.append(datagram.octets)
            if let destination = datagram.destination {
                fly(datagram.octets, to: destination, from: -1)
            } else {
                for number in members.indices { fly(datagram.octets, to: number, from: -1) }
            }
        }
        for number in members.indices {
            // A member has one command at a time, and the next one after it.
            for round in 0... {
                let commands = members[number].takeCommands()
                if commands.isEmpty { break }
                if round > 1000 {
                    Issue.record("member \(number) repeats its commands without end")
                    break
                }
                for command in commands where finishes {
                    done[number].append(command.sequence)
                    members[number].finish(command, reply: [UInt8(truncatingIfNeeded: command.sequence)])
                }
            }
            for datagram in members[number].takeOutgoing() {
                recorded.append(datagram.octets)
                fly(datagram.octets, to: nil, from: number, delay: datagram.delay)
            }
        }
        events += controller.takeEvents()
    }

    mutating func submit() throws {
        _ = try controller.submit([1, 2, 3], at: now + controllerClock)
        collect()
    }

    mutating func run(_ time: Duration, until condition: (Network) -> Bool = { _ in false }) {
        let end = now + time
        collect()
        while now < end, !condition(self) {
            now += .milliseconds(5)
            let due = flights.filter { $0.time <= now }.sorted { ($0.time, $0.number) < ($1.time, $1.number) }
            flights.removeAll { $0.time <= now }
            for flight in due {
                if let member = flight.member {
                    if !off.contains(member) {
                        members[member].receive(flight.octets, from: flight.source, at: now + memberClocks[member])
                    }
                } else {
                    controller.receive(flight.octets, from: flight.source, at: now + controllerClock)
                }
            }
            if let deadline = controller.deadline, deadline <= now + controllerClock {
                controller.handleTimeout(at: now + controllerClock)
            }
            collect()
        }
    }

    var completed: Int { events.count { if case .completed = $0 { true } else { false } } }
    var failures: [GroupController<Int>.Event] {
        events.filter { if case .failed = $0 { true } else { false } }
    }
}

struct GroupTests {
    @Test func twoHundredMembersDoEachCommandOnceInOrder() throws {
        var network = Network(200, seed: 1)
        network.loss = 30
        network.duplicates = 20
        network.longestDelay = 200
        for _ in 0..<8 {
            try network.submit()
            network.run(.milliseconds(300))
        }
        network.run(.seconds(30)) { $0.completed == 8 }
        #expect(network.completed == 8)
        #expect(network.failures.isEmpty)
        #expect(network.done == Array(repeating: Array(0..<8), count: 200))
        #expect(network.events.count { if case .acknowledged = $0 { true } else { false } } == 8 * 200)
        print("group: 200 members, 30 % loss: \(network.recorded.count) datagrams, \(network.now)")
    }

    @Test func aGoodNetworkNeedsOneDatagramForEachCommand() throws {
        var network = Network(50, seed: 2)
        try network.submit()
        network.run(.seconds(2)) { $0.completed == 1 }
        // The members know the controller now.
        network.recorded = []
        try network.submit()
        network.run(.seconds(2)) { $0.completed == 2 }
        #expect(network.completed == 2)
        #expect(network.recorded.count == 51, "one command, and one acknowledgement from each member")
    }

    @Test func badNetworksOfManyKindsLoseAndRepeatNothing() throws {
        for seed in 0..<40 as Range<UInt64> {
            var network = Network(6, seed: seed)
            network.loss = Int(seed % 5) * 10
            network.duplicates = Int(seed % 3) * 30
            network.longestDelay = [5, 100, 400][Int(seed % 3)]
            var count = 0
            while count < 20 {
                if (try? network.submit()) != nil { count += 1 }
                network.run(.milliseconds(Int(seed % 4) * 100 + 5))
            }
            network.run(.seconds(60)) { $0.completed == 20 }
            #expect(network.failures.isEmpty, "seed \(seed)")
            #expect(network.done == Array(repeating: Array(0..<20), count: 6), "seed \(seed)")
        }
    }

    @Test func aSilentMemberFailsAndTheOthersContinue() throws {
        var network = Network(3, seed: 3)
        network.off = [1]
        try network.submit()
        network.run(.seconds(25))
        #expect(network.failures == [.failed(sequence: 0, member: "lamp 1", .noAnswer)])
        #expect(network.done == [[0], [], [0]])
        network.off = []
        try network.submit()
        network.run(.seconds(5)) { $0.completed == 2 }
        #expect(network.done == [[0, 1], [1], [0, 1]], "a command that failed is not carried out late")
    }

    /// A member that forgets what it did must not do it again.
    @Test func aRestartedMemberDoesNothingTwice() throws {
        for seed in 0..<30 as Range<UInt64> {
            var network = Network(4, seed: seed)
            network.loss = 40
            for step in 0..<30 {
                _ = try? network.submit()
                network.run(.milliseconds(200))
                if step % 3 == 2 { network.restart(Int(seed) % 4) }
            }
            network.run(.seconds(40)) { $0.controller.deadline == nil }
            for (number, done) in network.done.enumerated() {
                #expect(done == Array(Set(done)).sorted(), "seed \(seed), member \(number): \(done)")
            }
            // What did not fail is done.
            for number in 0..<4 {
                let failed = network.failures.compactMap { event -> UInt64? in
                    if case .failed(let sequence, "lamp \(number)", _) = event { sequence } else { nil }
                }
                let submitted = UInt64(network.completed)
                let missing = Set(0..<submitted).subtracting(network.done[number]).subtracting(failed)
                #expect(missing.isEmpty, "seed \(seed), member \(number)")
            }
        }
    }

    @Test func clocksThatJumpRepeatNothing() throws {
        for seed in 0..<30 as Range<UInt64> {
            var network = Network(5, seed: seed)
            network.loss = 20
            for _ in 0..<20 {
                _ = try? network.submit()
                network.run(.milliseconds(150))
                let jump = Duration.seconds(Int.random(in: -7200...7200, using: &network.random))
                if seed % 2 == 0 {
                    network.controllerClock += jump
                } else {
                    network.memberClocks[Int(seed) % 5] += jump
                }
            }
            network.run(.seconds(40))
            for done in network.done { #expect(done == Array(Set(done)).sorted(), "seed \(seed)") }
        }
    }

    // MARK: Attacks

    @Test func recordedDatagramsDoNothing() throws {
        var network = Network(3, seed: 4)
        for _ in 0..<5 {
            try network.submit()
            network.run(.seconds(1))
        }
        let before = network.done
        let recorded = network.recorded
        for octets in recorded {
            for number in 0..<3 { network.members[number].receive(octets, from: 99, at: network.now) }
            network.controller.receive(octets, from: 99, at: network.now)
        }
        network.run(.seconds(1))
        #expect(network.done == before)
        #expect(network.members.allSatisfy { $0.dropped.replayed >= 5 })
        #expect(network.controller.dropped.replayed >= 15)
        // Nor after a member has forgotten everything: it asks for a proof, which no recording is.
        network.restart(0)
        for octets in recorded { network.members[0].receive(octets, from: 99, at: network.now) }
        #expect(network.members[0].takeCommands().isEmpty)
        #expect(network.members[0].dropped.unexpected >= 1, "a proof for an earlier run")
        // Nor with another controller in the meantime.
        network.controller = GroupController(
            members: ["lamp 0", "lamp 1", "lamp 2"], key: network.key, session: GroupSession(using: &network.random))
        try network.submit()
        network.run(.seconds(2))
        for octets in recorded { network.members[0].receive(octets, from: 99, at: network.now) }
        network.run(.seconds(1))
        #expect(network.done[0] == before[0] + [0])
    }

    @Test func aRecordingHasNoEffectHoweverManyControllersFollow() throws {
        var network = Network(1, seed: 9)
        for _ in 0..<90 {
            network.controller = GroupController(
                members: ["lamp 0"], key: network.key, session: GroupSession(using: &network.random))
            try network.submit()
            network.run(.seconds(1)) { !$0.events.isEmpty }
            network.events = []
            network.now += .seconds(70)
        }
        #expect(network.done[0].count == 90, "a ninth controller takes the place of an idle one")
        for octets in network.recorded { network.members[0].receive(octets, from: 99, at: network.now) }
        #expect(network.members[0].takeCommands().isEmpty)
    }

    @Test func aControllerWhoseCommandNeverEndsDoesNotShutOthersOut() throws {
        var network = Network(1, seed: 10)
        network.finishes = false
        try network.submit()
        network.run(.seconds(1))
        network.finishes = true
        for _ in 0..<9 {
            network.now += .seconds(70)
            network.controller = GroupController(
                members: ["lamp 0"], key: network.key, session: GroupSession(using: &network.random))
            try network.submit()
            network.run(.seconds(2))
        }
        #expect(network.done[0].count == 9)
    }

    @Test func theGreatestNumbersTrapNothing() throws {
        var network = Network(1, seed: 11)
        var sealer = GroupSealer(network.key, GroupSession(using: &network.random))
        for sequence in [UInt64.max, UInt64.max - 1, GroupContent.greatestSequence] {
            let content = GroupContent.encode(GroupContent.Command(sequence: sequence, first: sequence, body: []))
            network.members[0].receive(sealer.seal(GroupDatagram.Kind.command, content), from: 99, at: network.now)
            for datagram in network.members[0].takeOutgoing() {
                let header = try #require(GroupDatagram.header(of: datagram.octets))
                let proof = GroupContent.Proof(member: header.session, challenge: header.counter, first: sequence)
                network.members[0].receive(
                    sealer.seal(GroupDatagram.Kind.proof, GroupContent.encode(proof)), from: 99, at: network.now)
                network.members[0].receive(sealer.seal(GroupDatagram.Kind.command, content), from: 99, at: network.now)
            }
        }
        let commands = network.members[0].takeCommands()
        #expect(commands.map(\.sequence) == [GroupContent.greatestSequence])
        for command in commands { network.members[0].finish(command) }
    }

    @Test func forgedAndChangedDatagramsAreDroppedAndCounted() throws {
        var network = Network(1, seed: 5)
        try network.submit()
        network.run(.seconds(1))
        _ = try network.controller.submit([9], at: network.now)
        let genuine = try #require(network.controller.takeOutgoing().first).octets
        let before = network.members[0].dropped.forged
        var count = 0
        for index in genuine.indices where index != 1 {
            var changed = genuine
            changed[index] ^= 0x10
            network.members[0].receive(changed, from: 99, at: network.now)
            count += 1
        }
        for length in 0..<genuine.count {
            network.members[0].receive(Array(genuine[..<length]), from: 99, at: network.now)
            count += 1
        }
        network.members[0].receive([UInt8](repeating: 1, count: 2000), from: 99, at: network.now)
        // A member of another group.
        let other = GroupKey(PreSharedKey(octets: [UInt8](repeating: 8, count: 32))!)
        var stranger = GroupSealer(other, GroupSession(using: &network.random))
        let content = GroupContent.encode(GroupContent.Command(sequence: 0, first: 0, body: []))
        network.members[0].receive(stranger.seal(GroupDatagram.Kind.command, content), from: 99, at: network.now)
        #expect(network.members[0].dropped.forged - before == count + 2)
        #expect(network.members[0].takeCommands().isEmpty)
        #expect(network.members[0].takeOutgoing().isEmpty, "a forgery gets no answer")
        network.members[0].receive(genuine, from: 99, at: network.now)
        #expect(network.members[0].takeCommands().map(\.body) == [[9]])
    }

    /// Octets without meaning, sealed with the right key: the members of a group trust each other, but nothing traps.
    @Test func authenticNonsenseDoesNoHarm() throws {
        var network = Network(2, seed: 6)
        try network.submit()
        network.run(.seconds(1))
        var sealer = GroupSealer(network.key, GroupSession(using: &network.random))
        for round in 0..<5000 {
            let length = Int.random(in: 0...80, using: &network.random)
            let content = (0..<length).map { _ in UInt8.random(in: 0...255, using: &network.random) }
            let datagram = sealer.seal(UInt8(round % 6), content)
            network.members[0].receive(datagram, from: 99, at: network.now)
            network.controller.receive(datagram, from: 99, at: network.now)
        }
        #expect(network.members[0].takeCommands().isEmpty)
        #expect(network.members[0].takeOutgoing().count <= 20, "challenges have a limit")
        try network.submit()
        network.run(.seconds(5)) { $0.completed == 2 }
        #expect(network.done == [[0, 1], [0, 1]])
    }

    @Test func moreControllersThanAMemberKeepsAreRefused() {
        var network = Network(1, seed: 7)
        var refused = 0
        for _ in 0..<12 {
            network.controller = GroupController(
                members: ["lamp 0"], key: network.key, session: GroupSession(using: &network.random))
            let before = network.done[0].count
            _ = try? network.submit()
            network.run(.seconds(2))
            if network.done[0].count == before { refused += 1 }
        }
        #expect(refused == 4)
    }

    /// Recorded commands of one session must not keep a member from challenging a controller that is there.
    @Test func recordingsOfOneSessionLeaveChallengesForOthers() throws {
        var network = Network(1, seed: 12)
        var recorded = GroupController<Int>(
            members: ["lamp 0"], key: network.key, session: GroupSession(using: &network.random))
        _ = try recorded.submit([1], at: .zero)
        let recording = try #require(recorded.takeOutgoing().first).octets
        for _ in 0..<1000 { network.members[0].receive(recording, from: 99, at: network.now) }
        #expect(network.members[0].takeOutgoing().count == 4)
        try network.submit()
        network.run(.milliseconds(400)) { $0.completed == 1 }
        #expect(network.done == [[0]], "in the same second")
    }

    /// However often a member starts again, its recorded challenges fail no command.
    @Test func recordedChallengesOfEarlierRunsDoNothing() throws {
        var network = Network(1, seed: 13)
        for _ in 0..<30 {
            try network.submit()
            network.run(.seconds(1))
            network.restart(0)
        }
        try network.submit()
        network.run(.seconds(1))
        #expect(network.completed == 31)
        let recorded = network.recorded
        network.finishes = false
        try network.submit()
        network.run(.milliseconds(100))
        let failures = network.failures
        for octets in recorded { network.controller.receive(octets, from: 99, at: network.now) }
        network.run(.milliseconds(10))
        #expect(network.failures == failures)
        #expect(network.completed == 31, "the command still waits for the member")
    }

    @Test func limitsOfCommandsAreKept() throws {
        var network = Network(1, seed: 8)
        network.off = [0]
        #expect(throws: GroupController<Int>.SubmitError.tooLong) {
            try network.controller.submit([UInt8](repeating: 0, count: 1025), at: .zero)
        }
        for _ in 0..<16 { try network.submit() }
        #expect(throws: GroupController<Int>.SubmitError.tooManyCommands) {
            try network.controller.submit([], at: .zero)
        }
        let longest = [UInt8](repeating: 0, count: 1024)
        var controller = GroupController<Int>(
            members: ["x"], key: network.key, session: GroupSession(using: &network.random))
        _ = try controller.submit(longest, at: .zero)
        let datagram = try #require(controller.takeOutgoing().first)
        #expect(datagram.octets.count <= GroupDatagram.longest)
    }

    @Test func aWindowAcceptsEachCounterOnce() {
        var window = ReplayWindow()
        var random = Seeded(9)
        var seen: Set<UInt64> = []
        var newest: UInt64 = 0
        for _ in 0..<20_000 {
            let low = newest > 1500 ? newest - 1500 : 0
            let counter = UInt64.random(in: low...newest + 40, using: &random)
            let isTooOld = newest >= counter && newest - counter >= ReplayWindow.size && !seen.isEmpty
            #expect(window.accepts(counter) == (!seen.contains(counter) && !isTooOld))
            if window.accepts(counter) {
                window.insert(counter)
                seen.insert(counter)
                newest = max(newest, counter)
            }
        }
        // A jump beyond the window forgets nothing that would let an old counter in.
        window.insert(newest + 100_000)
        #expect(!window.accepts(newest))
        #expect(window.accepts(newest + 99_999))
        #expect(!window.accepts(newest + 100_000))
    }

    @Test func noDescriptionContainsTheKey() {
        let key = GroupKey(PreSharedKey(octets: [UInt8](repeating: 0xAB, count: 32))!)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", dumped] { #expect(!text.contains("171") && !text.lowercased().contains("abab")) }
    }
}
