import BLEAdapter
import BLEHostAdapter
import BLEWire
import Testing

@testable import BLESimulator

/// The values of the presets, as their sources give them: see the descriptions in `Platform+Presets.swift`.
struct PlatformPresetTests {
    /// A table of all values, so that a change of one is a change of this table.
    @Test func thePresetsHaveTheValuesOfTheirSources() {
        let plain = Platform()
        #expect(plain.supervisionTimeout == .seconds(2) && plain.linkLimit == 32 && plain.maximumDataLength == 251)
        let iPhone = Self.platform(
            mtu: 185, interval: 30...30, timeout: 720, rules: .apple, links: 7, address: .seconds(900),
            background: .apple)
        let iPhoneIOS11 = Self.platform(
            mtu: 185, interval: 30...30, timeout: 720, rules: .apple, links: 7, address: .seconds(900),
            background: .apple, isReady: false, hasTimes: false)
        let pixel = Self.platform(
            mtu: 517, exchanges: false, interval: 30...50, timeout: 5_000, rules: .raising(to: .microseconds(11_250)),
            links: 7, address: .seconds(900))
        let galaxy = Self.platform(
            mtu: 517, exchanges: false, interval: 30...50, timeout: 5_000, rules: .raising(to: .microseconds(11_250)),
            links: 10, address: .seconds(900))
        let xiaomi = Self.platform(
            mtu: 247, interval: 30...50, timeout: 5_000, rules: .raising(to: .microseconds(11_250)), links: 10,
            address: .seconds(900))
        let windows = Self.platform(mtu: 517, interval: 60...60, timeout: 9_600)
        let blueZ = Self.platform(mtu: 517, interval: 30...50, timeout: 420)
        let withBearers = Self.platform(mtu: 517, interval: 30...50, timeout: 420, bearers: 2)
        #expect(
            Platform.presets == [
                "iphone": iPhone, "iphone-ios-11": iPhoneIOS11, "pixel": pixel, "galaxy": galaxy, "xiaomi": xiaomi,
                "windows": windows, "bluez": blueZ, "bluez-eatt": withBearers,
            ])
    }

    /// - Parameters:
    ///   - interval: In milliseconds.
    ///   - timeout: In milliseconds.
    private static func platform(
        mtu: Int, exchanges: Bool = true, interval: ClosedRange<Int>, timeout: Int,
        rules: Platform.ParameterRules = .permissive, links: Int = 32, address: Duration? = nil, bearers: Int = 0,
        background: Platform.BackgroundRules = .unrestricted, isReady: Bool = true, hasTimes: Bool = true
    ) -> Platform {
        var platform = Platform()
        platform.maximumTransmissionUnit = mtu
        platform.exchangesMaximumTransmissionUnit = exchanges
        platform.connectionInterval = .milliseconds(interval.lowerBound)...(.milliseconds(interval.upperBound))
        platform.supervisionTimeout = .milliseconds(timeout)
        platform.parameterRules = rules
        platform.linkLimit = links
        platform.privateAddressInterval = address
        platform.enhancedBearers = bearers
        platform.connectsReadyToWrite = isReady
        platform.hasTimedDisconnections = hasTimes
        platform.backgroundRules = background
        return platform
    }

    @Test(arguments: [("iphone", 7), ("galaxy", 10)]) func aPresetHasAtMostItsLinks(_ name: String, _ limit: Int)
        async throws
    {
        let world = World(seed: 1)
        let platform = try #require(Platform.presets[name])
        let device = world.addDevice("phone", platform: platform)
        let central = TestCentral(device, in: world)
        try await central.poweredOn()
        var bands: [TestPeripheral] = []
        for number in 0...limit {
            let place = Position(x: 2, y: Double(number) / 10)
            let band = TestPeripheral(world.addDevice("band \(number)", at: place), in: world)
            try await band.publish("band \(number)")
            bands.append(band)
        }
        for number in 0..<limit { try await central.connect(central.find("band \(number)")) }
        #expect(device.links.count == limit)
        let (last, start) = (try await central.find("band \(limit)"), central.events.count)
        central.session.connect(last, options: ConnectionOptions())
        await world.run(for: .seconds(20))
        #expect(device.links.count == limit)
        #expect(!central.events[start...].contains(.connected(last)))
        withExtendedLifetime(bands) {}
    }

    /// What a peripheral sees of the attributes that bluetoothd keeps with a bond: one read of the Database Hash, and no discovery.
    @Test func aBondedPeerOfBlueZIsNotDiscoveredAgain() async throws {
        let bonded = try await BondedPair(World(seed: 1), phone: .blueZ())
        let pair = bonded.pair
        _ = try await pair.central.services(of: pair.peer)
        _ = try await pair.handles()
        await pair.world.run(for: .seconds(3))
        try await bonded.disconnect()
        let packets = Lock<[[UInt8]]>([])
        pair.band.observeHCI { direction, _, packet in
            if direction == .toHost { packets.withLock { $0.append([UInt8](packet)) } }
        }
        try await pair.central.connect(pair.peer)
        let services = try await pair.central.services(of: pair.peer).map(\.uuid)
        #expect(services == [TestPeripheral.service, BondedPair.service])
        #expect(try await pair.handles().count == 4)
        let seen = packets.withLock { $0 }.map(HCIPacketFields.init)
        #expect(seen.count(where: \.readsDatabaseHash) == 1)
        // Read By Group Type discovers services; Find Information discovers descriptors.
        #expect(!seen.contains { [0x10, 0x04].contains($0.attribute?.first) })
    }
}
