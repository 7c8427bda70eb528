import BLEAdapter
import BLETransport
import BLEWire
import Dispatch
import ESPHomeAPI
import Foundation
import NoiseChannel
import TestDoubles
import Testing

@testable import BluetoothGateway

/// The server between streams and an adapter: what it passes on, drops, delays and ends.
struct GatewayClientTests {
    private let address = SessionBench.address
    private let peer = SessionBench.peer

    // MARK: Clients

    @Test func aClientHasASessionOfTheAdapterAfterItsGreeting() throws {
        let bench = try ServerBench()
        #expect(bench.server.clientCount == 0 && bench.server.strangerCount == 0)
        let client = bench.open()
        #expect(client.stream.isStarted && bench.adapter.centrals.isEmpty && bench.events == [])
        #expect(bench.server.clientCount == 0 && bench.server.strangerCount == 1)
        try client.connection.greet()
        try client.exchange()
        #expect(bench.adapter.liveCentralCount == 1 && bench.events == ["client connected"])
        #expect(bench.server.clientCount == 1 && bench.server.strangerCount == 0)
        // The features: passive scan, connections, remote caching, pairing, cache clearing, raw advertisements and the scanner's state.
        #expect(
            try client.take(DeviceInfoResponse.self) == [
                DeviceInfoResponse(
                    name: "hall", macAddress: "AC:BC:32:89:0E:A9", version: "1.2", model: "OpenCoreBluetooth gateway",
                    projectName: "opencorebluetooth.gateway", projectVersion: "1.2",
                    manufacturer: "OpenCoreBluetooth", friendlyName: "hall", bluetoothFeatures: 0b111_1111,
                    bluetoothMACAddress: "AC:BC:32:89:0E:A9")
            ])
        let counts = bench.server.counts
        #expect(counts.advertisements == 0 && counts.droppedAdvertisements == 0)
        #expect(counts.values == 0 && counts.droppedValues == 0)
        let blind = FakeAdapter()
        blind.knowsAddresses = false
        let configuration = GatewayConfiguration(name: "hall", version: "1", macAddress: "", slots: 1, key: nil)
        #expect(GatewayServer(adapter: blind, configuration: configuration, scheduler: bench.scheduler) == nil)
    }

    /// The end of a client releases its links, its scan and its sessions, once.
    @Test func theEndOfAClientLeavesNothing() throws {
        let bench = try ServerBench()
        for round in 1...2 {
            let client = try bench.connectWithLink()
            try client.send(SubscribeAdvertisementsRequest(flags: 1))
            try client.send(DeviceRequest(address: address, kind: DeviceRequestKind.pair.rawValue))
            #expect(bench.server.freeSlots == 1)
            let central = try #require(bench.adapter.centrals.last)
            _ = central.take()
            client.stream.onClose?(.endOfStream)
            #expect(central.take() == [.cancelConnection(peer), .stopScan])
            #expect(client.stream.isClosed && bench.adapter.liveCentralCount == 0)
            #expect(bench.events.suffix(1) == ["client ended: the other side closed the connection"])
            client.stream.onClose?(.endOfStream)
            #expect(bench.events.count == 2 * round)
            #expect(bench.server.freeSlots == 2 && bench.server.clientCount == 0)
            // What the adapter or a timer still brings has no effect.
            bench.report { $0.adapterStateChanged(.poweredOff) }
            bench.scheduler.run(for: .seconds(40))
            #expect(central.take() == [] && client.stream.sent == [])
        }
        #expect(bench.adapter.pairings.count == 2, "each client has a session for pairing of its own")
    }

    @Test func aClientThatSaysGoodbyeIsAnsweredAndEnds() throws {
        let bench = try ServerBench()
        let client = try bench.connect()
        client.connection.disconnect()
        #expect(throws: APIError.disconnected) { try client.exchange() }
        #expect(client.stream.isClosed)
        #expect(bench.events == ["client connected", "client ended: The connection was closed."])
    }

    @Test func strangersGiveWayToStrangers() throws {
        let bench = try ServerBench()
        let first = (0..<16).map { bench.open("tcp:192.0.2.\($0):1") }
        #expect(bench.server.strangerCount == 16 && first.allSatisfy { !$0.stream.isClosed })
        let second = (0..<3).map { _ in bench.open("tcp:198.51.100.7:9") }
        // The first two by age. Then the machine with two is the one with the most.
        #expect(first.map(\.stream.isClosed) == [true, true] + [Bool](repeating: false, count: 14))
        #expect(second.map(\.stream.isClosed) == [true, false, false])
        let fourth = bench.open("tcp:203.0.113.1:9")
        #expect(second.map(\.stream.isClosed) == [true, true, false] && !fourth.stream.isClosed)
        #expect(bench.server.strangerCount == 16 && bench.events == [], "strangers cause no events")
        // A stranger that greets is one no longer.
        let last = try #require(first.last)
        try last.connection.greet()
        try last.exchange()
        #expect(bench.server.strangerCount == 15 && bench.server.clientCount == 1)
        let fifth = bench.open()
        #expect(bench.server.strangerCount == 16 && !fifth.stream.isClosed && !last.stream.isClosed)
    }

    @Test func sixteenClientsAreServed() throws {
        let bench = try ServerBench()
        let clients = try (0..<16).map { try bench.connect("c\($0)") }
        #expect(bench.server.clientCount == 16)
        for round in 0..<2 {
            let late = bench.open("late")
            try late.connection.greet()
            try? late.exchange()
            #expect(late.stream.isClosed && bench.events.last == "late refused", "round \(round)")
            #expect(late.stream.portions == [], "a stream that is closed gets no octets")
        }
        #expect(bench.events.count == 18 && bench.adapter.centrals.count == 16)
        clients[3].stream.onClose?(.endOfStream)
        #expect(try !bench.connect("next").stream.isClosed)
        #expect(bench.server.clientCount == 16)
    }

    @Test func theServerEndsItsClientsAndBeginsAgain() throws {
        let bench = try ServerBench()
        for round in 1...3 {
            let client = try bench.connect()
            #expect(bench.scheduler.waitingCount == 1, "one timer, also in the round \(round)")
            bench.server.stop()
            #expect(client.stream.isClosed)
            #expect(bench.events.suffix(1) == ["client ended: the gateway ends"])
            // The client is asked to close: it answers, and its connection is over.
            #expect(throws: APIError.disconnected) { try client.exchange() }
            bench.server.stop()
            #expect(bench.events.count == 2 * round)
            if round == 2 {
                // The timer of the run before has not found out yet.
                let other = try bench.connect()
                bench.scheduler.run(for: .milliseconds(1500))
                #expect(bench.scheduler.waitingCount == 1)
                other.stream.onClose?(.endOfStream)
                bench.server.stop()
            }
            bench.scheduler.run(for: .seconds(2))
            #expect(bench.scheduler.waitingCount == 0, "a server without connections has no timer")
            if round == 2 { break }
        }
    }

    // MARK: Time

    /// A stranger has 15 s, and a client that is silent gets a ping after 60 s and ends after 150 s.
    @Test func silentClientsEnd() throws {
        let bench = try ServerBench()
        let stranger = bench.open("stranger")
        let client = try bench.connect()
        bench.scheduler.run(for: .milliseconds(14_999))
        #expect(!stranger.stream.isClosed)
        bench.scheduler.run(for: .milliseconds(1))
        #expect(stranger.stream.isClosed)
        bench.scheduler.run(for: .seconds(44))
        #expect(client.stream.sent == [])
        bench.scheduler.run(for: .seconds(1))
        #expect(!client.stream.sent.isEmpty, "a ping")
        client.stream.sent = []
        bench.scheduler.run(for: .seconds(89))
        #expect(!client.stream.isClosed && client.stream.sent == [])
        bench.scheduler.run(for: .seconds(1))
        #expect(client.stream.isClosed)
        #expect(bench.events == ["client connected", "client ended: The peer did not answer."])
    }

    @Test func aClientThatAnswersPingsStays() throws {
        let bench = try ServerBench()
        let client = try bench.connect()
        for _ in 0..<10 {
            bench.scheduler.run(for: .seconds(60))
            #expect(!client.stream.sent.isEmpty)
            try client.exchange()
        }
        #expect(!client.stream.isClosed)
    }

    @Test func aDeviceThatDoesNotAnswerIsGivenUpEachTime() throws {
        let bench = try ServerBench(slots: 1)
        let client = try bench.connect()
        let central = try #require(bench.adapter.centrals.last)
        for _ in 0..<2 {
            try client.send(SessionBench.connectRequest)
            #expect(central.take().last == .connect(peer, ConnectionOptions()))
            #expect(bench.server.freeSlots == 0)
            bench.scheduler.run(for: .seconds(29))
            #expect(central.take() == [])
            bench.scheduler.run(for: .seconds(1))
            #expect(central.take() == [.cancelConnection(peer)])
            bench.scheduler.run(for: .seconds(9))
            #expect(try client.take(DeviceConnectionResponse.self) == [])
            bench.scheduler.run(for: .seconds(1))
            #expect(
                try client.take(DeviceConnectionResponse.self)
                    == [DeviceConnectionResponse(address: address, error: 0x3E)])
            #expect(bench.server.freeSlots == 1)
        }
    }

    // MARK: Advertisements

    @Test func advertisementsThatWaitAreOneBatch() throws {
        let bench = try ServerBench()
        let client = try bench.connect()
        let central = try #require(bench.adapter.centrals.last)
        func advertise(_ count: Int) {
            bench.report { for number in 0..<count { $0.discovered(Self.advertisement([UInt8(number)])) } }
        }
        advertise(3)
        #expect(try client.takeBatches() == [], "nobody asked for them")
        for round in 1...2 {
            try client.send(SubscribeAdvertisementsRequest(flags: 1))
            #expect(central.take() == [.startScan(ScanRequest(allowDuplicates: true))])
            advertise(2)
            #expect(try client.takeBatches() == [[[0], [1]]])
            advertise(1)
            #expect(try client.takeBatches() == [[[0]]])
            #expect(bench.server.counts.advertisements == 3 * round)
            try client.send(UnsubscribeAdvertisementsRequest())
            #expect(central.take() == [.stopScan])
            advertise(1)
            #expect(try client.takeBatches() == [])
        }
        #expect(bench.server.counts.droppedAdvertisements == 0)
    }

    /// Extended advertising has up to 1,650 octets.
    @Test func aLongAdvertisementIsWhole() throws {
        let bench = try ServerBench()
        let client = try bench.connect()
        try client.send(SubscribeAdvertisementsRequest(flags: 1))
        let long = (0..<1650).map { UInt8(truncatingIfNeeded: $0 * 7) }
        for _ in 1...2 {
            bench.report { for data in [long, [1], long] { $0.discovered(Self.advertisement(data)) } }
            #expect(try client.takeBatches() == [[long, [1], long]])
        }
    }

    private static func advertisement(_ data: [UInt8], address: UInt64 = SessionBench.address) -> Discovery {
        Discovery(
            peer: PeerRecord(identifier: SessionBench.peer, name: nil),
            address: DeviceAddress(kind: .random, value: address), data: data, isConnectable: true, rssi: -60)
    }

    /// A client that reads slowly loses advertisements from 256 KiB on.
    @Test func advertisementsAreDroppedForASlowClient() throws {
        let bench = try ServerBench()
        let client = try bench.connect()
        try client.send(SubscribeAdvertisementsRequest(flags: 1))
        var sent = 0
        for (queued, isSent) in [(262_143, true), (262_144, false), (300_000, false), (0, true)] {
            client.stream.queuedOctets = queued
            bench.report { for _ in 0..<3 { $0.discovered(Self.advertisement([1])) } }
            #expect(try client.takeBatches().map(\.count) == (isSent ? [3] : []), "\(queued)")
            sent += isSent ? 3 : 0
            #expect(bench.server.counts.advertisements == sent)
        }
        #expect(bench.server.counts.droppedAdvertisements == 6)
    }

    @Test func whatTheInboxDropsIsCounted() throws {
        let bench = try ServerBench()
        let client = try bench.connectWithLink()
        try client.send(SubscribeAdvertisementsRequest(flags: 1))
        for round in 1...2 {
            bench.report { observer in
                for _ in 0..<3000 { observer.discovered(Self.advertisement([UInt8](repeating: 1, count: 31))) }
                let value = [UInt8](repeating: 7, count: 512)
                for _ in 0..<2050 { observer.received(value.span, handle: 9, from: peer) }
            }
            let counts = bench.server.counts
            #expect(counts.droppedValues == 2 * round)
            #expect(counts.advertisements + counts.droppedAdvertisements == 3000 * round)
            #expect(counts.advertisements < 1000 * round && counts.advertisements > 500 * round)
        }
    }

    // MARK: Values

    /// A client that reads slowly loses notifications from 512 KiB on.
    @Test func valuesAreDroppedForASlowClient() throws {
        let bench = try ServerBench()
        let client = try bench.connectWithLink()
        var sent = 0
        for (queued, isSent) in [(524_287, true), (524_288, false), (600_000, false), (0, true)] {
            client.stream.queuedOctets = queued
            bench.report { $0.received([1, 2].span, handle: 3, from: peer) }
            let values = try client.take(GATTNotifyDataResponse.self)
            #expect(values == (isSent ? [GATTNotifyDataResponse(address: address, handle: 3, data: [1, 2])] : []))
            sent += isSent ? 1 : 0
            #expect(bench.server.counts.values == sent)
        }
        #expect(bench.server.counts.droppedValues == 2)
        bench.report { $0.received([1, 2].span, handle: 4, from: peer) }
        #expect(bench.server.counts.values == 2 && bench.server.counts.droppedValues == 2, "nobody wants it")
    }

    /// A batch leaves in portions of 64 KiB and one value, in order.
    @Test func manyValuesLeaveInPortions() throws {
        let bench = try ServerBench()
        let client = try bench.connectWithLink()
        client.stream.portions = []
        bench.report { observer in
            for number in 0..<800 {
                let value = [UInt8(number >> 8), UInt8(number & 0xFF)] + [UInt8](repeating: 0, count: 510)
                observer.received(value.span, handle: 3, from: peer)
            }
        }
        #expect(client.stream.portions.count > 6 && client.stream.portions.allSatisfy { $0 <= 65_536 + 600 })
        #expect(client.stream.portions.dropLast().allSatisfy { $0 > 65_536 })
        let values = try client.take(GATTNotifyDataResponse.self)
        #expect(values.map { Int($0.data[0]) << 8 | Int($0.data[1]) } == Array(0..<800))
    }

    // MARK: The speed of requests

    /// A client whose answers wait, more than 512 KiB, is not read until half of them have left.
    @Test func aClientThatDoesNotReadIsNotRead() throws {
        let bench = try ServerBench()
        let client = try bench.connect()
        for _ in 0..<2 {
            client.stream.queuedOctets = 524_288
            try client.send(ScannerSetModeRequest(mode: 1))
            #expect(client.stream.pauses == [])
            client.stream.queuedOctets = 524_289
            try client.send(ScannerSetModeRequest(mode: 1))
            #expect(client.stream.pauses == [true])
            // More of it is the same pause.
            try client.send(ScannerSetModeRequest(mode: 1))
            client.stream.queuedOctets = 262_145
            client.stream.onDrain?()
            client.stream.onEmpty?()
            #expect(client.stream.pauses == [true])
            client.stream.queuedOctets = 262_144
            client.stream.onDrain?()
            #expect(client.stream.pauses == [true, false])
            client.stream.onDrain?()
            #expect(client.stream.pauses == [true, false])
            client.stream.queuedOctets = 524_289
            try client.send(ScannerSetModeRequest(mode: 1))
            client.stream.queuedOctets = 0
            client.stream.onEmpty?()
            #expect(client.stream.pauses == [true, false, true, false])
            client.stream.pauses = []
        }
    }

    /// A client whose requests wait cannot answer a ping.
    @Test func aClientThatIsNotReadIsNotSilent() throws {
        let bench = try ServerBench()
        let client = try bench.connect()
        client.stream.queuedOctets = 600_000
        try client.send(ScannerSetModeRequest(mode: 1))
        bench.scheduler.run(for: .seconds(1000))
        #expect(!client.stream.isClosed && client.stream.sent == [])
        client.stream.queuedOctets = 0
        client.stream.onEmpty?()
        bench.scheduler.run(for: .seconds(1))
        #expect(!client.stream.sent.isEmpty, "the ping is late")
        bench.scheduler.run(for: .seconds(150))
        #expect(client.stream.isClosed)
    }

    /// A peer whose buffer for Write Commands is full stops the requests of its client, until it has room or is gone.
    @Test func aPeerWithoutRoomStopsTheRequests() throws {
        let bench = try ServerBench()
        var client = try bench.connectWithLink()
        let ends: [(String, (any CentralObserver) -> Void)] = [
            ("room", { $0.readyForWriteCommands(to: SessionBench.peer) }),
            ("room again", { $0.readyForWriteCommands(to: SessionBench.peer) }),
            ("the end", { $0.disconnected(SessionBench.peer, .failed(.endedByPeer), isReconnecting: false) }),
            ("the adapter", { $0.adapterStateChanged(.resetting) }),
        ]
        for (name, end) in ends {
            let central = try #require(bench.adapter.centrals.last)
            central.hasRoom = false
            let request = GATTWriteRequest(address: address, handle: 5, needsResponse: false, data: [1])
            try client.send(request)
            #expect(client.stream.pauses == [true], "\(name)")
            #expect(central.take() == [.write([1], handle: 5, peer)])
            bench.report { $0.readyForWriteCommands(to: PeerIdentifier(high: 9, low: 9)) }
            #expect(client.stream.pauses == [true], "\(name): another peer's room")
            bench.report(end)
            #expect(client.stream.pauses == [true, false], "\(name)")
            client.stream.pauses = []
            central.hasRoom = true
            if name == "the end" {
                client.stream.onClose?(.endOfStream)
                client = try bench.connectWithLink()
            }
        }
    }

    /// A Write Command to a link that is gone needs no room, and a client that ends a link waits for none.
    @Test func aLinkThatIsGoneStopsNoRequests() throws {
        let bench = try ServerBench()
        let client = try bench.connectWithLink()
        let central = try #require(bench.adapter.centrals.last)
        (central.hasRoom, central.mtu) = (false, nil)
        let request = GATTWriteRequest(address: address, handle: 5, needsResponse: false, data: [1])
        try client.send(request)
        #expect(client.stream.pauses == [])
        central.mtu = 23
        try client.send(request)
        #expect(client.stream.pauses == [true])
        try client.send(DeviceRequest(address: address, kind: DeviceRequestKind.disconnect.rawValue))
        bench.report { $0.readyForWriteCommands(to: PeerIdentifier(high: 9, low: 9)) }
        #expect(client.stream.pauses == [true, false])
    }

    @Test func aStreamThatTakesNothingEndsItsClient() throws {
        let bench = try ServerBench()
        let client = try bench.connect()
        client.stream.result = .full
        client.connection.send(ScannerSetModeRequest(mode: 1))
        try client.exchange()
        #expect(client.stream.isClosed)
        #expect(bench.events == ["client connected", "client ended: The peer does not read."])
        #expect(bench.adapter.liveCentralCount == 0)
    }

    @Test func octetsOfAnotherProtocolEndTheConnection() throws {
        let bench = try ServerBench()
        let client = try bench.connect()
        client.stream.onReceive?([0x47, 0x45, 0x54].span)
        #expect(client.stream.isClosed)
        #expect(
            bench.events == ["client connected", "client ended: The peer does not speak ESPHome's native API."])
    }

    // MARK: Links

    /// The MTU of the adapter's link is told, and the smallest one without it (Vol 3, Part G, 5.2.1).
    @Test(arguments: [(517, 517), (nil, 23)] as [(Int?, UInt32)])
    func theMTUOfALinkIsTold(mtu: Int?, expected: UInt32) throws {
        let bench = try ServerBench()
        let client = try bench.connect()
        try #require(bench.adapter.centrals.last).mtu = mtu
        try client.send(SessionBench.connectRequest)
        bench.report { $0.connected(PeerRecord(identifier: peer, name: nil)) }
        bench.report { $0.completed(.readRSSI, of: peer, .success(.rssi(-50))) }
        #expect(
            try client.take(DeviceConnectionResponse.self)
                == [DeviceConnectionResponse(address: address, isConnected: true, mtu: expected)])
    }

    /// A discovery goes on when a result has come, without another event.
    @Test func eachResultIsFollowedByTheNextOperation() throws {
        let bench = try ServerBench()
        let client = try bench.connectWithLink()
        let central = try #require(bench.adapter.centrals.last)
        try client.send(GATTGetServicesRequest(address: address))
        #expect(central.take() == [.submit(.discoverServices(nil), peer)])
        let service = DiscoveredService(
            uuid: BluetoothUUID(0x180F as UInt16), range: HandleRange(start: 1, end: 0xFFFF), isPrimary: true)
        bench.report { $0.completed(.discoverServices(nil), of: peer, .success(.services([service]))) }
        #expect(central.take() == [.submit(.discoverCharacteristics(service: service.range, nil), peer)])
    }

    @Test func eachClientHearsOfTheSlots() throws {
        let bench = try ServerBench()
        let watcher = try bench.connect("watcher")
        try watcher.send(SubscribeConnectionsFreeRequest())
        #expect(try watcher.take(ConnectionsFreeResponse.self) == [ConnectionsFreeResponse(free: 2, limit: 2)])
        let other = try bench.connect("other")
        for _ in 0..<2 {
            try other.send(SessionBench.connectRequest)
            #expect(
                try watcher.take(ConnectionsFreeResponse.self)
                    == [ConnectionsFreeResponse(free: 1, limit: 2, allocated: [address])])
            bench.report { $0.connectionFailed(peer, .establishmentFailed) }
            #expect(try watcher.take(ConnectionsFreeResponse.self) == [ConnectionsFreeResponse(free: 2, limit: 2)])
            #expect(
                try other.take(DeviceConnectionResponse.self)
                    == [DeviceConnectionResponse(address: address, error: 0x3E)])
        }
        // What changes no slot is no news.
        try other.send(ScannerSetModeRequest(mode: 1))
        #expect(try watcher.take(ConnectionsFreeResponse.self) == [])
        #expect(try other.take(ConnectionsFreeResponse.self) == [], "it did not ask")
    }

    @Test func aLinkIsLostWithItsReason() throws {
        let bench = try ServerBench()
        let client = try bench.connectWithLink()
        bench.report { $0.disconnected(peer, .failed(.supervisionTimeout), isReconnecting: false) }
        #expect(
            try client.take(DeviceConnectionResponse.self) == [DeviceConnectionResponse(address: address, error: 8)])
        #expect(bench.server.freeSlots == 2)
    }

    @Test func pairingHasOneSessionForAClient() throws {
        let bench = try ServerBench()
        let client = try bench.connectWithLink()
        #expect(bench.adapter.pairings.isEmpty)
        for round in 1...2 {
            try client.send(DeviceRequest(address: address, kind: DeviceRequestKind.pair.rawValue))
            let pairing = try #require(bench.adapter.pairings.last)
            #expect(bench.adapter.pairings.count == 1 && pairing.pairs.count == round)
            #expect(pairing.pairs.last?.peer == peer && pairing.pairs.last?.minimum == .unauthenticated)
            let record = PeerRecord(identifier: peer, name: nil)
            pairing.observer?.pairingCompleted(record, .success(.none))
            bench.scheduler.run()
            #expect(
                try client.take(DevicePairingResponse.self)
                    == [DevicePairingResponse(address: address, isSuccess: true)])
            // A result that the client did not ask for is not its own.
            pairing.observer?.pairingCompleted(record, .failure(.timeout))
            bench.scheduler.run()
            #expect(try client.take(DevicePairingResponse.self) == [])
            try client.send(DeviceRequest(address: address, kind: DeviceRequestKind.unpair.rawValue))
            #expect(pairing.unpaired.count == round && pairing.unpaired.last == peer)
        }
    }

    // MARK: Addresses

    @Test func onlyThisMachineReachesALoopbackAddress() {
        for host in ["localhost", "::1", "127.0.0.1", "127.255.255.255", "127.0.0.0"] {
            #expect(GatewayServer.isLoopback(host), "\(host)")
        }
        for host in [
            "", "::", "::2", "0.0.0.0", "126.0.0.1", "128.0.0.1", "127.0.0", "127.0.0.1.2", "127.0.0.256", "127.0.0.",
            "127..0.1", "127.0.0.x", "localhost.example.org", "1127.0.0.1", "0127.0.0.1",
        ] { #expect(!GatewayServer.isLoopback(host), "\(host)") }
    }

    @Test func withoutAKeyTheServerIsForThisMachine() throws {
        let bench = try ServerBench()
        let queue = DispatchQueue(label: "listener")
        let failure = #expect(throws: TransportError.self) {
            _ = try bench.server.listen(at: .tcp(host: "0.0.0.0", port: 0), on: queue)
        }
        #expect(
            failure?.description.hasSuffix(
                "and the gateway has no key. Set one, or listen at tcp:127.0.0.1:6053.") == true)
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        #expect(try bench.server.listen(at: .unix(path: path), on: queue) == .unix(path: path))
        #expect(FileManager.default.fileExists(atPath: path))
        bench.server.stop()
        #expect(!FileManager.default.fileExists(atPath: path), "the listener ends with the server")
    }

    @Test func whatAGatewayAnnounces() throws {
        var configuration = GatewayConfiguration(
            name: "hall", version: "1.2", macAddress: "AC:BC:32:89:0E:A9", slots: 1, key: nil)
        var expected = [
            "version": "1.2", "mac": "acbc32890ea9", "friendly_name": "hall", "platform": "linux",
            "network": "ethernet", "project_name": "opencorebluetooth.gateway", "project_version": "1.2",
        ]
        let plain = GatewayAnnouncement(configuration, port: 6053)
        #expect(plain.name == "hall" && plain.port == 6053 && plain.text == expected)
        configuration.key = PreSharedKey(octets: [UInt8](repeating: 7, count: 32))
        expected["api_encryption"] = "Noise_NNpsk0_25519_ChaChaPoly_SHA256"
        #expect(GatewayAnnouncement(configuration, port: 6053).text == expected)
        #expect(GatewayAnnouncement.serviceType == "_esphomelib._tcp")
    }

    /// Lower-case letters, digits and hyphens; at most 31, and no hyphen at an end.
    @Test func eachCharacterIsAllowedInANameOrNot() {
        for code in 0x20...0x7E as ClosedRange<UInt8> {
            let character = String(decoding: [code], as: UTF8.self)
            let isAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-".contains(character)
            #expect(GatewayName.isValid("a\(character)b") == isAllowed, "\(character)")
            #expect(GatewayName.isValid(character) == (isAllowed && character != "-"))
            let resembling = "abcdefghijklmnopqrstuvwxyz0123456789-".contains(character.lowercased())
            #expect(
                GatewayName.resembling("a\(character)b") == (resembling ? "a\(character.lowercased())b" : "a-b"))
        }
        for (count, isValid) in [(1, true), (31, true), (32, false)] {
            #expect(GatewayName.isValid(String(repeating: "x", count: count)) == isValid)
        }
        let long = String(repeating: "x", count: 40)
        #expect(GatewayName.resembling(long) == String(long.prefix(31)))
        #expect(GatewayName.resembling("--Hall--2..") == "hall--2" && GatewayName.resembling("") == "gateway")
        // The cut at 31 leaves no hyphen at the end.
        #expect(GatewayName.resembling(String(long.prefix(30)) + "-y") == String(long.prefix(30)))
    }
}

