import BLEAdapter
import BLEBeacons
import BLEController
import BLESimulator
import BLEWire
import CoreBluetooth
import Foundation
import Testing

/// The octets on the air of beacons that a program sends.
@Suite struct BeaconAdvertisingTests {
    private static let uuid = "E2 C5 6D B5 DF FB 48 D2 B0 60 D0 F5 A7 10 96 E0"
    private static let iBeacon = Beacon.iBeacon(
        IBeacon(uuid: UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")!, major: 1, minor: 7))
    private static let altBeaconIdentifier = "2F 23 44 54 CF 6D 4A 0F AD F2 F4 91 1B A9 FF A6 00 01 00 02"

    /// Beacons with their advertising data (iBeacon: Proximity Beacon Specification; AltBeacon 1.0; Eddystone protocol).
    static let samples: [(beacon: Beacon, octets: String)] = [
        (iBeacon, "02 01 06 1A FF 4C 00 02 15 \(uuid) 00 01 00 07 C5"),
        (
            // check-tests: trap: the arguments are constants or made by the test, and valid.
            .altBeacon(try! AltBeacon(company: 0x0118, identifier: data(altBeaconIdentifier), referenceRSSI: -59)),
            "02 01 06 1B FF 18 01 BE AC \(altBeaconIdentifier) C5 00"
        ),
        (
            .eddystone(
                .uid(
                    // check-tests: trap: the arguments are constants or made by the test, and valid.
                    try! EddystoneUID(
                        powerAtZeroMetres: -18, namespace: data("00 01 02 03 04 05 06 07 08 09"),
                        instance: data("0A 0B 0C 0D 0E 0F")))),
            "02 01 06 03 03 AA FE 17 16 AA FE 00 EE 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 00 00"
        ),
        (
            // check-tests: trap: the arguments are constants or made by the test, and valid.
            .eddystone(.url(try! EddystoneURL(powerAtZeroMetres: -18, text: "https://example.com/"))),
            "02 01 06 03 03 AA FE 0E 16 AA FE 10 EE 03 65 78 61 6D 70 6C 65 00"
        ),
        (
            .eddystone(
                .telemetry(
                    EddystoneTelemetry(batteryVoltage: 3000, temperature: 21.5, advertisementCount: 256, uptime: 10))),
            "02 01 06 03 03 AA FE 11 16 AA FE 20 00 0B B8 15 80 00 00 01 00 00 00 00 0A"
        ),
        (
            .eddystone(
                .ephemeralIdentifier(
                    // check-tests: trap: the arguments are constants or made by the test, and valid.
                    try! EddystoneEphemeralIdentifier(
                        powerAtZeroMetres: -18, identifier: data("01 02 03 04 05 06 07 08")))),
            "02 01 06 03 03 AA FE 0D 16 AA FE 30 EE 01 02 03 04 05 06 07 08"
        ),
    ]

    /// The type and the advertising data of the first advertising PDU after `start` (Vol 6, Part B, 2.3.1), and the times of
    /// the first packets on one channel.
    private func advertise(
        _ start: @escaping @Sendable (CBPeripheralManager) -> Void
    ) async throws -> (type: UInt8, data: Data, interval: Double) {
        let world = World(seed: 4)
        let packets = Lock<[(start: Instant, pdu: [UInt8])]>([])
        world.observeAir { packet, _ in
            guard packet.channel == 37 else { return }
            let octets = packet.pdu.withUnsafeBufferPointer { [UInt8]($0) }
            packets.withLock { $0.append((packet.start, octets)) }
        }
        let device = world.addDevice("Beacon")
        let delegate = Starter(start)
        let manager = device.run { CBPeripheralManager(delegate: delegate, queue: DispatchQueue(label: "beacon")) }
        let hasSent = await world.run(timeout: .seconds(30)) { packets.withLock { $0.count } >= 11 }
        withExtendedLifetime(manager) {}
        #expect(hasSent)
        let all = packets.withLock { $0 }
        let first = try #require(all.first)
        let span = try #require(all.last).start - first.start
        return (
            first.pdu[0] & 0x0F, Data(first.pdu.dropFirst(8)), Double(span.nanoseconds) / 1e6 / Double(all.count - 1)
        )
    }

    @Test(arguments: samples.indices) func aBeaconIsSentOctetForOctet(_ index: Int) async throws {
        let (beacon, octets) = Self.samples[index]
        // check-tests: trap: the arguments are constants or made by the test, and valid.
        let sent = try await advertise { try! $0.startAdvertising(beacon) }
        #expect(sent.data == data(octets))
        // ADV_NONCONN_IND
        #expect(sent.type == 0x02)
        // advDelay adds up to 10 ms to each interval (Vol 6, Part B, 4.4.2.2.1).
        #expect((100...110).contains(sent.interval))
    }

    @Test func anIntervalOutsideTheRangeIsRefused() {
        let world = World(seed: 4)
        let manager = world.addDevice("Beacon").run { CBPeripheralManager() }
        for interval in [Duration.zero, .microseconds(19_999), .milliseconds(10_241)] {
            #expect(throws: BeaconError.interval(interval)) {
                try manager.startAdvertising(Self.iBeacon, interval: interval)
            }
        }
    }

    @Test func intervalAndConnectabilityAreAdjustable() async throws {
        let sent = try await advertise {
            // check-tests: trap: the arguments are constants or made by the test, and valid.
            try! $0.startAdvertising(Self.iBeacon, isConnectable: true, interval: .milliseconds(500))
        }
        #expect(sent.type == 0x00)
        #expect((500...510).contains(sent.interval))
    }

    @Test func aSecondBeaconWithoutRoomIsRefused() async throws {
        let world = World(seed: 5)
        let device = world.addDevice("Beacon")
        let errors = Lock<[(any Error)?]>([])
        let delegates = (0..<2).map { _ in
            Starter(
                // check-tests: trap: the arguments are constants or made by the test, and valid.
                { try! $0.startAdvertising(Self.iBeacon) }, onStart: { error in errors.withLock { $0.append(error) } })
        }
        let managers = delegates.map { delegate in
            device.run { CBPeripheralManager(delegate: delegate, queue: DispatchQueue(label: "beacon")) }
        }
        #expect(await world.run(timeout: .seconds(5)) { errors.withLock { $0.count } == 2 })
        #expect(errors.withLock { $0.count { $0 != nil } } == 1)
        #expect(managers.count { $0.isAdvertising } == 1)
    }

    /// The words of an option.
    @Test func physHaveTheirWords() {
        #expect(ExtendedPHY.allCases.map(\.rawValue) == ["1m", "2m", "coded"])
        for phy in ExtendedPHY.allCases { #expect(ExtendedPHY(rawValue: phy.rawValue) == phy) }
        #expect(ExtendedPHY(rawValue: "1M") == nil && ExtendedPHY(rawValue: "3m") == nil)
    }

    /// Extended packets have a set for each manager: three beacons and a legacy advertisement at once, and the end of one leaves the others.
    @Test func extendedBeaconsAdvertiseSideBySide() async throws {
        let world = World(seed: 6)
        let device = world.addDevice("Beacon")
        /// Data and secondary PHY on the air, since the last look.
        let heard = Lock<Set<String>>([])
        world.observeAir { packet, _ in
            let octets = packet.pdu.withUnsafeBufferPointer { [UInt8]($0) }
            for (index, sample) in Self.samples.prefix(3).enumerated()
            where Data(octets).range(of: data(sample.octets)) != nil {
                heard.withLock { _ = $0.insert("\(index) \(packet.phy)") }
            }
            if octets[0] & 0x0F == 0 { heard.withLock { _ = $0.insert("legacy") } }
        }
        let phys: [ExtendedPHY] = [.le1M, .le2M, .leCoded]
        let delegates =
            phys.enumerated().map { index, phy in
                Starter(
                    // check-tests: trap: the arguments are constants or made by the test, and valid.
                    { try! $0.startAdvertising(Self.samples[index].beacon, extended: phy) },
                    onStart: { error in #expect(error == nil) })
            } + [Starter({ $0.startAdvertising([CBAdvertisementDataLocalNameKey: "legacy"]) })]
        let managers = delegates.map { delegate in
            device.run { CBPeripheralManager(delegate: delegate, queue: DispatchQueue(label: "beacon")) }
        }
        let all: Set = ["0 oneM", "1 twoM", "2 codedS8", "legacy"]
        #expect(await world.run(timeout: .seconds(5)) { heard.withLock { $0 } == all }, "\(heard.withLock { $0 })")
        device.run { managers[1].stopAdvertising() }
        await world.run(for: .milliseconds(500))
        heard.withLock { $0 = [] }
        await world.run(for: .seconds(2))
        #expect(heard.withLock { $0 } == all.subtracting(["1 twoM"]))
        withExtendedLifetime(managers) {}
    }

    @Test func theDictionaryOfABeaconRegionIsAdvertised() async throws {
        let peripheralData = ["kCBAdvDataAppleBeaconKey": data("\(Self.uuid) 00 01 00 07 C5")]
        let sent = try await advertise { $0.startAdvertising(peripheralData) }
        #expect(sent.data == data(Self.samples[0].octets))
    }
}

/// Advertises when the manager is powered on.
private final class Starter: NSObject, CBPeripheralManagerDelegate, Sendable {
    private let start: @Sendable (CBPeripheralManager) -> Void
    private let onStart: @Sendable ((any Error)?) -> Void

    init(
        _ start: @escaping @Sendable (CBPeripheralManager) -> Void,
        onStart: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) {
        self.start = start
        self.onStart = onStart
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        if peripheral.state == .poweredOn { start(peripheral) }
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        onStart(error)
    }
}

private func data(_ text: String) -> Data { Data(text.split(separator: " ").map { UInt8($0, radix: 16)! }) }
