import BLEAdapter
import BLEHostAdapter
import BLEWire
import Testing

@testable import BLESimulator

/// What each fault does, what it does not do, and that it ends.
struct FaultTests {
    typealias Pair = ConversationTests.Pair

    /// The virtual time that `body` takes.
    private func time(_ world: World, _ body: () async throws -> Void) async rethrows -> Duration {
        let start = world.now
        try await body()
        return world.now - start
    }

    // MARK: Starts

    @Test(arguments: [(0, 0), (1_500, 1_500), (1_900, 1_900), (60_000, 1_900), (-5, 0)])
    func aStartIsLate(_ delay: Int, _ expected: Int) async throws {
        let world = World(seed: 1)
        let device = world.addDevice("phone")
        let report = device.inject(.lateStart(by: .milliseconds(delay)))
        let central = TestCentral(device, in: world)
        let first = try await time(world) { try await central.poweredOn() }
        #expect(first >= .milliseconds(expected) && first < .milliseconds(expected + 500))
        // The start after a failure of the controller is late as well.
        let start = central.events.count
        device.restartAdapter()
        let second = try await time(world) {
            _ = try await central.wait(from: start, "power") { $0 == .state(.poweredOn) ? true : nil }
        }
        #expect(second >= .milliseconds(expected))
        #expect(report.lines.count >= 3)
        device.removeFaults()
        let next = central.events.count
        device.restartAdapter()
        let third = try await time(world) {
            _ = try await central.wait(from: next, "power") { $0 == .state(.poweredOn) ? true : nil }
        }
        #expect(third < .seconds(1))
    }

    // MARK: Completed packets

    /// Sends 200 Write Commands of 100 octets, which carry their numbers.
    private func writeMuch(_ pair: Pair, _ handle: UInt16) {
        for number in 0..<200 as Range<UInt8> {
            let value = [UInt8](repeating: number, count: 100)
            _ = pair.central.session.writeCommand(value.span, handle: handle, to: pair.peer)
        }
    }

    /// The numbers of the Write Commands that the band has.
    private func arrived(_ pair: Pair) -> [UInt8] {
        pair.peripheral.events.compactMap { event in
            if case .write(let items, needsResponse: false) = event { items.first?.value.first } else { nil }
        }
    }

    @Test func completedPacketsStallAndContinue() async throws {
        let pair = try await Pair()
        let handle = try await pair.handles()[1].valueHandle
        await pair.world.run(for: .seconds(1))
        let report = pair.phone.inject(.stalledCompletions(after: .seconds(1), lasting: .seconds(10)))
        await pair.world.run(for: .seconds(2))
        let peer = pair.peer
        writeMuch(pair, handle)
        await pair.world.run(for: .seconds(7))
        // What the controller has buffers for.
        #expect((1...16).contains(arrived(pair).count))
        #expect(!pair.central.events.contains(.readyForWriteCommands(peer)))
        await pair.world.run(for: .seconds(20))
        #expect(arrived(pair) == Array(0..<200))
        #expect(pair.central.events.contains(.readyForWriteCommands(peer)))
        #expect(report.lines.count == 2)
        // After the stall the link works as before.
        #expect(try await time(pair.world) { _ = try await pair.central.signal(of: peer) } < .seconds(1))
        #expect(try await pair.handles().count == 4)
    }

    @Test func theEndOfARemovedStallDoesNotEndTheNext() async throws {
        let pair = try await Pair()
        let handle = try await pair.handles()[1].valueHandle
        await pair.world.run(for: .seconds(1))
        pair.phone.inject(.stalledCompletions(after: .zero, lasting: .seconds(2)))
        try await pair.central.perform(.read(handle: handle), on: pair.peer)
        pair.phone.removeFaults()
        pair.phone.inject(.stalledCompletions(after: .zero, lasting: .seconds(10)))
        writeMuch(pair, handle)
        await pair.world.run(for: .seconds(5))
        #expect((1...16).contains(arrived(pair).count))
        await pair.world.run(for: .seconds(20))
        #expect(arrived(pair) == Array(0..<200))
    }

    @Test func theEndOfALinkEndsTheStall() async throws {
        let bonded = try await BondedPair()
        let pair = bonded.pair
        pair.phone.inject(.stalledCompletions(after: .zero, lasting: .seconds(40)))
        try await bonded.read()
        try await bonded.disconnect()
        try await pair.central.connect(pair.peer)
        try await bonded.read()
        #expect(pair.phone.links.count == 1)
    }

