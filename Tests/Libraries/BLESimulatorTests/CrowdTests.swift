import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import Testing

/// More than two devices, and devices that come and go.
struct CrowdTests {
    @Test func twoCentralsUseOnePeripheral() async throws {
        let world = World(seed: 3)
        let band = TestPeripheral(world.addDevice("wristband"), in: world)
        let centrals = (0..<2).map {
            TestCentral(world.addDevice("phone \($0)", at: Position(x: Double($0 + 1))), in: world)
        }
        try await band.publish("band")
        var handles: [DiscoveredCharacteristic] = []
        for central in centrals {
            try await central.poweredOn()
            let peer = try await central.find("band")
            try await central.connect(peer)
            handles = try await central.characteristics(of: TestPeripheral.service, on: peer)
            try await central.perform(
                .setNotify(valueHandle: handles[0].valueHandle, end: handles[0].end, mode: .notification), on: peer)
        }
        #expect(band.update([1, 2, 3], of: TestPeripheral.notifying))
        await world.run(for: .seconds(1))
        for central in centrals { #expect(central.values(of: handles[0].valueHandle) == [[1, 2, 3]]) }
        // To one of them alone.
        let subscribers = band.events.compactMap { event -> PeerIdentifier? in
            if case .subscribed(let peer, TestPeripheral.notifying) = event { peer } else { nil }
        }
        #expect(subscribers.count == 2)
        #expect(band.update([4], of: TestPeripheral.notifying, centrals: [subscribers[1]]))
        await world.run(for: .seconds(1))
        #expect(centrals[0].values(of: handles[0].valueHandle).count == 1)
        #expect(centrals[1].values(of: handles[0].valueHandle).count == 2)
    }

    @Test func oneCentralHoldsEightPeripherals() async throws {
        let world = World(seed: 4)
        let central = TestCentral(world.addDevice("phone"), in: world)
        let bands = (0..<8).map {
            TestPeripheral(world.addDevice("band \($0)", at: Position(x: 1, y: Double($0))), in: world)
        }
        try await central.poweredOn()
        for (number, band) in bands.enumerated() { try await band.publish("b\(number)") }
        // All attempts are pending at once.
        var found: [PeerIdentifier] = []
        for number in 0..<8 { found.append(try await central.find("b\(number)")) }
        let peers = found
        for peer in peers { central.session.connect(peer, options: ConnectionOptions()) }
        await world.run(timeout: .seconds(60)) {
            peers.allSatisfy { central.session.maximumTransmissionUnit(of: $0) != nil }
        }
        for peer in peers { #expect(central.events.contains(.connected(peer))) }
        for (number, peer) in peers.enumerated() {
            let handle = try await central.characteristics(of: TestPeripheral.service, on: peer)[1].valueHandle
            try await central.perform(.write(handle: handle, value: [UInt8(number)]), on: peer)
        }
        #expect(bands.map(\.value) == (0..<8).map { [UInt8($0)] })
        await world.run(for: .seconds(10))
        for peer in peers { #expect(central.session.maximumTransmissionUnit(of: peer) != nil) }
    }

    @Test func leavingTheRangeCausesASupervisionTimeout() async throws {
        let pair = try await ConversationTests.Pair()
        let peer = pair.peer
        let begin = pair.world.now
        pair.band.move(to: Position(x: 2000))
        try await pair.central.wait("timeout") {
            $0 == .disconnected(peer, .failed(.supervisionTimeout), isReconnecting: false) ? true : nil
        }
        // The link's supervision timeout is 2 s.
        #expect(pair.world.now - begin >= .seconds(2))
        #expect(pair.world.now - begin < .seconds(3))
    }

    @Test func lossOfPowerCausesASupervisionTimeoutAndAttemptsStayPending() async throws {
        let pair = try await ConversationTests.Pair()
        let peer = pair.peer
        pair.band.remove()
        try await pair.central.wait("timeout") {
            $0 == .disconnected(peer, .failed(.supervisionTimeout), isReconnecting: false) ? true : nil
        }
        let count = pair.central.events.count
        pair.central.session.connect(peer, options: ConnectionOptions())
        await pair.world.run(for: .seconds(600))
        #expect(pair.central.events.count == count)
        pair.central.session.cancelConnection(peer)
        await pair.world.run(for: .seconds(1))
        #expect(pair.central.events.last == .disconnected(peer, .cancelled, isReconnecting: false))
    }

    @Test func aLostLinkReconnectsIfRequested() async throws {
        let pair = try await ConversationTests.Pair()
        let peer = pair.peer
        pair.central.session.cancelConnection(peer)
        try await pair.central.wait("end") { $0 == .disconnected(peer, .cancelled, isReconnecting: false) ? true : nil }
        try await pair.central.connect(peer, options: ConnectionOptions(reconnectsAutomatically: true))
        pair.band.move(to: Position(x: 2000))
        try await pair.central.wait("loss") {
            $0 == .disconnected(peer, .failed(.supervisionTimeout), isReconnecting: true) ? true : nil
        }
        await pair.world.run(for: .seconds(300))
        let start = pair.central.events.count
        pair.band.move(to: Position(x: 2))
        try await pair.central.wait(from: start, "return") { $0 == .connected(peer) ? true : nil }
    }

    @Test func theStartDelayPrecedesTheAttempt() async throws {
        let pair = try await ConversationTests.Pair()
        let peer = pair.peer
        pair.central.session.cancelConnection(peer)
        try await pair.central.wait("end") { $0 == .disconnected(peer, .cancelled, isReconnecting: false) ? true : nil }
        let begin = pair.world.now
        try await pair.central.connect(peer, options: ConnectionOptions(startDelay: .seconds(5)))
        #expect(pair.world.now - begin >= .seconds(5))
    }

    @Test func twoSessionsShareALinkUntilTheLastCancels() async throws {
        let pair = try await ConversationTests.Pair()
        let peer = pair.peer
        let other = TestCentral(pair.phone, in: pair.world)
        try await other.poweredOn()
        try await other.connect(peer)
        pair.central.session.cancelConnection(peer)
        try await pair.central.wait("end") { $0 == .disconnected(peer, .cancelled, isReconnecting: false) ? true : nil }
        await pair.world.run(for: .seconds(5))
        #expect(other.session.maximumTransmissionUnit(of: peer) != nil)
        // Releasing the session is letting go, too.
        other.close()
        await pair.world.run(for: .seconds(5))
        let again = TestCentral(pair.phone, in: pair.world)
        try await again.poweredOn()
        #expect(again.session.maximumTransmissionUnit(of: peer) == nil)
    }

    @Test func poweringOffTwiceAllowsPoweringOn() async throws {
        let world = World(seed: 9)
        let device = world.addDevice("phone")
        let central = TestCentral(device, in: world)
        try await central.poweredOn()
        device.powerOff()
        try await central.wait("powered off") { $0 == .state(.poweredOff) ? true : nil }
        device.powerOff()
        await world.run(for: .seconds(1))
        device.powerOn()
        let start = central.events.count
        try await central.wait(from: start, "powered on again") { $0 == .state(.poweredOn) ? true : nil }
    }

    @Test func powerOffIsReportedByTheStateAloneAndPowerOnResumesAdvertising() async throws {
        let pair = try await ConversationTests.Pair()
        let peer = pair.peer
        let start = pair.central.events.count
        pair.phone.powerOff()
        await pair.world.run(for: .seconds(1))
        #expect(Array(pair.central.events[start...]) == [.state(.poweredOff)])
        pair.phone.powerOn()
        await pair.world.run(for: .seconds(1))
        #expect(pair.central.events.last == .state(.poweredOn))
        try await pair.central.connect(peer)

        pair.band.powerOff()
        try await pair.central.wait("end") {
            $0 == .disconnected(peer, .failed(.endedByPeer), isReconnecting: false) ? true : nil
        }
        pair.band.powerOn()
        // No call of the peripheral's: it advertises again, with its services.
        #expect(try await pair.central.find("band") == peer)
        try await pair.central.connect(peer)
        #expect(try await pair.handles().count == 4)
    }

    @Test func aRemovedDeviceLosesItsAdapter() async throws {
        let pair = try await ConversationTests.Pair()
        pair.phone.remove()
        await pair.world.run(for: .seconds(1))
        #expect(pair.central.events.last == .state(.resetting))
    }

    @Test func pendingAdvertisingStartsFailWithTheLossOfTheAdapter() async throws {
        let pair = try await ConversationTests.Pair()
        pair.peripheral.session.stopAdvertising()
        await pair.world.run(for: .seconds(1))
        let before = pair.peripheral.events.count
        pair.peripheral.session.startAdvertising(Advertisement(localName: "band", services: []))
        pair.peripheral.session.startAdvertising(Advertisement(localName: "band", services: []))
        pair.band.remove()
        await pair.world.run(for: .seconds(1))
        let answers = pair.peripheral.events.dropFirst(before).filter { event in
            if case .advertising = event { true } else { false }
        }
        #expect(answers == [.advertising(.notPoweredOn), .advertising(.notPoweredOn)])
    }
}
