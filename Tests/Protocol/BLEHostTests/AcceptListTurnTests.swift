import BLEWire
import Testing

@testable import BLEHost

/// More peers than the accept list holds, up to several times its size.
struct AcceptListTurnTests {
    private struct Runner {
        var initiator: ConnectionInitiator
        var now = Instant.zero
        private var list: [DeviceAddress] = []
        /// The peers of the running attempt.
        private(set) var current: [DeviceAddress] = []
        let capacity: Int

        /// - Parameter reported: The size of the list according to the controller.
        init(capacity: Int, reported: Int? = nil) {
            self.capacity = capacity
            initiator = ConnectionInitiator(capacity: reported ?? capacity)
        }

        /// Carries out the actions until the initiator waits.
        mutating func go() {
            while let action = initiator.next(at: now) {
                switch action {
                case .add where list.count == capacity:
                    #expect(initiator.completed(action, .memoryCapacityExceeded, at: now) == .none)
                    continue
                case .add(let address): list.append(address)
                case .remove(let address): list.removeAll { $0 == address }
                case .create(let target): current = target.map { [$0] } ?? list
                case .cancel: current = []
                }
                #expect(list.count <= capacity)
                _ = initiator.completed(action, .success, at: now)
                if action == .cancel {
                    _ = initiator.ended(.unknownConnectionIdentifier, address: DeviceAddress(kind: .public, value: 0))
                }
            }
        }

        /// Lets the turn end. Returns false if it has no end.
        mutating func endTurn() -> Bool {
            guard let deadline = initiator.deadline else { return false }
            now = deadline
            initiator.handleTimeout(at: now)
            go()
            return true
        }
    }

    private func address(_ value: Int) -> DeviceAddress { DeviceAddress(kind: .random, value: UInt64(value)) }

    private static let sizes = [(1, 2), (1, 5), (2, 3), (2, 4), (2, 5), (2, 9), (3, 4), (3, 7), (3, 10)]

    /// No peer waits for more than a round of turns, in whatever order the requests come.
    @Test(arguments: sizes) func noPeerWaitsForMoreThanARound(capacity: Int, count: Int) {
        for early in [count, 1, capacity, capacity + 1] where early <= count {
            var runner = Runner(capacity: capacity)
            for number in 1...early { runner.initiator.connect(to: address(number)) }
            runner.go()
            for number in 1...count { runner.initiator.connect(to: address(number)) }
            runner.go()
            var waits = [Int](repeating: 0, count: count + 1)
            let round = (count + capacity - 1) / capacity + 1
            for turn in 0..<4 * round {
                #expect(runner.current.count == capacity)
                for number in 1...count {
                    waits[number] = runner.current.contains(address(number)) ? 0 : waits[number] + 1
                    #expect(waits[number] <= round, "peer \(number) of \(count), turn \(turn)")
                }
                guard runner.endTurn() else {
                    Issue.record("turn \(turn) has no end")
                    return
                }
            }
        }
    }

    /// A list that has fewer places than the controller reported is used whole, and its peers take turns.
    @Test(arguments: sizes) func aSmallerListThanReportedIsUsedWhole(capacity: Int, count: Int) {
        var runner = Runner(capacity: capacity, reported: capacity + 1)
        for number in 1...count { runner.initiator.connect(to: address(number)) }
        runner.go()
        var seen: Set<DeviceAddress> = []
        for _ in 0..<2 * count {
            seen.formUnion(runner.current)
            #expect(runner.current.count == capacity)
            #expect(runner.endTurn() == true)
        }
        #expect(seen.count == count)
    }

