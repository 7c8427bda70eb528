import BLERuntime
import BLESimulator
import BLEWire
import Synchronization
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
        let next = Mutex(0)
        let waits = Mutex(0)
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

    @Test func writeCommandFloodArrivesWholeInOrderAndFeelsTheBuffer() async throws {
        let (arrived, waits) = try await flood(ConversationTests.Pair(), count: 2000, length: 100)
        #expect(arrived == Array(0..<2000))
        #expect(waits > 10)
    }

    @Test func writeCommandsWithoutAskingAreQueuedToo() async throws {
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
        let next = Mutex(0)
        let waits = Mutex(0)
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

    @Test func notifyFloodArrivesWholeInOrderAndFeelsTheQueue() async throws {
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

    @Test func aServiceThatLeavesWithFullQueuesLeavesRoomForOthers() async throws {
        let pair = try await ConversationTests.Pair()
        _ = try await subscribe(pair, 2, .indication)
        var taken = 0
        while pair.peripheral.update([1], of: TestPeripheral.indicating), taken < 100 { taken += 1 }
        #expect(taken < 100)
        await pair.world.run(for: .milliseconds(100))
        pair.peripheral.session.remove(token: 1)
        try await pair.peripheral.wait(.readyToUpdate)
    }

    @Test func longUpdateIsCutToWhatTheClientTakes() async throws {
        let pair = try await ConversationTests.Pair()
        let handle = try await subscribe(pair, 0, .notification)
        let mtu = try #require(pair.central.session.maximumTransmissionUnit(of: pair.peer))
        #expect(pair.peripheral.update(octets(1, 600), of: TestPeripheral.notifying))
        await pair.world.run(for: .seconds(1))
        #expect(pair.central.values(of: handle) == [Array(octets(1, 600).prefix(mtu - 3))])
    }

    @Test func updateForNobodyIsTaken() async throws {
        let pair = try await ConversationTests.Pair()
        #expect(pair.peripheral.update([1, 2, 3], of: TestPeripheral.notifying))
    }

    @Test func nothingIsLostOrDoubledWhenAThirdOfThePacketsIs() async throws {
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
