import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import Testing

/// A phone and a wristband talk, layer by layer below the façade.
struct ConversationTests {
    /// A world with a peripheral that advertises and a central that is connected to it.
    struct Pair {
        let world: World
        let phone: VirtualDevice
        let band: VirtualDevice
        let central: TestCentral
        let peripheral: TestPeripheral
        let peer: PeerIdentifier

        init(_ world: World = World(seed: 1), phone platform: Platform? = nil, band bandPlatform: Platform? = nil)
            async throws
        {
            self.world = world
            phone = world.addDevice("phone", platform: platform)
            band = world.addDevice("wristband", at: Position(x: 2), platform: bandPlatform)
            central = TestCentral(phone, in: world)
            peripheral = TestPeripheral(band, in: world)
            try await central.poweredOn()
            try await peripheral.publish("band")
            peer = try await central.find("band", ScanRequest(services: [TestPeripheral.service]))
            try await central.connect(peer)
        }

        func handles() async throws -> [DiscoveredCharacteristic] {
            try await central.characteristics(of: TestPeripheral.service, on: peer)
        }
    }

    @Test func aCentralDiscoversConnectsAndReadsTheName() async throws {
        let pair = try await Pair()
        let peer = pair.peer
        try await pair.central.wait("name") { $0 == .name(peer, "wristband") ? true : nil }
        #expect(pair.central.session.knownPeers([peer]) == [PeerRecord(identifier: peer, name: "wristband")])
        #expect((pair.central.session.maximumTransmissionUnit(of: peer) ?? 0) > 23)
    }

    @Test func discoveryOmitsTheGAPAndGATTServices() async throws {
        let pair = try await Pair()
        guard case .services(let services) = try await pair.central.perform(.discoverServices(nil), on: pair.peer)
        else {
            Issue.record("no services")
            return
        }
        #expect(services.map(\.uuid) == [TestPeripheral.service])
        #expect(
            pair.central.session.connectedPeers(services: [TestPeripheral.service]).map(\.identifier) == [pair.peer])
        #expect(try await pair.handles().map(\.uuid.description) == ["FEC8", "FEC7", "FEC9", "FECA"])
    }

    @Test func shortLongAndStaticValuesAreRead() async throws {
        let pair = try await Pair()
        let characteristics = try await pair.handles()
        for length in [0, 1, 22, 400, 512] {
            let value = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            pair.peripheral.value = value
            let result = try await pair.central.perform(.read(handle: characteristics[1].valueHandle), on: pair.peer)
            #expect(result == .value(value))
        }
        let result = try await pair.central.perform(.read(handle: characteristics[3].valueHandle), on: pair.peer)
        #expect(result == .value(TestPeripheral.staticValue))
    }

    @Test func shortAndLongValuesAreWritten() async throws {
        let pair = try await Pair()
        let handle = try await pair.handles()[1].valueHandle
        for length in [1, 20, 300, 512] {
            let value = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 3) }
            #expect(try await pair.central.perform(.write(handle: handle, value: value), on: pair.peer) == .done)
            #expect(pair.peripheral.value == value)
        }
    }

    @Test func aRefusedWriteFailsWithThePeersCode() async throws {
        let pair = try await Pair()
        let handle = try await pair.handles()[3].valueHandle
        await #expect(throws: GATTError.attribute(3)) {
            try await pair.central.perform(.write(handle: handle, value: [1]), on: pair.peer)
        }
    }

    @Test func operationsCompleteInTheOrderOfTheCalls() async throws {
        let pair = try await Pair()
        let handle = try await pair.handles()[1].valueHandle
        let start = pair.central.events.count
        let operations = (0..<10).map { number -> GATTOperation in
            switch number % 3 {
            case 0: .read(handle: handle)
            case 1: .write(handle: handle, value: [UInt8(number)])
            default: .readRSSI
            }
        }
        for operation in operations { pair.central.session.submit(operation, to: pair.peer) }
        await pair.world.run(for: .seconds(10))
        let ended = pair.central.events[start...].compactMap { event -> GATTOperation? in
            if case .completed(_, let operation, .success) = event { operation } else { nil }
        }
        #expect(ended == operations)
    }

    @Test func aCancellationEndsTheLinkOnBothSides() async throws {
        let pair = try await Pair()
        let characteristics = try await pair.handles()
        let subscribe = GATTOperation.setNotify(
            valueHandle: characteristics[0].valueHandle, end: characteristics[0].end, mode: .notification)
        try await pair.central.perform(subscribe, on: pair.peer)
        let peer = pair.peer
        pair.central.session.cancelConnection(peer)
        try await pair.central.wait("end") { $0 == .disconnected(peer, .cancelled, isReconnecting: false) ? true : nil }
        await pair.world.run(for: .seconds(1))
        let unsubscribed = pair.peripheral.events.contains {
            if case .unsubscribed(_, TestPeripheral.notifying) = $0 { true } else { false }
        }
        #expect(unsubscribed)
        #expect(pair.central.session.maximumTransmissionUnit(of: peer) == nil)
    }
}