    /// A peer of the list connects, is lost and is requested again, faster than a turn ends.
    @Test func peersThatComeAndGoDoNotStopTheTurns() throws {
        var runner = Runner(capacity: 2)
        for number in 1...5 { runner.initiator.connect(to: address(number)) }
        runner.go()
        var seen: Set<DeviceAddress> = []
        for _ in 0..<12 {
            seen.formUnion(runner.current)
            let peer = try #require(runner.current.first)
            runner.now += .seconds(1)
            #expect(runner.initiator.connected(to: peer) == true)
            runner.go()
            runner.initiator.connect(to: peer)
            runner.go()
        }
        #expect(seen.count == 5)
    }

    /// Peers that are given up in any turn leave a list within its size, and the others get their turns.
    @Test(arguments: sizes) func givenUpPeersLeaveTurnsToTheOthers(capacity: Int, count: Int) {
        for turns in 0...count {
            for removed in 1..<count {
                for isFromTheEnd in [true, false] {
                    var runner = Runner(capacity: capacity)
                    for number in 1...count { runner.initiator.connect(to: address(number)) }
                    runner.go()
                    for _ in 0..<turns { #expect(runner.endTurn() == true) }
                    let numbers = isFromTheEnd ? count - removed + 1...count : 1...removed
                    for number in numbers { runner.initiator.cancel(address(number)) }
                    runner.go()
                    var seen: Set<DeviceAddress> = []
                    for _ in 0...count {
                        seen.formUnion(runner.current)
                        _ = runner.endTurn()
                    }
                    #expect(seen.count == count - removed, "\(removed) of \(count) given up after \(turns) turns")
                    #expect((runner.initiator.deadline == nil) == (count - removed <= capacity))
                }
            }
        }
    }

    /// A whole host takes turns without any other event, in the second round as in the first.
    @Test(arguments: [(1, 2), (2, 3), (2, 5), (3, 5), (4, 5), (2, 9)]) func aHostTakesTurnsWithoutEnd(
        capacity: Int, count: Int
    ) {
        let bench = Bench()
        let central = bench.ready { $0.acceptListSize = UInt8(capacity) }
        for number in 1...count { central.host.connect(to: address(number), at: bench.now) }
        bench.settle()
        var waits = [Int](repeating: 0, count: count + 1)
        let round = (count + capacity - 1) / capacity
        for turn in 0..<5 * round {
            #expect(central.controller.isInitiating && central.controller.acceptList.count == capacity)
            for number in 1...count {
                let isListed = central.controller.acceptList.contains(address(number))
                waits[number] = isListed ? 0 : waits[number] + 1
                #expect(waits[number] < round, "peer \(number), turn \(turn)")
            }
            bench.run(ConnectionInitiator.turn)
        }
    }

    /// A peer that begins to advertise late is found in the turn that is its own, whatever the round.
    @Test(arguments: [0, 1, 2, 5, 9]) func aLatePeerIsFound(turns: Int) {
        let bench = Bench()
        let central = bench.ready { $0.acceptListSize = 2 }
        let peripheral = bench.ready()
        for number in 1...4 { central.host.connect(to: address(number), at: bench.now) }
        central.host.connect(to: peripheral.controller.address, at: bench.now)
        bench.settle()
        for _ in 0..<turns { bench.run(ConnectionInitiator.turn) }
        peripheral.host.setAdvertising(AdvertisingParameters(data: []), at: bench.now)
        for _ in 0..<3 { bench.run(ConnectionInitiator.turn) }
        #expect(central.connected.count == 1)
        // The others go on.
        var seen: Set<DeviceAddress> = []
        for _ in 0..<4 {
            seen.formUnion(central.controller.acceptList)
            bench.run(ConnectionInitiator.turn)
        }
        #expect(seen == Set((1...4).map { address($0) }))
    }
}

/// What an initiator, an advertiser and a scanner keep of an attempt does not reach the next one.
struct SecondAttemptTests {
    private let peer = DeviceAddress(kind: .random, value: 1)
    private let none = DeviceAddress(kind: .public, value: 0)

