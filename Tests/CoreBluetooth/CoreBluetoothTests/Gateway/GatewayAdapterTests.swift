import BLESecurity
import BLESimulator
import BLEWire
import ESPHomeAPI
import NoiseChannel
import Testing

@testable import BLEAdapter
@testable import BLEGatewayAdapter

/// What a session is told, as words with their values.
private final class WordRecorder: CentralObserver, PairingObserver {
    private let events = Locked<[String]>([])

    /// The events since the last call.
    func take() -> [String] {
        events { events in
            defer { events = [] }
            return events
        }
    }

    private func add(_ event: String) { events { $0.append(event) } }

    func adapterStateChanged(_ state: AdapterState) { add("state \(state)") }
    func discovered(_ discovery: Discovery) {
        let name = discovery.peer.name ?? "-"
        // The protocol does not tell whether an advertisement is connectable, so each is taken for one.
        let suffix = discovery.isConnectable ? "" : ", not connectable"
        add("discovered \(name) \(discovery.rssi) \([UInt8](discovery.octets.data))\(suffix)")
    }
    func connected(_ peer: PeerRecord) { add("connected \(peer.name ?? "-")") }
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) { add("failed \(failure)") }
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        add("disconnected \(end) \(isReconnecting)")
    }
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        switch result {
        case .success(.value(let value)): add("value \(value)")
        case .success(.done): add("done")
        case .success: add("success")
        case .failure(let failure): add("failure \(failure)")
        }
    }
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        let octets = [UInt8](value)
        add("received \(handle) \(octets)")
    }
    func readyForWriteCommands(to peer: PeerIdentifier) { add("ready") }
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
    func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, of peer: PeerIdentifier) {
        if case .failure(let failure) = result { add("channel \(psm) \(failure)") }
    }
    func pairingCompleted(_ peer: PeerRecord, _ result: Result<LinkSecurity, PairingProcedureError>) {
        switch result {
        case .success(let security):
            add("paired \(security.keySize) \(security.level) \(security.isBonded) \(security.isSecureConnections)")
        case .failure(let failure): add("unpaired \(failure)")
        }
    }
}

/// The adapter over a gateway whose answers the test chooses: codes, limits, and several sessions.
@Suite struct GatewayAdapterTests {
    private let gateway: ScriptedGateway
    private let adapter: GatewayAdapter
    private let recorder = WordRecorder()
    private let session: any CentralSession
    private let address = DeviceAddress(kind: .random, value: 0xC0FF_EE00_0001)
    private let peer: PeerIdentifier

    init() async throws {
        let gateway = ScriptedGateway(seed: 7)
        let adapter = gateway.makeAdapter()
        (self.gateway, self.adapter) = (gateway, adapter)
        session = adapter.openCentral(observer: recorder)
        peer = adapter.snapshot.identification.identifier(for: address)
        await gateway.world.run(for: .seconds(1))
        try #require(recorder.take() == ["state poweredOn"])
    }

    private func run(_ milliseconds: Int = 1) async { await gateway.world.run(for: .milliseconds(milliseconds)) }

    private func tell(isConnected: Bool = false, mtu: UInt32 = 0, error: Int32 = 0) async {
        gateway.tell(
            DeviceConnectionResponse(address: address.value, isConnected: isConnected, mtu: mtu, error: error))
        await run()
    }

    /// A link that the gateway reports at once, for `session`.
    private func connect(_ options: ConnectionOptions = ConnectionOptions()) async {
        session.connect(peer, options: options)
        await run()
        await tell(isConnected: true, mtu: 100)
        _ = (recorder.take(), gateway.take(DeviceRequest.self))
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (GatewayAdapter) -> Value) async -> Value? {
        let result = Locked<Value?>(nil)
        gateway.scheduler.submit { [adapter] in
            let value = body(adapter)
            result { $0 = value }
        }
        await run()
        return result.value
    }

    // MARK: The state

    /// A session hears of the state 10 ms after it began, and of each change.
    @Test func theFirstStateComesAfterAMoment() async {
        let other = WordRecorder()
        let session = adapter.openCentral(observer: other)
        await run(9)
        #expect(other.take() == [])
        await run(2)
        #expect(other.take() == ["state poweredOn"])
        for _ in 0..<2 {
            gateway.cut()
            await run()
            #expect(other.take() == ["state resetting"] && recorder.take() == ["state resetting"])
            // A session that begins now hears of this state.
            let late = WordRecorder()
            let lateSession = adapter.openCentral(observer: late)
            await run(20)
            #expect(late.take() == ["state resetting"])
            await run(1000)
            #expect(other.take() == ["state poweredOn"] && late.take() == ["state poweredOn"])
            withExtendedLifetime(lateSession) {}
            _ = recorder.take()
        }
        withExtendedLifetime(session) {}
    }

