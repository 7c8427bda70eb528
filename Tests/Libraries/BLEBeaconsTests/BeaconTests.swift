import BLEBeacons
import BLEWire
import Foundation
import Testing

private func data(_ text: String) -> Data {
    Data(text.split(separator: " ").map { UInt8($0, radix: 16)! })
}

private let appleSample = UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")!

@Suite struct BeaconTests {
    static let iBeaconOctets = "4C 00 02 15 E2 C5 6D B5 DF FB 48 D2 B0 60 D0 F5 A7 10 96 E0 01 02 03 04 C5"

    @Test func anIBeaconIsEncodedAsSpecified() throws {
        let beacon = IBeacon(uuid: appleSample, major: 0x0102, minor: 0x0304, measuredPower: -59)
        #expect(beacon.manufacturerData == data(Self.iBeaconOctets))
        #expect(IBeacon(manufacturerData: data(Self.iBeaconOctets)) == beacon)
        #expect(Beacon(manufacturerData: data(Self.iBeaconOctets)) == .iBeacon(beacon))
        #expect(Beacon.iBeacon(beacon).measuredPower == -59)
    }

    @Test(arguments: [
        "4C 00 02 15 E2 C5", "4D 00 02 15 E2 C5 6D B5 DF FB 48 D2 B0 60 D0 F5 A7 10 96 E0 01 02 03 04 C5",
        "4C 00 02 16 E2 C5 6D B5 DF FB 48 D2 B0 60 D0 F5 A7 10 96 E0 01 02 03 04 C5",
        "4C 00 02 15 E2 C5 6D B5 DF FB 48 D2 B0 60 D0 F5 A7 10 96 E0 01 02 03 04 C5 00", "4C 00 10 05 01 02 03 04 05",
    ])
    func otherManufacturerDataIsNoIBeacon(text: String) {
        #expect(Beacon(manufacturerData: data(text)) == nil)
    }

    @Test func anAltBeaconIsEncodedAsSpecified() throws {
        let octets = data(
            "18 01 BE AC 2F 23 44 54 CF 6D 4A 0F AD F2 F4 91 1B A9 FF A6 00 01 00 02 C5 00")
        let beacon = try AltBeacon(
            company: 0x0118, identifier: octets[4..<24], referenceRSSI: -59, reserved: 0)
        #expect(beacon.manufacturerData == octets)
        #expect(Beacon(manufacturerData: octets) == .altBeacon(beacon))
        #expect(throws: BeaconError.length(19, expected: 20)) {
            try AltBeacon(company: 1, identifier: Data(count: 19), referenceRSSI: 0)
        }
        #expect(Beacon.altBeacon(beacon).measuredPower == -59)
    }

    @Test func slicesAreReadFromTheirStart() {
        let longer = Data([1, 2, 3]) + data(Self.iBeaconOctets)
        #expect(IBeacon(manufacturerData: longer.dropFirst(3))?.major == 0x0102)
    }

    @Test func anEddystoneUIDIsEncodedAsSpecified() throws {
        let octets = data("00 E7 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 00 00")
        let frame = try #require(Eddystone(serviceData: octets))
        let expected = try EddystoneUID(
            powerAtZeroMetres: -25, namespace: Data(0...9), instance: Data(10...15))
        #expect(frame == .uid(expected) && frame.serviceData == octets)
        #expect(Eddystone(serviceData: octets.dropLast(2)) == frame, "the reserved octets may be missing")
        #expect(Eddystone(serviceData: octets.dropLast(1)) == nil)
        #expect(Beacon.eddystone(frame).measuredPower == -66)
    }

    @Test(arguments: [
        ("https://www.example.com/", "10 EB 01 65 78 61 6D 70 6C 65 00"),
        ("http://example.org", "10 EB 02 65 78 61 6D 70 6C 65 08"),
        ("https://goo.gl/S6zT6P", "10 EB 03 67 6F 6F 2E 67 6C 2F 53 36 7A 54 36 50"),
        ("http://www.a.info/b.gov", "10 EB 00 61 04 62 0D"),
    ])
    func anEddystoneURLIsCompressed(text: String, octets: String) throws {
        let url = try EddystoneURL(powerAtZeroMetres: -21, text: text)
        #expect(Eddystone.url(url).serviceData == data(octets))
        #expect(Eddystone(serviceData: data(octets)) == .url(url))
        #expect(url.text == text)
    }

    @Test(arguments: ["ftp://a.b", "https://exa mple.com", "https://ä.de", "https://123456789012345678"])
    func longEddystoneURLsAreRefused(text: String) {
        #expect(throws: BeaconError.url) { try EddystoneURL(powerAtZeroMetres: 0, text: text) }
    }

    @Test func telemetryIsEncodedAsSpecified() throws {
        let octets = data("20 00 0B 18 15 80 00 00 01 02 00 00 30 39")
        let frame = try #require(Eddystone(serviceData: octets))
        let expected = EddystoneTelemetry(
            batteryVoltage: 2840, temperature: 21.5, advertisementCount: 258, uptime: 12345)
        #expect(frame == .telemetry(expected) && frame.serviceData == octets)
        #expect(Beacon.eddystone(frame).measuredPower == nil)
    }

    @Test(
        arguments: [
            (nil, [0x80, 0x00]), (Double.nan, [0x80, 0x00]), (-0.5, [0xFF, 0x80]), (1000, [0x7F, 0xFF]),
            (-1000, [0x80, 0x01]),
        ] as [(Double?, [UInt8])])
    func temperaturesAreFixedPoint(temperature: Double?, octets: [UInt8]) {
        let frame = Eddystone.telemetry(
            EddystoneTelemetry(batteryVoltage: 0, temperature: temperature, advertisementCount: 0, uptime: 0))
        #expect(Array(frame.serviceData[4..<6]) == octets)
    }

    @Test func encryptedFramesRoundTrip() throws {
        let telemetry = data("20 01 00 01 02 03 04 05 06 07 08 09 0A 0B AB CD 12 34")
        let identifier = data("30 EB 01 02 03 04 05 06 07 08")
        #expect(Eddystone(serviceData: telemetry)?.serviceData == telemetry)
        #expect(Eddystone(serviceData: identifier)?.serviceData == identifier)
        #expect(Eddystone(serviceData: identifier)?.powerAtZeroMetres == -21)
    }

    /// Whatever is on the air decodes or does not; what decodes encodes to something that decodes to the same.
    @Test func hostileOctetsNeverTrap() {
        var random = SeededRandom(seed: 1)
        let frameTypes: [UInt8] = [0x00, 0x10, 0x20, 0x30]
        var (frames, urls) = (0, 0)
        for _ in 0..<20_000 {
            var octets = Data((0..<random.next() % 32).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            if !octets.isEmpty, random.next() & 1 == 0 { octets[0] = frameTypes[Int(random.next() & 3)] }
            // Without a scheme of an address, there would be few of them.
            if octets.first == 0x10, octets.count > 2 { octets[2] &= 3 }
            if let frame = Eddystone(serviceData: octets) {
                frames += 1
                #expect(Eddystone(serviceData: frame.serviceData) == frame)
                if case .url(let url) = frame {
                    urls += 1
                    #expect(url.text.count >= 7)
                }
            }
            _ = Beacon(manufacturerData: octets, eddystoneData: octets)?.measuredPower
        }
        #expect(frames > 200 && urls > 40, "\(frames) \(urls)")
    }
}