    // MARK: Service Changed and caches

    @Test func serviceChangedIsLost() async throws {
        let pair = try await Pair()
        await pair.world.run(for: .seconds(3))
        let report = pair.phone.inject(.lostServiceChanged)
        let peer = pair.peer
        // The server gets its confirmations: it sends each change.
        for token in 2...3 {
            try await BondedPair.publish(BondedPair.service, token: token, on: pair.peripheral)
            await pair.world.run(for: .seconds(2))
        }
        #expect(!pair.central.events.contains(.servicesChanged(peer)))
        #expect(report.lines.count == 3)
        pair.phone.removeFaults()
        try await BondedPair.publish(BondedPair.service, token: 4, on: pair.peripheral)
        await pair.world.run(for: .seconds(2))
        #expect(pair.central.events.contains(.servicesChanged(peer)))
    }

    /// The services of a bonded peer after a change that it made between two links.
    private func services(with faults: [Fault]) async throws -> [BluetoothUUID] {
        let bonded = try await BondedPair { device in for fault in faults { device.inject(fault) } }
        let pair = bonded.pair
        // The phone subscribes to Service Changed before the bond, and keeps what it finds after it.
        _ = try await pair.central.services(of: pair.peer)
        await pair.world.run(for: .seconds(3))
        try await bonded.disconnect()
        try await BondedPair.publish(BluetoothUUID(UInt16(0xFEE9)), token: 3, on: pair.peripheral)
        try await pair.central.connect(pair.peer)
        await pair.world.run(for: .seconds(3))
        return try await pair.central.services(of: pair.peer).map(\.uuid)
    }

    @Test func aCacheIsStaleIfBothItsChecksFail() async throws {
        let old = [TestPeripheral.service, BondedPair.service]
        let new = old + [BluetoothUUID(UInt16(0xFEE9))]
        #expect(try await services(with: []) == new)
        #expect(try await services(with: [.lostServiceChanged]) == new)
        #expect(try await services(with: [.staleCache]) == new)
        #expect(try await services(with: [.staleCache, .lostServiceChanged]) == old)
    }

    // MARK: Bonds

    @Test func bondsAreForgotten() async throws {
        let bonded = try await BondedPair()
        let pair = bonded.pair
        let start = pair.central.events.count
        pair.band.inject(.forgottenBonds(after: .seconds(5)))
        await pair.world.run(for: .seconds(4))
        #expect(pair.phone.links.count == 1)
        try await pair.central.wait(from: start, "the end") { $0.isLoss ? true : nil }
        #expect(pair.world.now < .seconds(60))
        // The phone has its keys, and the band does not.
        let (next, peer) = (pair.central.events.count, pair.peer)
        pair.central.session.connect(peer, options: ConnectionOptions())
        let failure = try await pair.central.wait(from: next, "a failure") { event -> ConnectionError? in
            if case .connectionFailed(peer, let failure) = event { failure } else { nil }
        }
        #expect(failure == .peerRemovedPairingInformation)
    }

    /// Without bonds, and after its removal, the fault does nothing.
    @Test(arguments: [false, true]) func aDeviceWithoutBondsKeepsItsLinks(_ isRemoved: Bool) async throws {
        if isRemoved {
            let bonded = try await BondedPair()
            bonded.pair.band.inject(.forgottenBonds(after: .seconds(5)))
            await bonded.pair.world.run(for: .seconds(1))
            bonded.pair.band.removeFaults()
            await bonded.pair.world.run(for: .seconds(10))
            try await bonded.read()
        } else {
            let pair = try await Pair()
            pair.band.inject(.forgottenBonds(after: .seconds(5)))
            await pair.world.run(for: .seconds(10))
            #expect(pair.phone.links.count == 1)
        }
    }

    // MARK: Answers

