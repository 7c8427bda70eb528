import BLEAdapter
import BLEWire
import BluetoothGateway
import ESPHomeAPI
import TestDoubles
import Testing

/// A session of the gateway with a client of the API, without an adapter: tests play its part.
struct SessionBench {
    var session: GatewaySession
    var client: APIConnection
    var now = Instant.zero
    var received: [IncomingMessage] = []

    static let address: UInt64 = 0xC0FF_EE00_0001

    static let peer = FakeAdapter.identifier(for: DeviceAddress(kind: .random, value: address))

    init(
        slots: Int = 2, state: AdapterState = .poweredOn,
        identify: @escaping @Sendable (DeviceAddress) -> PeerIdentifier = { FakeAdapter.identifier(for: $0) }
    ) throws {
        var random = SeededRandom(seed: 1)
        let server = APIConnection(
            role: .server(DeviceInfoResponse(name: "hall")), key: nil, ephemeralKey: .init(using: &random), at: .zero)
        client = APIConnection(
            role: .client(information: "test", expectedName: ""), key: nil, ephemeralKey: .init(using: &random),
            at: .zero)
        session = GatewaySession(
            connection: server, slots: ConnectionSlots(limit: slots), identify: identify)
        try client.greet()
        try exchange()
        if state != .unknown { session.adapterStateChanged(state) }
        try exchange()
        received = []
    }

    /// Passes octets until neither end has more.
    mutating func exchange() throws {
        var octets: [UInt8] = []
        while session.connection.outgoingCount + client.outgoingCount > 0 {
            client.takeOutgoing(&octets)
            session.connection.receive(octets.span, at: now)
            while let message = try session.connection.next() { try session.handle(message, at: now) }
            session.connection.takeOutgoing(&octets)
            client.receive(octets.span, at: now)
            while let message = try client.next() { received.append(message) }
        }
    }

    mutating func send(_ message: some APIMessage) throws {
        client.send(message)
        try exchange()
    }

    /// The commands to the adapter since the last call.
    mutating func commands() -> [GatewayCommand] {
        defer { session.commands = [] }
        return session.commands
    }

    /// The messages of a type since the last call of this function for any type.
    mutating func take<Message: APIMessage>(_ type: Message.Type) throws -> [Message] {
        try exchange()
        let found = try received.filter { $0.type == Message.type }.map { try $0.decode(Message.self) }
        received = []
        return found
    }

    mutating func complete(_ result: Result<GATTResult, GATTError>) throws {
        session.completed(Self.peer, result, mtu: 247)
        try exchange()
    }

    static let connectRequest = DeviceRequest(
        address: address, kind: DeviceRequestKind.connectWithoutCache.rawValue, hasAddressType: true, addressType: 1)

    mutating func connect() throws {
        try send(Self.connectRequest)
        session.connected(Self.peer)
        try complete(.success(.rssi(-50)))
        session.commands = []
        received = []
    }
}

struct GatewaySessionTests {
    private let address = SessionBench.address
    private let peer = SessionBench.peer

