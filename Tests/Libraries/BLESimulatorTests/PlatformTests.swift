import BLEAdapter
import BLEHost
import BLEHostAdapter
import BLEWire
import Testing

@testable import BLESimulator

/// What the values of a platform change on the air and for programs.
struct PlatformTests {
    typealias Pair = ConversationTests.Pair

    /// A peripheral that offers all that a central may ask for.
    private static var offering: Platform {
        var platform = Platform()
        platform.maximumTransmissionUnit = 517
        return platform
    }

    private static func link(_ pair: Pair) throws -> VirtualLink { try #require(pair.phone.links.first) }

    // MARK: Values

    /// A device without a platform is what it was before there were platforms.
    @Test func theInitialValuesAreThoseOfTheHost() {
        let (configuration, host) = (Platform().values.hostConfiguration, HostConfiguration())
        #expect(configuration.localMTU == host.localMTU && configuration.exchangesMTU == host.exchangesMTU)
        #expect(configuration.connectionParameters == host.connectionParameters)
        #expect(configuration.parameterPolicy == host.parameterPolicy && configuration.uses2MPHY == host.uses2MPHY)
        #expect(configuration.enhancedBearers == host.enhancedBearers)
        #expect(Platform().values.controllerConfiguration == .init())
    }

    @Test func valuesBeyondTheLimitsBecomeTheNearestOnes() {
        var platform = Platform()
        platform.maximumTransmissionUnit = 70_000
        platform.connectionInterval = .zero...(.seconds(60))
        platform.supervisionTimeout = .zero
        platform.maximumDataLength = -1
        platform.linkLimit = 1_000
        platform.enhancedBearers = 9
        let configuration = platform.values.hostConfiguration
        #expect(configuration.localMTU == 517 && configuration.enhancedBearers == 5)
        #expect(configuration.connectionParameters.intervalMinimum == 6)
        #expect(configuration.connectionParameters.intervalMaximum == 3_200)
        // The shortest one that is long enough for the interval.
        #expect(configuration.connectionParameters.timeout == 801)
        #expect(platform.values.controllerConfiguration.maximumDataLength == 27)
        #expect(platform.values.controllerConfiguration.connectionLimit == 64)
        platform.maximumTransmissionUnit = -5
        #expect(platform.values.hostConfiguration.localMTU == 23)
    }

    @Test(arguments: [
        (1_000, 7_500), (7_500, 7_500), (11_250, 11_250), (12_000, 11_250), (12_500, 12_500), (5_000_000, 4_000_000),
    ])
    func raisedIntervalsAreThoseOfConnections(_ microseconds: Int, _ expected: Int) {
        var platform = Platform()
        platform.parameterRules = .raising(to: .microseconds(microseconds))
        #expect(platform.parameterRules == .raising(to: .microseconds(expected)))
    }

    @Test(arguments: Platform.presets.keys.sorted()) func aPresetConnectsWithItsParameters(_ name: String) async throws
    {
        let platform = try #require(Platform.presets[name])
        let pair = try await Pair(phone: platform, band: Self.offering)
        let link = try Self.link(pair)
        #expect(platform.connectionInterval.contains(link.interval))
        #expect(link.supervisionTimeout == platform.supervisionTimeout)
        let mtu = platform.exchangesMaximumTransmissionUnit ? platform.maximumTransmissionUnit : 23
        #expect(pair.central.session.maximumTransmissionUnit(of: pair.peer) == mtu)
        // No preset makes a program wait for the end of a negotiation that does not happen.
        #expect(pair.world.now < .seconds(3))
        #expect(try await pair.handles().count == 4)
    }

    @Test func anAppOnAndroidRequestsTheATTMTU() async throws {
        var platform = Platform.pixel
        let silent = try await Pair(phone: platform, band: Self.offering)
        #expect(try Self.link(silent).maximumTransmissionUnit == 23)
        platform.exchangesMaximumTransmissionUnit = true
        let asking = try await Pair(phone: platform, band: Self.offering)
        #expect(try Self.link(asking).maximumTransmissionUnit == 517)
    }

    @Test(arguments: [27, 100, 251]) func dataPacketsHaveAtMostTheLength(_ length: Int) async throws {
        var platform = Platform()
        platform.maximumDataLength = length
        let pair = try await Pair(phone: platform)
        let handle = try await pair.handles()[1].valueHandle
        await pair.world.run(for: .seconds(1))
        let longest = Lock(0)
        pair.world.observePackets { packet in
            guard packet.accessAddress != 0x8E89_BED6 else { return }
            longest.withLock { $0 = max($0, packet.octets.count - 2) }
        }
        try await pair.central.perform(
            .write(handle: handle, value: [UInt8](repeating: 7, count: 400)), on: pair.peer)
        #expect(longest.withLock { $0 } == length)
    }

    @Test(arguments: [false, true]) func thePHYIsThatOfThePlatform(_ uses2M: Bool) async throws {
        var platform = Platform()
        platform.uses2MPHY = uses2M
        let pair = try await Pair(phone: platform)
        await pair.world.run(for: .seconds(2))
        #expect(try Self.link(pair).sendingPHY == (uses2M ? .twoM : .oneM))
    }

    @Test func aDeviceHasAtMostItsLinks() async throws {
        var platform = Platform()
        platform.linkLimit = 1
        let pair = try await Pair(phone: platform)
        let other = TestPeripheral(pair.world.addDevice("other", at: Position(y: 2)), in: pair.world)
        try await other.publish("other")
        let second = try await pair.central.find("other")
        let start = pair.central.events.count
        pair.central.session.connect(second, options: ConnectionOptions())
        await pair.world.run(for: .seconds(20))
        #expect(pair.phone.links.count == 1)
        #expect(!pair.central.events[start...].contains(.connected(second)))
    }

    @Test func thePrivateAddressOfAPhoneChanges() async throws {
        #expect(Platform.iPhone.privateAddressInterval == .seconds(900))
        var platform = Platform.iPhone
        platform.privateAddressInterval = .seconds(20)
        let world = World(seed: 3)
        let phone = TestPeripheral(world.addDevice("phone", platform: platform), in: world)
        let listener = TestCentral(world.addDevice("listener", at: Position(x: 1)), in: world)
        try await listener.poweredOn()
        try await phone.publish("phone")
        listener.session.startScan(ScanRequest())
        await world.run(for: .seconds(65))
        let peers = Set(
            listener.events.compactMap { if case .discovered(let peer, _, _, _) = $0 { peer } else { nil } })
        #expect((3...5).contains(peers.count))
    }

    /// The announcement of enhanced bearers is an attribute of the server, which its central reads.
    @Test(arguments: [1, 3]) func blueZHasEnhancedBearersWithMoreThanOneChannel(_ channels: Int) async throws {
        let pair = try await Pair(phone: .blueZ(channels: channels), band: .blueZ(channels: 3))
        // A protected value: the hosts pair, and the link is encrypted.
        pair.peripheral.session.add(
            ServiceDefinition(
                uuid: BluetoothUUID(UInt16(0xFEE8)), isPrimary: true, includedServices: [],
                characteristics: [
                    CharacteristicDefinition(
                        uuid: BluetoothUUID(UInt16(0xFECB)), properties: 2, permissions: 4, value: [9], descriptors: [])
                ]), token: 2)
        try await pair.peripheral.wait(.added(2, nil))
        let requests = Lock(0)
        pair.phone.observeHCI { direction, _, packet in
            // ACL data on the signalling channel with L2CAP_CREDIT_BASED_CONNECTION_REQ (Vol 3, Part A, 4.25).
            guard packet.count > 9, packet[0] == 2, packet[7] == 5, packet[9] == 0x17 else { return }
            requests.withLock { $0 += 1 }
        }
        let found = try await pair.central.characteristics(of: BluetoothUUID(UInt16(0xFEE8)), on: pair.peer)
        let handle = try #require(found.first).valueHandle
        #expect(try await pair.central.perform(.read(handle: handle), on: pair.peer) == .value([9]))
        await pair.world.run(for: .seconds(5))
        #expect(try Self.link(pair).isEncrypted)
        #expect((requests.withLock { $0 } > 0) == (channels > 1))
    }

    // MARK: Writes

    @Test func iOS11IsReadyAfterTheFirstWrite() async throws {
        let pair = try await Pair(phone: .iPhoneIOS11)
        let handle = try await pair.handles()[1].valueHandle
        let (session, peer) = (pair.central.session, pair.peer)
        #expect(!session.canWriteCommand(to: peer))
        // Nothing but a write changes that.
        await pair.world.run(for: .seconds(60))
        #expect(!session.canWriteCommand(to: peer) && !pair.central.events.contains(.readyForWriteCommands(peer)))
        let value: [UInt8] = [1]
        let hasRoom = session.writeCommand(value.span, handle: handle, to: peer)
        #expect(!hasRoom)
        try await pair.central.wait("ready") { $0 == .readyForWriteCommands(peer) ? true : nil }
        #expect(session.canWriteCommand(to: peer))
        await pair.world.run(for: .seconds(1))
        #expect(pair.peripheral.value == [1])
        let other = try await Pair(phone: .iPhone)
        #expect(other.central.session.canWriteCommand(to: other.peer))
    }

    // MARK: The background

    @Test func aScanInTheBackgroundNeedsServicesAndReportsADeviceOnce() async throws {
        let world = World(seed: 5)
        let device = world.addDevice("phone", platform: .iPhone)
        let central = TestCentral(device, in: world)
        let band = TestPeripheral(world.addDevice("band", at: Position(x: 1)), in: world)
        try await central.poweredOn()
        try await band.publish("band")
        device.enterBackground()
        central.session.startScan(ScanRequest(allowDuplicates: true))
        await world.run(for: .seconds(2))
        func reports() -> Int { central.events.count { if case .discovered = $0 { true } else { false } } }
        #expect(reports() == 0)
        central.session.startScan(ScanRequest(services: [TestPeripheral.service], allowDuplicates: true))
        await world.run(for: .seconds(2))
        #expect(reports() == 1)
        device.enterForeground()
        await world.run(for: .seconds(2))
        #expect(reports() > 10)
        // Bluetooth off and on again keeps the background.
        device.enterBackground()
        device.powerOff()
        await world.run(for: .seconds(1))
        device.powerOn()
        await world.run(for: .seconds(1))
        let before = reports()
        central.session.startScan(ScanRequest())
        await world.run(for: .seconds(2))
        #expect(reports() == before)
    }

    @Test(arguments: [Platform.iPhone, .pixel]) func advertisingInTheBackgroundIsInTheOverflowArea(
        _ platform: Platform
    ) async throws {
        let world = World(seed: 6)
        let device = world.addDevice("phone", platform: platform)
        let phone = TestPeripheral(device, in: world)
        let listener = TestCentral(world.addDevice("listener", at: Position(x: 1)), in: world)
        try await listener.poweredOn()
        try await phone.publish("phone")
        device.enterBackground()
        await world.run(for: .seconds(1))
        func heard() async throws -> [UInt8] {
            let start = listener.events.count
            listener.session.startScan(ScanRequest())
            let data = try await listener.wait(from: start, "an advertisement") { event -> [UInt8]? in
                if case .discovered(_, _, let data, true) = event { data } else { nil }
            }
            listener.session.stopScan()
            return data
        }
        let area: [UInt8] = [20, 0xFF, 0x4C, 0x00, 0x01]
        let inBackground = try await heard()
        if platform == .iPhone {
            // Flags and the area, with one bit for the service.
            #expect(inBackground.count == 24 && Array(inBackground[3..<8]) == area)
            #expect(inBackground[8...].reduce(0) { $0 + $1.nonzeroBitCount } == 1)
        } else {
            #expect(inBackground.contains(Array("phone".utf8)))
        }
        device.enterForeground()
        await world.run(for: .seconds(1))
        #expect(try await heard().contains(Array("phone".utf8)))
    }
}