    /// Begins an attempt that the controller accepts.
    private func begin(_ initiator: inout ConnectionInitiator) {
        initiator.connect(to: peer)
        #expect(initiator.next(at: .zero) == .create(peer))
        #expect(initiator.completed(.create(peer), .success, at: .zero) == .none)
    }

    @Test func aRefusalAfterASuccessIsAFirstOne() {
        var initiator = ConnectionInitiator(capacity: 2)
        for _ in 0..<3 {
            initiator.connect(to: peer)
            #expect(initiator.next(at: .zero) == .create(peer))
            // The owner stops its scan and retries.
            #expect(initiator.completed(.create(peer), .commandDisallowed, at: .zero) == .refused)
            initiator.retry()
            #expect(initiator.next(at: .zero) == .create(peer))
            #expect(initiator.completed(.create(peer), .success, at: .zero) == .none)
            #expect(initiator.connected(to: peer) == true)
        }
    }

    @Test func aRefusalAfterAFailedRequestIsAFirstOne() {
        var initiator = ConnectionInitiator(capacity: 2)
        for _ in 0..<3 {
            initiator.connect(to: peer)
            #expect(initiator.next(at: .zero) == .create(peer))
            #expect(initiator.completed(.create(peer), .commandDisallowed, at: .zero) == .refused)
            initiator.retry()
            #expect(initiator.next(at: .zero) == .create(peer))
            #expect(initiator.completed(.create(peer), .commandDisallowed, at: .zero) == .none)
            #expect(initiator.next(at: .zero) == .cancel)
            #expect(initiator.completed(.cancel, .commandDisallowed, at: .zero) == .none)
            // The controller had nothing to cancel; the event may be missing.
            #expect(initiator.handleTimeout(at: .zero + ConnectionInitiator.eventTimeout) == true)
            #expect(initiator.next(at: .zero) == .create(peer))
            let outcome = initiator.completed(.create(peer), .commandDisallowed, at: .zero)
            #expect(outcome == .failed([peer], .commandDisallowed))
        }
    }

    /// The initiator gives up after three attempts that end for no known peer; a link in between begins the count again.
    @Test func aLinkBetweenFailuresBeginsTheCountAgain() {
        var initiator = ConnectionInitiator(capacity: 2)
        for _ in 0..<3 {
            for _ in 0..<2 {
                begin(&initiator)
                #expect(initiator.ended(.hardwareFailure, address: none) == .none)
            }
            begin(&initiator)
            #expect(initiator.connected(to: peer) == true)
        }
        for _ in 0..<2 {
            for _ in 0..<2 {
                begin(&initiator)
                #expect(initiator.ended(.hardwareFailure, address: none) == .none)
            }
            begin(&initiator)
            #expect(initiator.ended(.hardwareFailure, address: none) == .failed([peer], .hardwareFailure))
        }
    }

    /// After an attempt that this host did not start, a cancelled attempt of its own owes an event again.
    @Test func aClearedControllerOwesTheEventOfALaterCancellation() {
        var initiator = ConnectionInitiator(capacity: 2)
        initiator.connect(to: peer)
        _ = initiator.next(at: .zero)
        _ = initiator.completed(.create(peer), .commandDisallowed, at: .zero)
        initiator.retry()
        _ = initiator.next(at: .zero)
        _ = initiator.completed(.create(peer), .commandDisallowed, at: .zero)
        #expect(initiator.next(at: .zero) == .cancel)
        _ = initiator.completed(.cancel, .success, at: .zero)
        #expect(initiator.ended(.unknownConnectionIdentifier, address: none) == .none)
        begin(&initiator)
        initiator.cancel(peer)
        #expect(initiator.next(at: .zero) == .cancel)
        #expect(initiator.completed(.cancel, .commandDisallowed, at: .zero) == .none)
        #expect(initiator.handleTimeout(at: .zero + ConnectionInitiator.eventTimeout) == false)
    }