    /// A proxy without raw advertisements, active connections or remote caching is none for this adapter.
    @Test(arguments: [0, 1, 2] as [Int]) func aGatewayWithoutAFeatureIsRefused(missing: Int) async {
        let all: [BluetoothFeatures] = [.rawAdvertisements, .activeConnections, .remoteCaching]
        gateway.features { $0 = BluetoothFeatures(all.indices.filter { $0 != missing }.map { all[$0] }) }
        gateway.ends { $0 = 0 }
        gateway.cut()
        await run(5000)
        #expect(recorder.take() == ["state resetting"])
        #expect(gateway.ends.value >= 2, "the adapter closes the connection")
        gateway.features { $0 = BluetoothFeatures(all) }
        await run(40_000)
        #expect(recorder.take() == ["state poweredOn"])
    }

    /// A key that does not fit is tried again after 30 s each time.
    @Test(arguments: [nil, PreSharedKey(octets: [UInt8](repeating: 9, count: 32))])
    func aWrongKeyIsNotTriedAgainSoon(key: PreSharedKey?) async throws {
        let other = ScriptedGateway(seed: 3)
        other.key { $0 = PreSharedKey(octets: Array(1...32)) }
        let adapter = other.makeAdapter(key: key)
        let recorder = WordRecorder()
        let session = adapter.openCentral(observer: recorder)
        await other.world.run(for: .seconds(100))
        #expect(recorder.take() == ["state unauthorized"])
        let times = other.attempts.value
        #expect(zip(times, times.dropFirst()).map { $1 - $0 } == [30, 30, 30], "\(times)")
        withExtendedLifetime(session) {}
    }

    /// Octets that are no message end the connection at both ends, each time.
    @Test func aGatewayThatSpeaksAnotherProtocolIsLeft() async {
        for _ in 0..<2 {
            gateway.ends { $0 = 0 }
            gateway.scheduler.submit { [gateway] in gateway.sendOctets([0x47, 0x45, 0x54]) }
            await run()
            #expect(recorder.take() == ["state resetting"] && gateway.ends.value == 1)
            await run(3000)
            #expect(recorder.take() == ["state poweredOn"])
        }
    }

    /// A gateway that says goodbye is answered before the connection ends: a frame without content, of the type 6.
    @Test func aGoodbyeIsAnswered() async {
        for _ in 0..<2 {
            gateway.tell(DisconnectRequest())
            await run()
            #expect(gateway.lastOctets.value == [0, 0, 6])
            #expect(recorder.take() == ["state resetting"])
            await run(3000)
            #expect(recorder.take() == ["state poweredOn"])
        }
    }

    @Test func whatTheProtocolDoesNotCarryFails() async {
        await connect()
        session.openChannel(psm: 0x25, to: peer)
        session.submit(.readRSSI, to: peer)
        await run()
        // Request Not Supported (Vol 3, Part F, 3.4.1.1).
        #expect(recorder.take() == ["channel 37 refused", "failure attribute(6)"])
        #expect(session.connectedPeers(services: []).isEmpty)
    }

    // MARK: Links

    /// An ATT_MTU has at least 23 octets (Vol 3, Part G, 5.2.1), and 517 suffice for each value.
    @Test func theMTUIsWithinItsLimits() async {
        for (told, expected) in [
            (0, 23), (22, 23), (23, 23), (24, 24), (516, 516), (517, 517), (518, 517), (65_600, 517),
        ] as [(UInt32, Int)] {
            session.connect(peer, options: ConnectionOptions())
            await run()
            await tell(isConnected: true, mtu: told)
            #expect(session.maximumTransmissionUnit(of: peer) == expected, "\(told)")
            await tell(error: 0x13)
            #expect(session.maximumTransmissionUnit(of: peer) == nil)
        }
    }