/// What waits for the gateway's queue.
struct AdapterInboxTests {
    private final class Wakes: @unchecked Sendable {
        // `@unchecked Sendable`: the inbox calls on the thread of the test.
        var count = 0
    }

    private let wakes = Wakes()
    private let inbox: AdapterInbox
    private let peer = SessionBench.peer
    private static let nothing: [UInt8] = []

    init() {
        let wakes = self.wakes
        inbox = AdapterInbox { wakes.count += 1 }
    }

    @Test func theInboxWakesOnceUntilItIsTaken() {
        var content = AdapterInbox.Content()
        for round in 1...3 {
            inbox.adapterStateChanged(.poweredOn)
            inbox.connected(PeerRecord(identifier: peer, name: nil))
            inbox.received([1].span, handle: 3, from: peer)
            inbox.discovered(SizedAdvertisement.discovery(count: 3))
            #expect(wakes.count == round)
            inbox.take(&content)
            #expect(content.events.count == 3 && content.advertisementCount == 1 && content.octets == [1])
        }
        inbox.take(&content)
        #expect(content.events.isEmpty && content.advertisementCount == 0 && content.octets.isEmpty)
        #expect(content.advertisements.octets.isEmpty && wakes.count == 3)
        // Without an address there is nothing to tell.
        inbox.discovered(
            Discovery(peer: PeerRecord(identifier: peer, name: nil), data: [1], isConnectable: true, rssi: 0))
        #expect(wakes.count == 3)
    }

