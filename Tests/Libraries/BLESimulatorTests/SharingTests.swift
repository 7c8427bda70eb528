import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import Testing

/// Several sessions on one host, and a database that changes under a client's eyes.
struct SharingTests {
    @Test func subscriptionLastsUntilTheLastSessionEndsIt() async throws {
        let pair = try await ConversationTests.Pair()
        let other = TestCentral(pair.phone, in: pair.world)
        try await other.poweredOn()
        try await other.connect(pair.peer)
        let characteristic = try await pair.handles()[0]
        func mode(_ mode: GATTOperation.NotifyMode) -> GATTOperation {
            .setNotify(valueHandle: characteristic.valueHandle, end: characteristic.end, mode: mode)
        }
        for central in [pair.central, other] { try await central.perform(mode(.notification), on: pair.peer) }
        #expect(pair.peripheral.update([1], of: TestPeripheral.notifying))
        await pair.world.run(for: .seconds(1))
        try await pair.central.perform(mode(.off), on: pair.peer)
        #expect(pair.peripheral.update([2], of: TestPeripheral.notifying))
        await pair.world.run(for: .seconds(1))
        #expect(pair.central.values(of: characteristic.valueHandle) == [[1]])
        #expect(other.values(of: characteristic.valueHandle) == [[1], [2]])
        // A session that lets go of the peer ends its subscriptions, too.
        try await pair.central.perform(mode(.notification), on: pair.peer)
        other.session.cancelConnection(pair.peer)
        pair.central.session.submit(mode(.off), to: pair.peer)
        await pair.world.run(for: .seconds(1))
        let changes = pair.peripheral.events.filter { event in
            switch event {
            case .subscribed, .unsubscribed: true
            default: false
            }
        }
        #expect(changes.count == 2)
    }

    @Test func aRemovedServiceIsIndicated() async throws {
        let pair = try await ConversationTests.Pair()
        _ = try await pair.handles()
        let peer = pair.peer
        // The host subscribes to Service Changed when the program pauses.
        await pair.world.run(for: .seconds(1))
        pair.peripheral.session.remove(token: 1)
        try await pair.central.wait("change") { $0 == .servicesChanged(peer) ? true : nil }
        #expect(try await pair.central.perform(.discoverServices(nil), on: peer) == .services([]))
    }

    @Test func servicesOfTwoSessionsAnswerIndependently() async throws {
        let pair = try await ConversationTests.Pair()
        let second = TestPeripheral(pair.band, in: pair.world)
        try await second.publish("second")
        pair.peripheral.value = [1]
        second.value = [2]
        let services = try await pair.central.services(of: pair.peer)
        try #require(services.count == 2)
        var values: [GATTResult] = []
        for service in services {
            let found = try await pair.central.characteristics(in: service, of: pair.peer)
            try #require(found.count > 1)
            values.append(try await pair.central.perform(.read(handle: found[1].valueHandle), on: pair.peer))
        }
        #expect(values == [.value([1]), .value([2])])
        // Releasing a session takes its service along.
        second.close()
        await pair.world.run(for: .seconds(1))
        let left = try await pair.central.perform(.discoverServices(nil), on: pair.peer)
        #expect(left == .services([services[0]]))
    }

    @Test func anIncludedServiceMustBePublishedFirst() async throws {
        let pair = try await ConversationTests.Pair()
        var definition = TestPeripheral.definition
        definition.includedServices = [7]
        pair.peripheral.session.add(definition, token: 8)
        try await pair.peripheral.wait(.added(8, .unknownIncludedService))
    }

    @Test func highLatencyMeansFewerPackets() async throws {
        let pair = try await ConversationTests.Pair()
        let characteristic = try await pair.handles()[0]
        let operation = GATTOperation.setNotify(
            valueHandle: characteristic.valueHandle, end: characteristic.end, mode: .notification)
        try await pair.central.perform(operation, on: pair.peer)
        let client = pair.peripheral.events.compactMap { event -> PeerIdentifier? in
            if case .subscribed(let client, _) = event { client } else { nil }
        }
        let count = Lock(0)
        pair.world.observeAir { packet, _ in
            // Not on the advertising channels.
            if packet.channel < 37 { count.withLock { $0 += 1 } }
        }
        await pair.world.run(for: .seconds(10))
        let before = count.withLock { $0 }
        pair.peripheral.session.setLatency(.high, of: try #require(client.first))
        await pair.world.run(for: .seconds(10))
        count.withLock { $0 = 0 }
        await pair.world.run(for: .seconds(10))
        let after = count.withLock { $0 }
        #expect(before > 5 * after)
        #expect(after > 0)
    }

    @Test func removingAllServicesKeepsThoseOfAnotherSession() async throws {
        let pair = try await ConversationTests.Pair()
        let second = TestPeripheral(pair.band, in: pair.world)
        try await second.wait(.state(.poweredOn))
        second.session.add(TestPeripheral.definition, token: 1)
        try await second.wait(.added(1, nil))
        pair.peripheral.session.add(
            ServiceDefinition(
                uuid: BluetoothUUID(UInt16(0xFEE8)), isPrimary: true, includedServices: [], characteristics: []),
            token: 2)
        try await pair.peripheral.wait(.added(2, nil))
        await pair.world.run(for: .seconds(2))
        let answer = try await pair.central.perform(.discoverServices(nil), on: pair.peer)
        guard case .services(let services) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(services.count == 3)
        let details = try await pair.central.perform(
            .discoverCharacteristics(service: services[1].range, nil), on: pair.peer)
        guard case .characteristics(let found) = details else {
            Issue.record("\(details)")
            return
        }
        try await pair.central.perform(
            .setNotify(valueHandle: found[0].valueHandle, end: found[0].end, mode: .notification), on: pair.peer)
        #expect(second.update([1], of: TestPeripheral.notifying))
        await pair.world.run(for: .seconds(1))
        #expect(pair.central.values(of: found[0].valueHandle) == [[1]])
        let before = pair.central.events.count
        pair.peripheral.session.removeAll()
        await pair.world.run(for: .seconds(1))
        let news = pair.central.events.dropFirst(before)
        #expect(news == [.servicesChanged(pair.peer), .servicesChanged(pair.peer)], "one before and one behind it")
        #expect(second.update([2], of: TestPeripheral.notifying))
        await pair.world.run(for: .seconds(1))
        #expect(pair.central.values(of: found[0].valueHandle) == [[1], [2]])
        #expect(!second.events.contains { if case .unsubscribed = $0 { true } else { false } })
    }
}