    /// HCI error codes (Vol 1, Part F, 1.3), and those of the ESP32's host (esp_gatt_defs.h).
    private static let failures: [(error: Int32, failure: ConnectionError)] = [
        (0x08, .supervisionTimeout), (0x13, .endedByPeer), (0x16, .endedByHost), (0x22, .attributeTimeout),
        (0x3E, .establishmentFailed), (0x85, .establishmentFailed), (0x09, .limitReached), (0x80, .limitReached),
        (0x01, .controller(0x01)), (0x05, .controller(0x05)), (0x3D, .controller(0x3D)), (0xFF, .controller(0xFF)),
        (0, .establishmentFailed), (0x100, .establishmentFailed), (-1, .establishmentFailed),
    ]

    @Test func theEndOfALinkHasItsReason() async {
        for (error, failure) in Self.failures {
            await connect()
            await tell(error: error)
            #expect(recorder.take() == ["disconnected \(LinkEnd.failed(failure)) false"], "\(error)")
        }
    }

    /// An attempt that could not be established goes on; any other failure ends it.
    @Test func theEndOfAnAttemptHasItsReason() async {
        for (error, failure) in Self.failures {
            session.connect(peer, options: ConnectionOptions())
            await run()
            #expect(gateway.take(DeviceRequest.self).map(\.kind) == [5], "before \(error)")
            await tell(error: error)
            await run(3000)
            if failure == .establishmentFailed {
                #expect(recorder.take() == [], "\(error)")
                #expect(gateway.take(DeviceRequest.self).map(\.kind) == [5], "asked again")
                session.cancelConnection(peer)
                await run()
                await tell(error: 0x16)
                #expect(recorder.take() == ["disconnected cancelled false"])
                #expect(gateway.take(DeviceRequest.self).map(\.kind) == [1])
            } else {
                #expect(recorder.take() == ["failed \(failure)"], "\(error)")
                #expect(gateway.take(DeviceRequest.self).isEmpty)
            }
        }
    }

    /// A gateway that gives up at once is asked each second, and not more often.
    @Test func aGatewayThatGivesUpIsAskedEachSecond() async {
        gateway.onDevice { answer in
            answer = { gateway, request in
                gateway.send(DeviceConnectionResponse(address: request.address, error: 0x3E))
            }
        }
        session.connect(peer, options: ConnectionOptions())
        await run(10_500)
        let count = gateway.take(DeviceRequest.self).count
        #expect(count >= 10 && count <= 12, "\(count)")
        // At any moment between two looks at the clock, the pause is a second or more.
        gateway.onDevice { $0 = nil }
        await run(2500)
        _ = gateway.take(DeviceRequest.self)
        for offset in [0, 130, 370, 610, 850] {
            await run(offset)
            await tell(error: 0x3E)
            await run(990)
            #expect(gateway.take(DeviceRequest.self) == [], "\(offset)")
            await run(1100)
            #expect(gateway.take(DeviceRequest.self).count == 1, "\(offset)")
        }
    }