    /// The order in which a central gets the answer to its subscription and the first value, which the peripheral sends at once.
    @Test(arguments: [false, true]) func aNotificationOvertakesTheAnswer(_ isEarly: Bool) async throws {
        let pair = try await Pair()
        let characteristic = try await pair.handles()[0]
        let peripheral = pair.peripheral
        peripheral.react { event in
            if case .subscribed(_, TestPeripheral.notifying) = event {
                for number in 1...3 as ClosedRange<UInt8> {
                    _ = peripheral.update([number], of: TestPeripheral.notifying)
                }
            }
        }
        if isEarly { pair.phone.inject(.earlyNotification) }
        let start = pair.central.events.count
        try await pair.central.perform(
            .setNotify(valueHandle: characteristic.valueHandle, end: characteristic.end, mode: .notification),
            on: pair.peer)
        await pair.world.run(for: .seconds(3))
        let events = pair.central.events[start...]
        let answer = try #require(
            events.firstIndex { if case .completed(_, .setNotify, .success) = $0 { true } else { false } })
        let value = try #require(events.firstIndex { if case .value = $0 { true } else { false } })
        #expect((value < answer) == isEarly)
        // No value is lost or out of order.
        #expect(pair.central.values(of: characteristic.valueHandle) == [[1], [2], [3]])
        // The next subscription, without a value.
        peripheral.react(nil)
        let second = try await time(pair.world) {
            for mode in [GATTOperation.NotifyMode.off, .notification] {
                try await pair.central.perform(
                    .setNotify(valueHandle: characteristic.valueHandle, end: characteristic.end, mode: mode),
                    on: pair.peer)
            }
        }
        #expect(isEarly ? (Duration.seconds(1)...(.seconds(2))).contains(second) : second < .seconds(1))
    }

    @Test func theATTMTUShrinksAfterTheFirstLink() async throws {
        let pair = try await Pair()
        let peer = pair.peer
        pair.phone.inject(.shrinkingMTU(to: 65))
        await pair.world.run(for: .seconds(5))
        var sizes = [pair.central.session.maximumTransmissionUnit(of: peer)]
        for _ in 0..<2 {
            let start = pair.central.events.count
            pair.central.session.cancelConnection(peer)
            try await pair.central.wait(from: start, "the end") { $0.isLoss ? true : nil }
            await pair.world.run(for: .seconds(1))
            try await pair.central.connect(peer)
            sizes.append(pair.central.session.maximumTransmissionUnit(of: peer))
        }
        #expect(sizes == [498, 65, 65])
    }

    @Test func answersAreSlow() async throws {
        let pair = try await Pair()
        let handle = try await pair.handles()[1].valueHandle
        let read = GATTOperation.read(handle: handle)
        pair.band.inject(.slowAnswers(.seconds(2)))
        pair.peripheral.value = [1]
        let first = try await time(pair.world) { try await pair.central.perform(read, on: pair.peer) }
        #expect((Duration.seconds(2)...(.seconds(3))).contains(first))
        // The link ends while an answer waits. The next link gets no old answer.
        pair.central.session.submit(read, to: pair.peer)
        await pair.world.run(for: .milliseconds(500))
        let (peer, start) = (pair.peer, pair.central.events.count)
        pair.central.session.cancelConnection(peer)
        try await pair.central.wait(from: start, "the end") { $0.isLoss ? true : nil }
        pair.peripheral.value = [2]
        try await pair.central.connect(peer)
        #expect(try await pair.central.perform(read, on: peer) == .value([2]))
        pair.band.removeFaults()
        // The answers that wait keep their times.
        await pair.world.run(for: .seconds(10))
        let last = try await time(pair.world) { try await pair.central.perform(read, on: peer) }
        #expect(last < .seconds(1))
    }

    @Test func anAnswerAfterThirtySecondsIsTooLate() async throws {
        let pair = try await Pair()
        let handle = try await pair.handles()[1].valueHandle
        let start = pair.central.events.count
        pair.band.inject(.slowAnswers(.seconds(31)))
        pair.central.session.submit(.read(handle: handle), to: pair.peer)
        let peer = pair.peer
        try await pair.central.wait(from: start, timeout: .seconds(100), "the end") {
            $0 == .disconnected(peer, .failed(.attributeTimeout), isReconnecting: false) ? true : nil
        }
    }

    // MARK: Runs

    /// The events of a run, and what its faults did.
    private func run(_ faults: [Fault], removes: Bool = false) async throws -> (log: [UInt8], lines: [String]) {
        let world = World(seed: 9)
        let log = world.recordEvents()
        let device = world.addDevice("phone")
        let reports = faults.map { device.inject($0) }
        if removes { device.removeFaults() }
        let central = TestCentral(device, in: world)
        let peripheral = TestPeripheral(world.addDevice("band", at: Position(x: 1)), in: world)
        try await central.poweredOn()
        try await peripheral.publish("band")
        let peer = try await central.find("band")
        try await central.connect(peer)
        _ = try await central.characteristics(of: TestPeripheral.service, on: peer)
        await world.run(for: .seconds(5))
        return (log.octets, reports.flatMap(\.lines))
    }

    @Test func equalSeedsGiveEqualRuns() async throws {
        let faults: [Fault] = [
            .lateStart(by: .milliseconds(300)), .stalledCompletions(after: .zero, lasting: .seconds(1)),
            .slowAnswers(.milliseconds(20)),
        ]
        let (first, second) = (try await run(faults), try await run(faults))
        #expect(first == second)
        #expect(!first.lines.isEmpty)
        let without = try await run([])
        #expect(first.log != without.log)
        // The line without a fault changes nothing.
        #expect(try await run(faults, removes: true).log == without.log)
    }

    @Test func aReportHasALimit() {
        let report = FaultReport()
        for _ in 0..<FaultReport.limit + 5 { report.add("fails", of: "phone", at: .milliseconds(1_005)) }
        #expect(report.lines.count == FaultReport.limit && report.droppedLines == 5)
        #expect(report.lines.first == "1.005 s  phone: fails")
    }

    @Test func aFaultOfARemovedDeviceHasNoEffect() async throws {
        let world = World(seed: 1)
        let device = world.addDevice("phone")
        await world.run(for: .seconds(1))
        device.remove()
        await world.run(for: .seconds(1))
        let report = device.inject(.slowAnswers(.seconds(1)))
        device.removeFaults()
        await world.run(for: .seconds(1))
        #expect(report.lines.isEmpty)
    }

    /// The octets of a PDU come from any peer.
    @Test func fieldsOfCutAndRandomPacketsDoNotTrap() {
        let packets: [[UInt8]] = [
            [4, 0x0E, 4, 1, 0x03, 0x0C, 0], [4, 0x05, 4, 0, 0x40, 0, 0x13], [4, 0x13, 5, 1, 0x40, 0, 1, 0],
            [2, 0x40, 0x20, 9, 0, 5, 0, 4, 0, 0x12, 3, 0, 1, 0],
            [2, 0x40, 0x20, 11, 0, 7, 0, 4, 0, 0x1D, 3, 0, 1, 0, 9, 0],
            [2, 0x40, 0x20, 11, 0, 7, 0, 4, 0, 0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B],
            [2, 0x40, 0x20, 24, 0, 20, 0, 4, 0, 0x09, 18, 7, 0] + [UInt8](repeating: 5, count: 16),
            [4, 0x3E, 19, 1, 0, 0x40, 0], [2, 0x40, 0x20, 5, 0, 1, 0, 6, 0, 0x03],
            [2, 0x40, 0x20, 16, 0, 12, 0, 5, 0, 0x12, 1, 8, 0, 12, 0, 24, 0, 0, 0, 0x90, 1],
            [2, 0x40, 0x20, 9, 0, 5, 0, 4, 0, 0x01, 0x12, 3, 0, 3],
        ]
        var random = SeededRandom(seed: 1)
        for packet in packets {
            for length in 0...packet.count {
                var octets = Array(packet.prefix(length))
                for _ in 0..<50 {
                    let fields = HCIPacketFields(octets)
                    #expect(fields.databaseHash.map { $0.upperBound <= octets.count } ?? true)
                    #expect(fields.indicatedHandle == nil || octets.count >= 12)
                    _ = (fields.isResetComplete, fields.endedLink, fields.dataHandle, fields.isAnswer, fields.isUpdate)
                    _ = (fields.isSubscription, fields.readsDatabaseHash, fields.isAnswer(to: [0x12]))
                    _ = (fields.begunLink, fields.isPairing, fields.requestsParameters)
                    if !octets.isEmpty {
                        octets[Int(random.next() % UInt64(octets.count))] = UInt8(truncatingIfNeeded: random.next())
                    }
                }
            }
        }
        let fields = packets.map(HCIPacketFields.init)
        #expect(fields[0].isResetComplete && fields[1].endedLink == 0x40 && fields[2].isEvent(0x13))
        #expect(fields[3].isSubscription && fields[4].indicatedHandle == 3 && fields[4].isUpdate)
        #expect(fields[5].readsDatabaseHash && fields[6].databaseHash == 13..<29 && fields[6].isAnswer)
        #expect(fields[6].isAnswer(to: [0x08]) && !fields[6].isAnswer(to: [0x0A]) && fields[7].begunLink == 0x40)
        #expect(fields[8].isPairing && fields[9].requestsParameters && fields[10].isAnswer(to: [0x12]))
    }
}