    @Test func aConnectionReportsTheMTUAfterItsExchange() throws {
        var bench = try SessionBench()
        try bench.send(DeviceRequest(address: address, kind: 5, hasAddressType: true, addressType: 1))
        #expect(bench.commands() == [.connect(peer)])
        bench.session.connected(peer)
        // The adapter exchanges the MTU before the first operation of a link.
        #expect(bench.commands() == [.submit(.readRSSI, peer)])
        #expect(try bench.take(DeviceConnectionResponse.self).isEmpty)
        try bench.complete(.success(.rssi(-50)))
        #expect(
            try bench.take(DeviceConnectionResponse.self)
                == [DeviceConnectionResponse(address: address, isConnected: true, mtu: 247)])
    }

    @Test func requestsBeforeTheFirstStateOfTheAdapterWaitForIt() throws {
        var bench = try SessionBench(state: .unknown)
        try bench.send(SubscribeAdvertisementsRequest())
        try bench.send(DeviceRequest(address: address, kind: 5, hasAddressType: true, addressType: 1))
        #expect(bench.commands() == [])
        bench.session.adapterStateChanged(.poweredOn)
        #expect(bench.commands() == [.startScan, .connect(peer)])
        #expect(try bench.take(DeviceConnectionResponse.self).isEmpty)
    }

    @Test(arguments: [AdapterState.poweredOff, .unsupported, .resetting])
    func aRequestThatWaitsEndsWithAnAdapterThatIsNotOn(state: AdapterState) throws {
        var bench = try SessionBench(state: .unknown)
        try bench.send(DeviceRequest(address: address, kind: 5, hasAddressType: true, addressType: 1))
        bench.session.adapterStateChanged(state)
        #expect(try bench.take(DeviceConnectionResponse.self).map(\.error) == [0x03])
        #expect(bench.session.linkCount == 0)
    }

    @Test func aRequestThatWaitsForTheAdapterCanBeWithdrawnAndHasALimit() throws {
        var bench = try SessionBench(state: .unknown)
        let request = DeviceRequest(address: address, kind: 5, hasAddressType: true, addressType: 1)
        try bench.send(request)
        try bench.send(DeviceRequest(address: address, kind: DeviceRequestKind.disconnect.rawValue))
        #expect(try bench.take(DeviceConnectionResponse.self).map(\.error) == [0x16])
        try bench.send(request)
        let deadline = try #require(bench.session.deadline)
        bench.session.handleTimeout(at: deadline)
        #expect(try bench.take(DeviceConnectionResponse.self).map(\.error) == [0x3E])
        #expect(bench.session.linkCount == 0 && bench.commands() == [])
    }

    @Test func eachReadAndWriteGetsItsAnswerInOrder() throws {
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(GATTReadRequest(address: address, handle: 3))
        try bench.send(GATTWriteRequest(address: address, handle: 5, needsResponse: true, data: [1]))
        try bench.send(GATTReadRequest(address: address, handle: 7))
        #expect(
            bench.commands() == [
                .submit(.read(handle: 3), peer), .submit(.write(handle: 5, value: [1]), peer),
                .submit(.read(handle: 7), peer),
            ])
        try bench.complete(.success(.value([9, 9])))
        try bench.complete(.failure(.attribute(0x03)))
        try bench.complete(.success(.value([])))
        #expect(bench.received.map(\.type) == [GATTReadResponse.type, GATTErrorResponse.type, GATTReadResponse.type])
        #expect(
            try bench.take(GATTErrorResponse.self) == [GATTErrorResponse(address: address, handle: 5, error: 3)])
    }

    @Test func aWriteWithoutResponseGetsNone() throws {
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(GATTWriteRequest(address: address, handle: 5, needsResponse: false, data: [1, 2]))
        #expect(bench.commands() == [.writeCommand([1, 2], handle: 5, peer)])
        #expect(bench.received.isEmpty)
    }

    @Test func requestsWithoutALinkFail() throws {
        var bench = try SessionBench()
        try bench.send(GATTReadRequest(address: address, handle: 3))
        try bench.send(GATTWriteRequest(address: address, handle: 4, needsResponse: true))
        try bench.send(GATTGetServicesRequest(address: address))
        let errors = try bench.take(GATTErrorResponse.self)
        #expect(errors.map(\.handle) == [3, 4, 0])
        #expect(errors.allSatisfy { $0.error == GatewayError.notConnected })
        #expect(bench.commands().isEmpty)
    }

    @Test func handlesAndValuesOutOfRangeAreRefused() throws {
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(GATTReadRequest(address: address, handle: 0x1_0000))
        try bench.send(
            GATTWriteRequest(
                address: address, handle: 1, needsResponse: true, data: Array(repeating: 0, count: 513)))
        #expect(try bench.take(GATTErrorResponse.self).map(\.error) == [GatewayError.noResources, 0x0D])
        try bench.send(DeviceRequest(address: 1 << 48, kind: 4))
        #expect(try bench.take(DeviceConnectionResponse.self).map(\.isConnected) == [false])
        #expect(bench.commands().isEmpty)
    }

    @Test func operationsThatWaitAreBounded() throws {
        var bench = try SessionBench()
        try bench.connect()
        for _ in 0..<300 { try bench.send(GATTReadRequest(address: address, handle: 3)) }
        #expect(bench.commands().count == GatewaySession.pendingLimit)
        #expect(try bench.take(GATTErrorResponse.self).count == 300 - GatewaySession.pendingLimit)
    }

    @Test func repeatedRequestsForALinkAreBounded() throws {
        var bench = try SessionBench()
        try bench.connect()
        for _ in 0..<300 {
            try bench.send(DeviceRequest(address: address, kind: 5, hasAddressType: true, addressType: 1))
        }
        #expect(bench.commands() == [.submit(.readRSSI, peer)])
    }

    @Test func twoAddressesOfADeviceHaveOneLink() throws {
        let peer = self.peer
        var bench = try SessionBench(identify: { _ in peer })
        try bench.connect()
        try bench.send(DeviceRequest(address: 0x1234, kind: 5, hasAddressType: true, addressType: 0))
        let refusals = try bench.take(DeviceConnectionResponse.self)
        #expect(refusals == [DeviceConnectionResponse(address: 0x1234, error: GatewayError.noResources)])
        #expect(bench.commands().isEmpty)
    }

    @Test func slotsAreBoundedAndFreed() throws {
        var bench = try SessionBench(slots: 1)
        try bench.send(SubscribeConnectionsFreeRequest())
        #expect(try bench.take(ConnectionsFreeResponse.self) == [ConnectionsFreeResponse(free: 1, limit: 1)])
        try bench.connect()
        #expect(bench.session.slotsChanged)
        bench.session.reportSlots()
        #expect(
            try bench.take(ConnectionsFreeResponse.self)
                == [ConnectionsFreeResponse(free: 0, limit: 1, allocated: [address])])
        try bench.send(DeviceRequest(address: 5, kind: 4))
        #expect(try bench.take(DeviceConnectionResponse.self) == [DeviceConnectionResponse(address: 5, error: 0x80)])
        try bench.send(DeviceRequest(address: address, kind: 1))
        #expect(bench.commands() == [.cancelConnection(peer)])
        bench.session.disconnected(peer, .cancelled)
        #expect(
            try bench.take(DeviceConnectionResponse.self) == [DeviceConnectionResponse(address: address, error: 0x16)])
        bench.session.reportSlots()
        #expect(try bench.take(ConnectionsFreeResponse.self) == [ConnectionsFreeResponse(free: 1, limit: 1)])
    }

    @Test func aDeviceThatDoesNotAnswerFreesItsSlot() throws {
        var bench = try SessionBench(slots: 1)
        try bench.send(DeviceRequest(address: address, kind: 5, addressType: 1))
        _ = bench.commands()
        #expect(bench.session.deadline == .zero + .seconds(30))
        bench.session.handleTimeout(at: .zero + .seconds(30))
        #expect(bench.commands() == [.cancelConnection(peer)])
        bench.session.disconnected(peer, .cancelled)
        #expect(
            try bench.take(DeviceConnectionResponse.self) == [DeviceConnectionResponse(address: address, error: 0x3E)])
        #expect(bench.session.deadline == nil)
        #expect(bench.session.linkCount == 0)
    }

    /// An adapter that never reports the end of a cancelled link keeps no slot.
    @Test func anEndThatTheAdapterDoesNotReportHasADeadline() throws {
        var bench = try SessionBench(slots: 1)
        try bench.connect()
        bench.now = .zero + .seconds(100)
        try bench.send(DeviceRequest(address: address, kind: DeviceRequestKind.disconnect.rawValue))
        #expect(bench.commands() == [.cancelConnection(peer)])
        let deadline = try #require(bench.session.deadline)
        #expect(deadline == bench.now + GatewaySession.endTimeout)
        bench.session.handleTimeout(at: deadline - .nanoseconds(1))
        #expect(try bench.take(DeviceConnectionResponse.self).isEmpty && bench.session.linkCount == 1)
        bench.session.handleTimeout(at: deadline)
        #expect(
            try bench.take(DeviceConnectionResponse.self) == [DeviceConnectionResponse(address: address, error: 0x16)])
        #expect(bench.session.linkCount == 0 && bench.session.deadline == nil)
        // The late report changes nothing, and the slot is free.
        bench.session.disconnected(peer, .cancelled)
        #expect(try bench.take(DeviceConnectionResponse.self).isEmpty)
        try bench.connect()
        #expect(bench.session.linkCount == 1)
    }

    /// A service that no message holds fails its discovery, and the connection of the client stays.
    @Test func aServiceTooLargeForAMessageFailsTheDiscovery() throws {
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(GATTGetServicesRequest(address: address))
        let range = HandleRange(start: 1, end: 0xFFFF)
        let uuid = BluetoothUUID("00467768-6228-2272-4663-277478268000")!
        try bench.complete(.success(.services([DiscoveredService(uuid: uuid, range: range, isPrimary: true)])))
        let found = (0..<4000 as Range<UInt16>).map {
            DiscoveredCharacteristic(
                uuid: uuid, properties: 2, declarationHandle: 2 + 2 * $0, valueHandle: 3 + 2 * $0, end: 3 + 2 * $0)
        }
        try bench.complete(.success(.characteristics(found)))
        #expect(
            try bench.take(GATTErrorResponse.self)
                == [GATTErrorResponse(address: address, handle: 0, error: GatewayError.noResources)])
        #expect(bench.session.connection.failure == nil)
        try bench.send(GATTReadRequest(address: address, handle: 3))
        #expect(bench.commands().last == .submit(.read(handle: 3), peer))
        // The client may ask again.
        try bench.send(GATTGetServicesRequest(address: address))
        #expect(bench.commands() == [.submit(.discoverServices(nil), peer)])
    }

    /// A lost link answers what waits, then reports its end.
    @Test func aLostLinkAnswersWhatWaits() throws {
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(GATTReadRequest(address: address, handle: 3))
        try bench.send(DeviceRequest(address: address, kind: 2))
        bench.session.disconnected(peer, .failed(.supervisionTimeout))
        try bench.exchange()
        #expect(
            bench.received.map(\.type) == [
                GATTErrorResponse.type, DevicePairingResponse.type, DeviceConnectionResponse.type,
            ])
        #expect(try bench.take(DeviceConnectionResponse.self).map(\.error) == [0x08])
        // A late completion of the lost link has no effect.
        try bench.complete(.success(.value([1])))
        #expect(bench.received.isEmpty)
    }

    @Test func anAdapterThatIsLostEndsTheLinks() throws {
        var bench = try SessionBench()
        try bench.send(SubscribeAdvertisementsRequest(flags: 1))
        #expect(bench.commands() == [.startScan])
        try bench.connect()
        bench.session.adapterStateChanged(.resetting)
        try bench.exchange()
        #expect(bench.received.map(\.type) == [DeviceConnectionResponse.type, ScannerStateResponse.type])
        bench.session.adapterStateChanged(.poweredOn)
        #expect(bench.commands() == [.startScan])
        #expect(bench.session.linkCount == 0)
    }

    /// A write of the client configuration becomes a subscription, also for a client that knows the handles from before.
    @Test func aConfigurationBecomesASubscription() throws {
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(GATTNotifyRequest(address: address, handle: 10, isEnabled: true))
        #expect(try bench.take(GATTNotifyResponse.self) == [GATTNotifyResponse(address: address, handle: 10)])
        let value: [UInt8] = [7, 8]
        #expect(bench.session.received(value.span, handle: 11, from: peer, limit: 1024) == .unwanted)
        #expect(bench.session.received(value.span, handle: 10, from: peer, limit: 0) == .dropped)
        guard case .sent(let waiting) = bench.session.received(value.span, handle: 10, from: peer, limit: 1024) else {
            Issue.record("the value was not sent")
            return
        }
        #expect(waiting == bench.session.connection.outgoingCount && waiting > 0)
        #expect(
            try bench.take(GATTNotifyDataResponse.self)
                == [GATTNotifyDataResponse(address: address, handle: 10, data: [7, 8])])
        try bench.send(GATTWriteDescriptorRequest(address: address, handle: 12, data: [1, 0]))
        #expect(bench.commands() == [.submit(.discoverDescriptors(after: 10, end: 12), peer)])
        try bench.complete(
            .success(
                .descriptors([
                    DiscoveredDescriptor(uuid: BluetoothUUID(0x2901 as UInt16), handle: 11),
                    DiscoveredDescriptor(uuid: BluetoothUUID(0x2902 as UInt16), handle: 12),
                ])))
        #expect(bench.commands() == [.submit(.setNotify(valueHandle: 10, end: 12, mode: .notification), peer)])
        try bench.complete(.success(.done))
        #expect(try bench.take(GATTWriteResponse.self) == [GATTWriteResponse(address: address, handle: 12)])
        // The second write needs no search.
        try bench.send(GATTWriteDescriptorRequest(address: address, handle: 12, data: [2, 0]))
        #expect(bench.commands() == [.submit(.setNotify(valueHandle: 10, end: 12, mode: .indication), peer)])
    }

    @Test func anotherDescriptorIsWritten() throws {
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(GATTNotifyRequest(address: address, handle: 10, isEnabled: true))
        try bench.send(GATTWriteDescriptorRequest(address: address, handle: 11, data: [1, 0]))
        _ = bench.commands()
        try bench.complete(
            .success(.descriptors([DiscoveredDescriptor(uuid: BluetoothUUID(0x2901 as UInt16), handle: 11)])))
        #expect(bench.commands() == [.submit(.write(handle: 11, value: [1, 0]), peer)])
    }

    /// The adapter hides the GAP service, and clients of a gateway get it.
    @Test func allServicesAreFound() throws {
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(GATTGetServicesRequest(address: address))
        func step(_ operation: GATTOperation, _ result: GATTResult) throws {
            #expect(bench.commands() == [.submit(operation, peer)])
            try bench.complete(.success(result))
        }
        let heartRate = HandleRange(start: 6, end: 0xFFFF)
        try step(
            .discoverServices(nil),
            .services([DiscoveredService(uuid: BluetoothUUID(0x180D as UInt16), range: heartRate, isPrimary: true)]))
        // Handles 1 to 5 hold the GAP service, and the GATT service without characteristics.
        try step(.read(handle: 1), .value([0x00, 0x18]))
        let name = DiscoveredCharacteristic(
            uuid: BluetoothUUID(0x2A00 as UInt16), properties: 2, declarationHandle: 2, valueHandle: 3, end: 5)
        try step(.discoverCharacteristics(service: HandleRange(start: 1, end: 5), nil), .characteristics([name]))
        try step(.discoverDescriptors(after: 3, end: 5), .descriptors([]))
        try step(.read(handle: 4), .value([0x01, 0x18]))
        try step(.discoverCharacteristics(service: HandleRange(start: 4, end: 5), nil), .characteristics([]))
        let measurement = DiscoveredCharacteristic(
            uuid: BluetoothUUID(0x2A37 as UInt16), properties: 16, declarationHandle: 7, valueHandle: 8, end: 0xFFFF)
        try step(.discoverCharacteristics(service: heartRate, nil), .characteristics([measurement]))
        try step(
            .discoverDescriptors(after: 8, end: 0xFFFF),
            .descriptors([DiscoveredDescriptor(uuid: BluetoothUUID(0x2902 as UInt16), handle: 9)]))
        #expect(bench.commands().isEmpty)
        #expect(bench.received.last?.type == GATTGetServicesDoneResponse.type)
        let services = try bench.take(GATTGetServicesResponse.self).flatMap(\.services)
        #expect(services.map(\.shortUUID) == [0x1800, 0x1801, 0x180D])
        #expect(services.map(\.handle) == [1, 4, 6])
        #expect(services[0].characteristics.map(\.shortUUID) == [0x2A00])
        #expect(services[2].characteristics[0].descriptors.map(\.shortUUID) == [0x2902])
        // The configuration is known now.
        try bench.send(GATTWriteDescriptorRequest(address: address, handle: 9, data: [1, 0]))
        #expect(bench.commands() == [.submit(.setNotify(valueHandle: 8, end: 0xFFFF, mode: .notification), peer)])
    }

    @Test func aDiscoveryThatFailsIsAnswered() throws {
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(GATTGetServicesRequest(address: address))
        try bench.complete(.failure(.bearerLost))
        #expect(
            try bench.take(GATTErrorResponse.self)
                == [GATTErrorResponse(address: address, handle: 0, error: GatewayError.notConnected)])
    }

    @Test func aClientThatEndsLeavesNothing() throws {
        var bench = try SessionBench()
        try bench.send(SubscribeAdvertisementsRequest(flags: 1))
        try bench.connect()
        bench.session.close()
        #expect(bench.commands() == [.cancelConnection(peer), .stopScan])
        #expect(bench.session.linkCount == 0)
    }

    @Test func namesAreThoseOfHosts() {
        #expect(GatewayName.isValid("hall-2"))
        for name in ["", "Hall", "a b", "-a", "a-", String(repeating: "a", count: 32), "h\u{E4}ll"] {
            #expect(!GatewayName.isValid(name))
        }
        #expect(GatewayName.resembling("My PC.local") == "my-pc-local")
        #expect(GatewayName.resembling("---") == "gateway")
        #expect(GatewayName.isValid(GatewayName.resembling(String(repeating: "x", count: 80))))
    }
}