    /// A session that cancels while the gateway is not asked leaves nothing, and a new request begins at once.
    @Test func aPauseBetweenAttemptsCanBeCancelled() async {
        for _ in 0..<2 {
            session.connect(peer, options: ConnectionOptions())
            await run()
            await tell(error: 0x3E)
            _ = gateway.take(DeviceRequest.self)
            session.cancelConnection(peer)
            await run(5000)
            #expect(recorder.take() == ["disconnected cancelled false"])
            #expect(gateway.take(DeviceRequest.self) == [], "nobody wants the link")
            session.connect(peer, options: ConnectionOptions())
            await run()
            #expect(
                gateway.take(DeviceRequest.self) == [
                    DeviceRequest(address: address.value, kind: 5, hasAddressType: true, addressType: 1)
                ])
            await tell(isConnected: true, mtu: 100)
            await tell(error: 0x13)
            _ = recorder.take()
        }
    }

    /// A request while the link ends is carried out when the gateway confirms the end.
    @Test func aRequestWaitsForTheEndOfTheLink() async {
        for _ in 0..<2 {
            await connect()
            session.cancelConnection(peer)
            session.connect(peer, options: ConnectionOptions())
            await run(500)
            #expect(gateway.take(DeviceRequest.self).map(\.kind) == [1])
            await tell(error: 0x16)
            #expect(gateway.take(DeviceRequest.self).map(\.kind) == [5])
            await tell(isConnected: true, mtu: 100)
            #expect(recorder.take() == ["disconnected cancelled false", "connected -"])
            session.cancelConnection(peer)
            await run()
            await tell(error: 0x16)
            _ = (recorder.take(), gateway.take(DeviceRequest.self))
        }
    }

    /// Sessions share a link, and it ends with the last of them.
    @Test func theLastSessionEndsALink() async {
        let other = WordRecorder()
        let second = adapter.openCentral(observer: other)
        await run(20)
        _ = other.take()
        await connect()
        for _ in 0..<2 {
            second.connect(peer, options: ConnectionOptions())
            await run()
            #expect(other.take() == ["connected -"] && recorder.take() == [])
            second.cancelConnection(peer)
            await run()
            #expect(other.take() == ["disconnected cancelled false"] && recorder.take() == [])
        }
        #expect(gateway.take(DeviceRequest.self).isEmpty && session.maximumTransmissionUnit(of: peer) == 100)
        // Both hear of a loss; the one that reconnects stays.
        second.connect(peer, options: ConnectionOptions(reconnectsAutomatically: true))
        await run()
        _ = other.take()
        let lost = LinkEnd.failed(.supervisionTimeout)
        for round in 0..<2 {
            await tell(error: 0x08)
            #expect(recorder.take() == (round == 0 ? ["disconnected \(lost) false"] : []))
            #expect(other.take() == ["disconnected \(lost) true"])
            #expect(gateway.take(DeviceRequest.self).map(\.kind) == [5])
            await tell(isConnected: true, mtu: 50)
            #expect(other.take() == ["connected -"] && recorder.take() == [])
        }
        // A cancellation of a session without the link is no end for anybody.
        session.cancelConnection(peer)
        await run()
        #expect(recorder.take() == [] && gateway.take(DeviceRequest.self).isEmpty)
        second.cancelConnection(peer)
        await run()
        #expect(gateway.take(DeviceRequest.self).map(\.kind) == [1])
    }

    /// The release of a session ends what only it wants: its link, its scan and its delays.
    @Test func aSessionThatIsReleasedLeavesNothing() async {
        let other = WordRecorder()
        var second: (any CentralSession)? = adapter.openCentral(observer: other)
        await run(20)
        second?.connect(peer, options: ConnectionOptions())
        second?.startScan(ScanRequest(allowDuplicates: true))
        let far = adapter.snapshot.identification.identifier(for: DeviceAddress(kind: .random, value: 0xC0FF_EE00_0002))
        second?.connect(far, options: ConnectionOptions(startDelay: .seconds(5)))
        session.connect(far, options: ConnectionOptions(startDelay: .seconds(5)))
        await run()
        #expect(await read { $0.central.delayed.count } == 2)
        await tell(isConnected: true, mtu: 100)
        _ = gateway.take(DeviceRequest.self)
        second = nil
        await run()
        #expect(gateway.take(DeviceRequest.self).map(\.kind) == [1])
        #expect(gateway.take(UnsubscribeAdvertisementsRequest.self).count == 1)
        #expect(await read { [$0.central.delayed.count, $0.central.sessions.count] } == [1, 1])
        await tell(error: 0x16)
        #expect(await read { $0.links.isEmpty && $0.peers.isEmpty } == true)
        await run(6000)
        #expect(gateway.take(DeviceRequest.self).map(\.address) == [0xC0FF_EE00_0002])
        #expect(await read { $0.central.delayed.isEmpty } == true)
    }

    /// A delayed request begins at its time, and not at the next full second.
    @Test func aDelayIsPrecise() async {
        for delay in [1, 150, 1500] {
            session.connect(peer, options: ConnectionOptions(startDelay: .milliseconds(delay)))
            await run(delay - 1)
            #expect(gateway.take(DeviceRequest.self) == [])
            await run(2)
            #expect(gateway.take(DeviceRequest.self).map(\.kind) == [5], "\(delay)")
            session.cancelConnection(peer)
            await run()
            await tell(error: 0x16)
            _ = gateway.take(DeviceRequest.self)
        }
    }

    /// Timers that wait keep no adapter.
    @Test func anAdapterWithoutSessionsIsReleased() async throws {
        let gateway = ScriptedGateway(seed: 3)
        var adapter: GatewayAdapter? = gateway.makeAdapter()
        weak let weakAdapter = adapter
        var session = adapter?.openCentral(observer: recorder)
        await gateway.world.run(for: .seconds(1))
        session?.connect(peer, options: ConnectionOptions())
        session?.connect(PeerIdentifier(high: 1, low: 2), options: ConnectionOptions(startDelay: .seconds(600)))
        await gateway.world.run(for: .milliseconds(1))
        gateway.tell(DeviceConnectionResponse(address: address.value, isConnected: true, mtu: 100))
        session?.submit(.read(handle: 3), to: peer)
        await gateway.world.run(for: .milliseconds(1))
        #expect(weakAdapter != nil)
        (adapter, session) = (nil, nil)
        await gateway.world.run(for: .milliseconds(1))
        #expect(weakAdapter == nil)
    }

    @Test func whatIsAskedWithoutThePowerIsDropped() async {
        gateway.isAway { $0 = true }
        gateway.cut()
        await run()
        #expect(recorder.take() == ["state resetting"])
        session.connect(peer, options: ConnectionOptions())
        session.startScan(ScanRequest(allowDuplicates: true))
        session.submit(.read(handle: 3), to: peer)
        await run()
        #expect(recorder.take() == ["failure notConnected"])
        gateway.isAway { $0 = false }
        await run(20_000)
        #expect(recorder.take() == ["state poweredOn"])
        #expect(gateway.take(DeviceRequest.self).isEmpty && gateway.take(SubscribeAdvertisementsRequest.self).isEmpty)
        // An identifier of another host has no address.
        session.connect(PeerIdentifier(high: 1, low: 2), options: ConnectionOptions())
        await run()
        #expect(recorder.take() == ["failed establishmentFailed"])
    }

    // MARK: Scans

    private func advertise(_ address: UInt64, _ data: [UInt8]) async {
        gateway.scheduler.submit { [gateway] in gateway.sendAdvertisement(address, data) }
        await run()
    }

    /// The gateway scans while a session does, also after a loss of the network.
    @Test func theGatewayScansForAnySession() async {
        let second = adapter.openCentral(observer: WordRecorder())
        await run(20)
        for _ in 0..<2 {
            session.startScan(ScanRequest(allowDuplicates: true))
            second.startScan(ScanRequest(allowDuplicates: true))
            session.startScan(ScanRequest(allowDuplicates: true))
            await run()
            #expect(gateway.take(SubscribeAdvertisementsRequest.self) == [SubscribeAdvertisementsRequest(flags: 1)])
            session.stopScan()
            await run()
            #expect(gateway.take(UnsubscribeAdvertisementsRequest.self).isEmpty)
            second.stopScan()
            second.stopScan()
            await run()
            #expect(gateway.take(UnsubscribeAdvertisementsRequest.self).count == 1)
            await advertise(5, [2, 1, 6])
            #expect(recorder.take() == [])
            session.startScan(ScanRequest(allowDuplicates: true))
            await run()
            #expect(gateway.take(SubscribeAdvertisementsRequest.self).count == 1)
            gateway.cut()
            await run(2000)
            #expect(recorder.take() == ["state resetting", "state poweredOn"])
            #expect(gateway.take(SubscribeAdvertisementsRequest.self).isEmpty, "a scan ends with the power")
            // The scan of another session is no scan of this one.
            second.startScan(ScanRequest(allowDuplicates: true))
            await run()
            #expect(gateway.take(SubscribeAdvertisementsRequest.self).count == 1)
            await advertise(5, [2, 1, 6])
            #expect(recorder.take() == [])
            second.stopScan()
            await run()
            #expect(gateway.take(UnsubscribeAdvertisementsRequest.self).count == 1)
        }
    }

    /// A scan without duplicates reports a device again when its octets change, and only then.
    @Test func anotherContentIsAnotherReport() async {
        session.startScan(ScanRequest(allowDuplicates: false))
        await run()
        let contents: [(octets: [UInt8], isNew: Bool)] = [
            ([2, 1, 6], true), ([2, 1, 6], false), ([2, 1, 4], true), ([2, 1, 4], false), ([2, 1, 6], true), ([], true),
            ([], false), ([2, 1, 6, 0], true),
        ]
        for (octets, isNew) in contents {
            await advertise(0xC000_0000_0001, octets)
            #expect(recorder.take() == (isNew ? ["discovered - -50 \(octets)"] : []))
        }
        session.startScan(ScanRequest(allowDuplicates: true))
        await run()
        for _ in 0..<2 {
            await advertise(0xC000_0000_0001, [2, 1, 6])
            #expect(recorder.take() == ["discovered - -50 [2, 1, 6]"])
        }
        // A scan for services selects, and each session gets its own selection.
        session.startScan(ScanRequest(services: [BluetoothUUID(0x180D as UInt16)], allowDuplicates: true))
        await run()
        await advertise(0xC000_0000_0001, [3, 3, 0x0F, 0x18])
        await advertise(0xC000_0000_0001, [3, 3, 0x0D, 0x18])
        #expect(recorder.take() == ["discovered - -50 [3, 3, 13, 24]"])
    }

    /// The name is that of the last advertisement with one, in reports and in records of links.
    @Test func theLastNameIsKept() async {
        session.startScan(ScanRequest(allowDuplicates: true))
        await run()
        #expect(session.knownPeers([peer]).map(\.name) == [nil])
        for (octets, name) in [
            ([3, 9, 0x41, 0x42], "AB"), ([2, 1, 6], "AB"), ([2, 9, 0x43], "C"), ([2, 1, 6], "C"),
        ] as [([UInt8], String)] {
            await advertise(address.value, octets)
            #expect(recorder.take() == ["discovered \(name) -50 \(octets)"])
        }
        #expect(session.knownPeers([PeerIdentifier(high: 1, low: 2), peer]).map(\.name) == ["C"])
        session.connect(peer, options: ConnectionOptions())
        await run()
        await tell(isConnected: true, mtu: 100)
        #expect(recorder.take() == ["connected C"])
    }

    /// 4,096 names and 4,096 reported devices are kept. A device with a name may change it when the table is full.
    @Test func theTablesAreBounded() async {
        session.startScan(ScanRequest(allowDuplicates: false))
        await run()
        func advertise(_ numbers: Range<UInt64>, _ letter: UInt8) async {
            gateway.scheduler.submit { [gateway] in
                for number in numbers { gateway.sendAdvertisement(0xC000_0000_0000 + number, [2, 9, letter]) }
            }
            await run(100)
        }
        await advertise(0..<4096, 0x41)
        #expect(recorder.take().count == 4096)
        #expect(await read { $0.central.sessions.values.map(\.reported.count) } == [4096])
        await advertise(4096..<4097, 0x41)
        #expect(recorder.take() == ["discovered A -50 [2, 9, 65]"])
        let peers = [4095, 4096].map { number in
            adapter.snapshot.identification.identifier(
                for: DeviceAddress(kind: .random, value: 0xC000_0000_0000 + number))
        }
        #expect(session.knownPeers(peers).map(\.name) == ["A", nil], "no room for the name")
        #expect(await read { $0.central.sessions.values.map(\.reported.count) } == [1])
        await advertise(7..<8, 0x42)
        #expect(recorder.take() == ["discovered B -50 [2, 9, 66]"])
        await advertise(4096..<4097, 0x42)
        #expect(session.knownPeers(peers).map(\.name) == ["A", nil])
    }

    // MARK: Values

    @Test func eachSubscriberGetsTheValues() async {
        let other = WordRecorder()
        let second = adapter.openCentral(observer: other)
        await run(20)
        _ = other.take()
        await connect()
        second.connect(peer, options: ConnectionOptions())
        session.submit(.discoverServices(nil), to: peer)
        await run()
        #expect(gateway.take(GATTGetServicesRequest.self).map(\.address) == [address.value])
        let characteristic = GATTCharacteristicRecord(
            uuid: [], handle: 10, properties: 0x12,
            descriptors: [GATTDescriptorRecord(uuid: [], handle: 12, shortUUID: 0x2902)], shortUUID: 0x2A37)
        gateway.tell(
            GATTGetServicesResponse(
                address: address.value,
                services: [GATTServiceRecord(uuid: [], handle: 8, characteristics: [characteristic], shortUUID: 0x180D)]
            ))
        gateway.tell(GATTGetServicesDoneResponse(address: address.value))
        await run()
        _ = (recorder.take(), other.take())
        func value(_ handle: UInt32, _ data: [UInt8]) async {
            gateway.tell(GATTNotifyDataResponse(address: address.value, handle: handle, data: data))
            await run()
        }
        await value(10, [1])
        #expect(recorder.take() == [] && other.take() == [])
        for (number, session) in [session, second].enumerated() {
            session.submit(.setNotify(valueHandle: 10, end: 20, mode: .notification), to: peer)
            await run()
            gateway.tell(GATTNotifyResponse(address: address.value, handle: 10))
            await run()
            gateway.tell(GATTWriteResponse(address: address.value, handle: 12))
            await run()
            _ = (recorder.take(), other.take())
            await value(10, [UInt8(number)])
            #expect(recorder.take() == ["received 10 [\(number)]"])
            #expect(other.take() == (number == 0 ? [] : ["received 10 [1]"]))
        }
        // A descriptor has requests of its own.
        session.submit(.read(handle: 12), to: peer)
        session.submit(.write(handle: 12, value: [2, 0]), to: peer)
        await run()
        #expect(
            gateway.take(GATTReadDescriptorRequest.self)
                == [GATTReadDescriptorRequest(address: address.value, handle: 12)])
        _ = gateway.take(GATTWriteDescriptorRequest.self)
        gateway.tell(GATTReadResponse(address: address.value, handle: 12, data: [1, 0]))
        await run()
        #expect(
            gateway.take(GATTWriteDescriptorRequest.self)
                == [GATTWriteDescriptorRequest(address: address.value, handle: 12, data: [2, 0])])
        gateway.tell(GATTWriteResponse(address: address.value, handle: 12))
        await run()
        #expect(recorder.take() == ["value [1, 0]", "done"])
        // Handles of other values, beyond 16 bits, and of other devices.
        await value(11, [1])
        await value(0x1_000A, [1])
        gateway.tell(GATTNotifyDataResponse(address: 7, handle: 10, data: [1]))
        await run()
        #expect(recorder.take() == [] && other.take() == [])
    }

    @Test func answersEndTheirOperations() async {
        await connect()
        session.submit(.read(handle: 3), to: peer)
        session.submit(.write(handle: 4, value: [1]), to: peer)
        session.submit(.read(handle: 5), to: peer)
        await run()
        #expect(gateway.take(GATTReadRequest.self) == [GATTReadRequest(address: address.value, handle: 3)])
        gateway.tell(GATTReadResponse(address: address.value, handle: 3, data: [7, 8]))
        await run()
        #expect(recorder.take() == ["value [7, 8]"])
        #expect(
            gateway.take(GATTWriteRequest.self) == [
                GATTWriteRequest(address: address.value, handle: 4, needsResponse: true, data: [1])
            ])
        gateway.tell(GATTWriteResponse(address: address.value, handle: 4))
        await run()
        gateway.tell(GATTErrorResponse(address: address.value, handle: 5, error: 2))
        await run()
        #expect(recorder.take() == ["done", "failure attribute(2)"])
        // Answers for a device without a link.
        gateway.tell(GATTReadResponse(address: 7, handle: 3, data: [1]))
        await tell(error: 0x13)
        gateway.tell(GATTReadResponse(address: address.value, handle: 3, data: [1]))
        await run()
        #expect(recorder.take().count == 1)
    }

    /// Write Commands beyond 64 KiB fill the buffer, those beyond 128 KiB are dropped, and the session hears when there is room.
    @Test func writeCommandsAreBounded() async {
        let value = [UInt8](repeating: 1, count: 512)
        #expect(!session.canWriteCommand(to: peer) && !session.writeCommand(value.span, handle: 3, to: peer))
        await connect()
        for _ in 0..<2 {
            #expect(session.canWriteCommand(to: peer))
            var accepted = 0
            for _ in 0..<300 where session.writeCommand(value.span, handle: 3, to: peer) { accepted += 1 }
            #expect(accepted == 128 && !session.canWriteCommand(to: peer))
            await run()
            let sent = gateway.take(GATTWriteRequest.self)
            #expect(sent.count == 256, "the others were dropped")
            #expect(
                sent.first == GATTWriteRequest(address: address.value, handle: 3, needsResponse: false, data: value))
            #expect(recorder.take() == ["ready"])
        }
    }

    /// Write Commands that find no link any more leave the buffer, and the session that waits for room hears of it.
    @Test func writeCommandsToALostLinkMakeRoom() async {
        let address = address.value
        for _ in 0..<2 {
            await connect()
            gateway.scheduler.submit { [gateway, session, peer] in
                gateway.send(DeviceConnectionResponse(address: address, error: 0x13))
                // The adapter reads the end of the link after the session has written.
                let value = [UInt8](repeating: 1, count: 512)
                for _ in 0..<200 { _ = session.writeCommand(value.span, handle: 3, to: peer) }
            }
            await run()
            #expect(recorder.take() == ["disconnected \(LinkEnd.failed(.endedByPeer)) false"])
            #expect(gateway.take(GATTWriteRequest.self).isEmpty)
        }
    }

    // MARK: Pairing

    @Test func pairingIsReportedToEachObserver() async {
        let (one, other) = (WordRecorder(), WordRecorder())
        let pairing = adapter.openPairing(observer: one)
        let second = adapter.openPairing(observer: other)
        await run()
        pairing.pair(peer, minimum: .unauthenticated)
        await run()
        #expect(one.take() == ["unpaired disconnected"] && other.take() == [], "there is no link")
        await connect()
        for _ in 0..<2 {
            pairing.pair(peer, minimum: .unauthenticated)
            await run()
            #expect(gateway.take(DeviceRequest.self).map(\.kind) == [2])
            gateway.tell(DevicePairingResponse(address: address.value, isSuccess: true))
            await run()
            // The protocol says no more than that the devices paired.
            #expect(one.take() == ["paired 7 unauthenticated true false"])
            #expect(other.take() == ["paired 7 unauthenticated true false"])
            // The device may begin as well.
            gateway.tell(DevicePairingResponse(address: address.value, isSuccess: false, error: 5))
            await run()
            #expect(one.take() == ["unpaired encryption"] && other.take() == ["unpaired encryption"])
            pairing.unpair(peer)
            await run()
            #expect(
                gateway.take(DeviceRequest.self) == [
                    DeviceRequest(address: address.value, kind: 3, hasAddressType: true, addressType: 1)
                ])
            // A cancelled pairing is over at once, and its answer is ignored.
            second.pair(peer, minimum: .unauthenticated)
            second.cancelPairing(with: peer)
            second.cancelPairing(with: peer)
            await run()
            #expect(one.take() == ["unpaired \(PairingProcedureError.local(.unspecified))"])
            gateway.tell(DevicePairingResponse(address: address.value, isSuccess: true))
            await run()
            _ = gateway.take(DeviceRequest.self)
            #expect(one.take() == [])
            _ = other.take()
        }
        // 40 s without an answer end it, whatever else waits.
        session.connect(
            adapter.snapshot.identification.identifier(for: DeviceAddress(kind: .random, value: 9)),
            options: ConnectionOptions(startDelay: .seconds(600)))
        pairing.pair(peer, minimum: .unauthenticated)
        await run(39_999)
        #expect(one.take() == [])
        await run(2)
        #expect(one.take() == ["unpaired timeout"])
        gateway.tell(DevicePairingResponse(address: 7, isSuccess: true))
        await run()
        #expect(one.take() == [] && pairing.bonds.isEmpty)
        let block = Locked(false)
        pairing.makeOutOfBandData(.secureConnections) { data in block { $0 = data == nil } }
        #expect(block.value)
    }

    /// The end of a link ends its pairing.
    @Test func aLostLinkHasNoPairing() async {
        let one = WordRecorder()
        let pairing = adapter.openPairing(observer: one)
        await connect()
        for error in [0x13, 0x08] as [Int32] {
            pairing.pair(peer, minimum: .unauthenticated)
            await run()
            await tell(error: error)
            #expect(one.take() == ["unpaired disconnected"])
            gateway.tell(DevicePairingResponse(address: address.value, isSuccess: true))
            await run()
            #expect(one.take() == [])
            await connect()
        }
        // A cancellation ends it before the gateway reports the end.
        pairing.pair(peer, minimum: .unauthenticated)
        session.cancelConnection(peer)
        await run()
        #expect(one.take() == ["unpaired disconnected"])
        await tell(error: 0x16)
        // So does the loss of the network.
        await connect()
        pairing.pair(peer, minimum: .unauthenticated)
        await run()
        gateway.cut()
        await run()
        #expect(one.take() == ["unpaired disconnected"])
        #expect(await read { $0.links.isEmpty && $0.peers.isEmpty } == true)
    }

    @Test func aReleasedPairingSessionIsForgotten() async {
        let one = WordRecorder()
        var pairing: (any PairingSession)? = adapter.openPairing(observer: one)
        #expect(await read { $0.pairingObservers.count } == 1 && pairing != nil)
        pairing = nil
        #expect(await read { $0.pairingObservers.count } == 0)
    }

    /// The earliest pairing that runs decides. One that was given up has no deadline.
    @Test func eachPairingHasItsDeadline() {
        var pairings = RemotePairings()
        let peers = (0..<3).map { PeerIdentifier(high: 1, low: $0) }
        #expect(pairings.deadline == nil)
        for (second, peer) in peers.enumerated() { pairings.begin(peer, at: .zero + .seconds(second)) }
        for (second, peer) in peers.enumerated() {
            #expect(pairings.deadline == .zero + .seconds(40 + second))
            #expect(pairings.late(at: .zero + .seconds(40 + second)) == [peer])
            let wasRunning = pairings.giveUp(peer)
            #expect(wasRunning)
        }
        #expect(pairings.deadline == nil)
    }
}