    @Test func eventsKeepTheirOrderAndTheirContent() {
        let peer = self.peer
        inbox.adapterStateChanged(.resetting)
        inbox.connectionFailed(peer, .limitReached)
        inbox.disconnected(peer, .cancelled, isReconnecting: false)
        inbox.completed(.read(handle: 3), of: peer, .failure(.attribute(5)))
        inbox.received([1, 2].span, handle: 3, from: peer)
        inbox.received(Self.nothing.span, handle: 4, from: peer)
        inbox.received([3].span, handle: 5, from: peer)
        inbox.readyForWriteCommands(to: peer)
        inbox.pairingCompleted(PeerRecord(identifier: peer, name: nil), .failure(.timeout))
        inbox.nameChanged("x", of: peer)
        inbox.servicesChanged(HandleRange(start: 1, end: 2), of: peer)
        var content = AdapterInbox.Content()
        inbox.take(&content)
        let texts = content.events.map { event in
            switch event {
            case .state(let state): "state \(state == .resetting)"
            case .connected: "connected"
            case .connectionFailed(let found, let failure): "failed \(found == peer) \(failure == .limitReached)"
            case .disconnected(let found, let end): "ended \(found == peer) \(end == .cancelled)"
            case .completed(let found, let result): "completed \(found == peer) \(result == .failure(.attribute(5)))"
            case .value(let found, let handle, let range):
                "value \(found == peer) \(handle) \(Array(content.octets[range]))"
            case .readyForWriteCommands(let found): "ready \(found == peer)"
            case .paired(let found, let result): "paired \(found == peer) \(result == .failure(.timeout))"
            }
        }
        #expect(
            texts == [
                "state true", "failed true true", "ended true true", "completed true true", "value true 3 [1, 2]",
                "value true 4 []", "value true 5 [3]", "ready true", "paired true true",
            ])
    }

    /// A batch takes advertisements while it has fewer than 32 KiB.
    @Test func aBatchHasRoomFor32KiB() {
        let size = SizedAdvertisement.size
        #expect(size == 64)
        var content = AdapterInbox.Content()
        for _ in 0..<2 {
            for _ in 0..<512 { inbox.discovered(SizedAdvertisement.discovery(count: SizedAdvertisement.data)) }
            for _ in 0..<3 { inbox.discovered(SizedAdvertisement.discovery(count: 1)) }
            inbox.take(&content)
            #expect(content.advertisementCount == 512 && content.droppedAdvertisements == 3)
            #expect(content.advertisements.octets.count == 32_768)
        }
        // One octet fewer, and one more advertisement fits.
        inbox.discovered(SizedAdvertisement.discovery(count: SizedAdvertisement.data - 1))
        for _ in 0..<513 { inbox.discovered(SizedAdvertisement.discovery(count: SizedAdvertisement.data)) }
        inbox.take(&content)
        #expect(content.advertisementCount == 513 && content.droppedAdvertisements == 1)
    }

    /// Values have 1 MiB together.
    @Test func valuesHaveRoomForOneMebibyte() {
        let value = [UInt8](repeating: 1, count: 512)
        let almost = [UInt8](repeating: 1, count: 511)
        var content = AdapterInbox.Content()
        for _ in 0..<2 {
            for _ in 0..<2047 { inbox.received(value.span, handle: 3, from: peer) }
            inbox.received(almost.span, handle: 3, from: peer)
            inbox.received([1, 2].span, handle: 3, from: peer)
            inbox.received([1].span, handle: 3, from: peer)
            inbox.received([1].span, handle: 3, from: peer)
            inbox.received(Self.nothing.span, handle: 3, from: peer)
            inbox.take(&content)
            #expect(content.octets.count == 1 << 20 && content.events.count == 2050 && content.droppedValues == 2)
        }
        inbox.take(&content)
        #expect(content.droppedValues == 0 && content.droppedAdvertisements == 0)
    }
}

/// Advertisements whose octets in a batch are 64.
private enum SizedAdvertisement {
    static let address = DeviceAddress(kind: .public, value: 0x0102_0304_0506)

    static func discovery(count: Int) -> Discovery {
        Discovery(
            peer: PeerRecord(identifier: SessionBench.peer, name: nil), address: address,
            data: [UInt8](repeating: 1, count: count), isConnectable: true, rssi: -60)
    }

    static func encoded(_ count: Int) -> Int {
        var writer = ProtobufWriter()
        let (data, nothing) = ([UInt8](repeating: 1, count: count), [UInt8]())
        AdvertisementBatch.append(
            address: address, rssi: -60, data: data.span, scanResponse: nothing.span, to: &writer)
        return writer.octets.count
    }

    static let data = (1...60).first { encoded($0) == 64 } ?? 0
    static var size: Int { encoded(data) }
}