    @Test func anotherRequestAdvertisesAfterARefusal() {
        var advertiser = Advertiser()
        let wish = AdvertisingParameters(data: [2, 1, 6])
        for _ in 0..<2 {
            // Refused twice in a row: the second refusal belongs to the second request.
            for _ in 0..<2 {
                advertiser.request(wish)
                while let action = advertiser.next() {
                    let isRefused = action == .enable
                    let report = advertiser.completed(isRefused ? .commandDisallowed : .success)
                    #expect(report == (isRefused ? .failed(.commandDisallowed) : .none))
                }
                #expect(advertiser.takeReport() == .none)
            }
            advertiser.request(wish)
            while advertiser.next() != nil { _ = advertiser.completed(.success) }
            #expect(advertiser.takeReport() == .applied && advertiser.isOn)
            // A link ends advertising, and the controller refuses to begin again during the link.
            advertiser.connectionMade()
            #expect(advertiser.next() == .enable)
            #expect(advertiser.completed(.connectionLimitExceeded) == .none)
            #expect(advertiser.next() == nil)
            // A new request tries again at once.
            advertiser.request(wish)
            #expect(advertiser.next() == .enable)
            #expect(advertiser.completed(.success) == .none)
            #expect(advertiser.takeReport() == .applied)
            advertiser.request(nil)
            while advertiser.next() != nil { _ = advertiser.completed(.success) }
            #expect(advertiser.takeReport() == .applied && !advertiser.isOn)
        }
    }

    @Test func aRefusedBackgroundScanIsTriedAgainWhenItIsDueAgain() {
        var scanner = Scanner()
        for _ in 0..<2 {
            scanner.background = ScanParameters(isActive: false)
            while let action = scanner.next() {
                if case .setParameters = action {
                    #expect(scanner.completed(.success) == nil)
                } else {
                    #expect(action == .enable(filtersDuplicates: false))
                    #expect(scanner.completed(.commandDisallowed) == nil)
                }
            }
            #expect(!scanner.isOn)
            scanner.background = nil
            #expect(scanner.next() == nil)
        }
        scanner.background = ScanParameters(isActive: false)
        #expect(scanner.next() == .enable(filtersDuplicates: false))
    }

    /// A controller that failed without a credit gets its first command at once.
    @Test func aResetReturnsTheFirstCredit() {
        var queue = CommandQueue<Int>()
        var output: [UInt8] = []
        for round in 0..<3 {
            queue.enqueue(HCI.Reset(), timeout: .seconds(2), purpose: round)
            queue.pump(into: &output, at: .zero)
            #expect(output == [1, 3, 0x0C, 0], "round \(round)")
            output = []
            _ = queue.answered(opcode: .reset, credits: 0)
            queue.enqueue(HCI.ReadBDADDR(), timeout: .seconds(2), purpose: round)
            queue.pump(into: &output, at: .zero)
            #expect(output.isEmpty && queue.deadline == .zero + .seconds(2))
            queue.reset()
            #expect(queue.deadline == nil && queue.isIdle)
        }
    }

    /// The wait for a credit does not begin again with each command.
    @Test func theWaitForACreditEnds() {
        var queue = CommandQueue<Int>()
        var output: [UInt8] = []
        _ = queue.answered(opcode: .none, credits: 0)
        for second in 0..<2 {
            queue.enqueue(HCI.Reset(), timeout: .seconds(2), purpose: second)
            queue.pump(into: &output, at: .zero + .seconds(second))
        }
        #expect(output.isEmpty && queue.deadline == .zero + .seconds(2))
        #expect(queue.expire(at: .zero + .seconds(2)) == nil)
        queue.pump(into: &output, at: .zero + .seconds(2))
        #expect(output == [1, 3, 0x0C, 0])
        // The second wait is as long.
        _ = queue.answered(opcode: .reset, credits: 0)
        queue.pump(into: &output, at: .zero + .seconds(3))
        #expect(queue.deadline == .zero + .seconds(5))
    }
}
