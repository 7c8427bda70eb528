import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import Testing

/// Floods in both directions, with back-pressure.
struct FlowTests {
    private func number(_ octets: some Collection<UInt8>) -> Int { octets.prefix(4).reduce(0) { $0 << 8 | Int($1) } }

    private func octets(_ number: Int, _ length: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } + [UInt8](repeating: 0x55, count: length - 4)
    }

    /// Writes `count` numbered values as fast as the buffer allows, and returns what arrived, and how often it was full.
    private func flood(_ pair: ConversationTests.Pair, count: Int, length: Int) async throws -> (
        arrived: [Int], waits: Int
    ) {
        let handle = try await pair.handles()[1].valueHandle
        let next = Lock(0)
        let waits = Lock(0)
        let peer = pair.peer
        let session = pair.central.session
        let send: @Sendable () -> Void = { [self] in
            while session.canWriteCommand(to: peer) {
                let number = next.withLock { value in
                    value += 1
                    return value - 1
                }
                guard number < count else { return }
                _ = session.writeCommand(octets(number, length).span, handle: handle, to: peer)
            }
            waits.withLock { $0 += 1 }
        }
        pair.central.react { event in
            if event == .readyForWriteCommands(peer) { send() }
        }
        let start = pair.peripheral.events.count
        send()
        let peripheral = pair.peripheral
        await pair.world.run(timeout: .seconds(120)) { peripheral.events.count - start >= count }
        await pair.world.run(for: .seconds(1))
        let arrived = peripheral.events[start...].compactMap { event -> Int? in
            if case .write(let items, needsResponse: false) = event { number(items[0].value) } else { nil }
        }
        return (arrived, waits.withLock { $0 })
    }

    @Test func writeCommandsArriveInOrderAndFillTheBuffer() async throws {
        let (arrived, waits) = try await flood(ConversationTests.Pair(), count: 2000, length: 100)
        #expect(arrived == Array(0..<2000))
        #expect(waits > 10)
    }

    @Test func writeCommandsBeyondTheBufferAreQueued() async throws {
        let pair = try await ConversationTests.Pair()
        let handle = try await pair.handles()[1].valueHandle
        var answers: [Bool] = []
        for number in 0..<200 {
            answers.append(pair.central.session.writeCommand(octets(number, 200).span, handle: handle, to: pair.peer))
        }
        // The buffer takes fifteen with room to spare, the sixteenth fills it.
        #expect(answers.prefix(15).allSatisfy { $0 } && !answers[15...].contains(true))
        #expect(!pair.central.session.canWriteCommand(to: pair.peer))
        await pair.world.run(for: .seconds(20))
        #expect(pair.peripheral.events.filter { if case .write = $0 { true } else { false } }.count == 200)
        let peer = pair.peer
        #expect(pair.central.events.contains(.readyForWriteCommands(peer)))
    }

    /// Sends `count` numbered updates as fast as the queue allows, to all subscribers.
    private func updates(
        _ pair: ConversationTests.Pair, of reference: CharacteristicReference, count: Int, length: Int
    ) async throws -> Int {
        let next = Lock(0)
        let waits = Lock(0)
        let session = pair.peripheral.session
        let send: @Sendable () -> Void = { [self] in
            while true {
                let number = next.withLock { $0 }
                guard number < count else { return }
                guard session.update(octets(number, length).span, of: reference, centrals: nil) else { break }
                next.withLock { $0 += 1 }
            }
            waits.withLock { $0 += 1 }
        }
        pair.peripheral.react { event in
            if event == .readyToUpdate { send() }
        }
        send()
        await pair.world.run(timeout: .seconds(120)) { next.withLock { $0 } == count }
        await pair.world.run(for: .seconds(5))
        return waits.withLock { $0 }
    }

    private func subscribe(_ pair: ConversationTests.Pair, _ index: Int, _ mode: GATTOperation.NotifyMode) async throws
        -> UInt16
    {
        let characteristic = try await pair.handles()[index]
        let operation = GATTOperation.setNotify(
            valueHandle: characteristic.valueHandle, end: characteristic.end, mode: mode)
        try await pair.central.perform(operation, on: pair.peer)
        return characteristic.valueHandle
    }

    /// Adds a second phone that subscribes to a characteristic. Returns the phone, its program and the value handle.
    private func addSubscriber(_ pair: ConversationTests.Pair, _ index: Int, _ mode: GATTOperation.NotifyMode)
        async throws -> (phone: VirtualDevice, central: TestCentral, handle: UInt16)
    {
        let phone = pair.world.addDevice("tablet")
        let central = TestCentral(phone, in: pair.world)
        try await central.poweredOn()
        let peer = try await central.find("band")
        try await central.connect(peer)
        let characteristic = try await central.characteristics(of: TestPeripheral.service, on: peer)[index]
        try await central.perform(
            .setNotify(valueHandle: characteristic.valueHandle, end: characteristic.end, mode: mode), on: peer)
        return (phone, central, characteristic.valueHandle)
    }

    @Test func notificationsArriveInOrderAndFillTheQueue() async throws {
        let pair = try await ConversationTests.Pair()
        let handle = try await subscribe(pair, 0, .notification)
        let waits = try await updates(pair, of: TestPeripheral.notifying, count: 2000, length: 100)
        #expect(pair.central.values(of: handle).map(number) == Array(0..<2000))
        #expect(waits > 10)
    }

    @Test func indicationsArriveInOrderOneAtATime() async throws {
        let pair = try await ConversationTests.Pair()
        let handle = try await subscribe(pair, 2, .indication)
        let waits = try await updates(pair, of: TestPeripheral.indicating, count: 50, length: 20)
        #expect(pair.central.values(of: handle).map(number) == Array(0..<50))
        #expect(waits >= 3)
    }

    @Test func theNextIndicationWaitsForAllObservers() async throws {
        let pair = try await ConversationTests.Pair()
        let handle = try await subscribe(pair, 2, .indication)
        let other = TestCentral(pair.phone, in: pair.world)
        try await other.poweredOn()
        try await other.connect(pair.peer)
        let end = try await pair.handles()[2].end
        try await other.perform(.setNotify(valueHandle: handle, end: end, mode: .indication), on: pair.peer)
        for central in [pair.central, other] { central.keepConfirmations(true) }
        for number in 0..<3 {
            #expect(pair.peripheral.update(octets(number, 4), of: TestPeripheral.indicating))
        }
        await pair.world.run(for: .seconds(5))
        #expect(pair.central.values(of: handle).count == 1 && other.values(of: handle).count == 1)
        pair.central.keepConfirmations(false)
        await pair.world.run(for: .seconds(5))
        #expect(pair.central.values(of: handle).count == 1, "the other program is not done")
        other.keepConfirmations(true)
        await pair.world.run(for: .seconds(5))
        #expect(pair.central.values(of: handle).map(number) == [0, 1])
        other.keepConfirmations(false)
        await pair.world.run(for: .seconds(5))
        #expect(pair.central.values(of: handle).map(number) == [0, 1, 2])
        #expect(other.values(of: handle).map(number) == [0, 1, 2])
    }

    @Test func anUnconfirmedIndicationTimesOutAfter30Seconds() async throws {
        let pair = try await ConversationTests.Pair()
        _ = try await subscribe(pair, 2, .indication)
        pair.central.keepConfirmations(true)
        #expect(pair.peripheral.update([1], of: TestPeripheral.indicating))
        await pair.world.run(for: .seconds(29))
        func hasEnded(_ events: [TestCentral.Event]) -> Bool {
            events.contains { if case .disconnected = $0 { true } else { false } }
        }
        #expect(!hasEnded(pair.central.events))
        await pair.world.run(for: .seconds(5))
        #expect(hasEnded(pair.central.events))
    }

    @Test func removingAServiceFreesItsPlaceInTheQueues() async throws {
        let pair = try await ConversationTests.Pair()
        _ = try await subscribe(pair, 2, .indication)
        var taken = 0
        while pair.peripheral.update([1], of: TestPeripheral.indicating), taken < 100 { taken += 1 }
        #expect(taken < 100)
        await pair.world.run(for: .milliseconds(100))
        pair.peripheral.session.remove(token: 1)
        try await pair.peripheral.wait(.readyToUpdate)
    }

    @Test func anUnreachableClientDoesNotDelayOthers() async throws {
        let pair = try await ConversationTests.Pair()
        _ = try await subscribe(pair, 0, .notification)
        let (tablet, _, _) = try await addSubscriber(pair, 0, .notification)
        let clients = pair.peripheral.events.compactMap { event -> PeerIdentifier? in
            if case .subscribed(let client, _) = event { client } else { nil }
        }
        try #require(clients.count == 2)
        tablet.move(to: Position(x: 100_000))
        await pair.world.run(for: .milliseconds(100))
        for client in clients.reversed() {
            var taken = 0
            while pair.peripheral.update(octets(1, 200), of: TestPeripheral.notifying, centrals: [client]), taken < 1000
            {
                taken += 1
                if taken % 10 == 0, client == clients[1] { await pair.world.run(for: .milliseconds(1)) }
            }
            #expect(taken < 1000)
        }
        let start = pair.peripheral.events.count
        let peripheral = pair.peripheral
        await pair.world.run(timeout: .seconds(30)) {
            peripheral.events.dropFirst(start).contains { $0 != .updateLength(0) }
        }
        #expect(peripheral.events.dropFirst(start).first == .readyToUpdate)
    }

    @Test func aClientThatNeverConfirmsDelaysNobody() async throws {
        let pair = try await ConversationTests.Pair()
        let silent = try await subscribe(pair, 2, .indication)
        pair.central.keepConfirmations(true)
        let (_, other, handle) = try await addSubscriber(pair, 2, .indication)
        // The link of the silent client ends after 30 s, and would delay nobody any more.
        let start = pair.world.now
        _ = try await updates(pair, of: TestPeripheral.indicating, count: 100, length: 20)
        #expect(other.values(of: handle).map(number) == Array(0..<100))
        #expect(pair.central.values(of: silent).map(number) == [0])
        #expect(pair.world.now - start < .seconds(30))
    }

    @Test func aLongUpdateIsTruncatedToTheClientsMTU() async throws {
        let pair = try await ConversationTests.Pair()
        let handle = try await subscribe(pair, 0, .notification)
        let mtu = try #require(pair.central.session.maximumTransmissionUnit(of: pair.peer))
        #expect(pair.peripheral.update(octets(1, 600), of: TestPeripheral.notifying))
        await pair.world.run(for: .seconds(1))
        #expect(pair.central.values(of: handle) == [Array(octets(1, 600).prefix(mtu - 3))])
    }

    @Test func anUpdateWithoutSubscribersIsAccepted() async throws {
        let pair = try await ConversationTests.Pair()
        #expect(pair.peripheral.update([1, 2, 3], of: TestPeripheral.notifying))
    }

    @Test func packetLossLosesAndRepeatsNoValue() async throws {
        let pair = try await ConversationTests.Pair()
        let handle = try await subscribe(pair, 0, .notification)
        pair.world.setEnvironment(RadioEnvironment(packetLoss: 0.3))
        let (arrived, _) = try await flood(pair, count: 500, length: 60)
        #expect(arrived == Array(0..<500))
        _ = try await updates(pair, of: TestPeripheral.notifying, count: 500, length: 60)
        #expect(pair.central.values(of: handle).map(number) == Array(0..<500))
        #expect(pair.central.session.maximumTransmissionUnit(of: pair.peer) != nil)
    }
}
