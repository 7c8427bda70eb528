import BLEAdapter
import BLEWire
import SystemBus
import Testing

@testable import BLEBlueZAdapter

@Suite struct PeripheralAdvertisingTests {
    private typealias Bench = PeripheralBench

    private let battery = Advertisement(localName: "Lamp", services: [BluetoothUUID(0x180F as UInt16)])

    private func properties(_ advertisement: Advertisement) throws -> BusProperties {
        try AdvertisementProperties(advertisement).values
    }

    @Test func bluetoothdReadsTheAdvertisement() {
        let bench = Bench()
        bench.session.startAdvertising(battery)
        #expect(bench.events == ["advertising"])
        #expect(
            bench.managers.advertisements.values.first == [
                "Type": .string("peripheral"), "Discoverable": .bool(true), "LocalName": .string("Lamp"),
                "ServiceUUIDs": .array("s", [.string("180F")]), "MinInterval": .uint32(30), "MaxInterval": .uint32(30),
            ])
        bench.session.startAdvertising(battery)
        #expect(bench.events == ["advertising alreadyAdvertising"])
        bench.session.stopAdvertising()
        _ = bench.events
        #expect(bench.managers.advertisements.isEmpty)
    }

    @Test func sessionsAdvertiseBesideEachOther() {
        let bench = Bench()
        let other = bench.role.open(observer: bench.observer)
        bench.session.startAdvertising(battery)
        other.startAdvertising(battery)
        #expect(bench.events == ["advertising", "advertising"])
        #expect(bench.managers.advertisements.count == 2)
    }

    @Test func startsAreAnsweredInOrder() {
        let bench = Bench()
        bench.managers.isSilent = true
        bench.session.startAdvertising(battery)
        bench.session.startAdvertising(battery)
        #expect(bench.events == [])
        bench.managers.answerLate()
        #expect(bench.events == ["advertising", "advertising alreadyAdvertising"])
        // A start that the session stops itself does not count as failed.
        bench.session.stopAdvertising()
        bench.session.startAdvertising(battery)
        bench.session.stopAdvertising()
        #expect(bench.events == ["advertising"])
        bench.managers.answerLate()
        #expect(bench.events == [])
    }

    @Test(
        arguments: [
            ("org.bluez.Error.NotPermitted", "Maximum advertisements reached", 0x07, "all advertising sets are in use"),
            ("org.bluez.Error.AlreadyExists", "", 0x1F, "registered twice"),
            ("org.bluez.Error.InvalidLength", "", 0x45, "too long"),
            ("org.bluez.Error.NotSupported", "", 0x11, "does not support"),
            ("org.bluez.Error.Failed", "Failed to parse advertisement.", 0x1F, "cannot read"),
            ("org.bluez.Error.Failed", "Failed to register advertisement", 0x1F, "controller refused"),
            ("org.freedesktop.DBus.Error.AccessDenied", "", 0x0C, "usermod -aG bluetooth"),
            ("org.freedesktop.DBus.Error.UnknownMethod", "", 0x1F, "cannot advertise"),
        ] as [(String, String, UInt8, String)])
    func refusalsAreSentences(name: String, text: String, code: UInt8, part: String) {
        let bench = Bench()
        bench.managers.refusals = [(name, text)]
        bench.session.startAdvertising(Advertisement(localName: nil, services: []))
        #expect(bench.events == ["advertising \(AdvertisingError.controller(code))"])
        #expect(bench.log.count == 1 && bench.log[0].contains(part))
        bench.session.startAdvertising(battery)
        #expect(bench.events == ["advertising"])
    }

    @Test func anAnswerThatNeverComesIsARefusal() {
        let bench = Bench()
        bench.managers.isSilent = true
        bench.session.startAdvertising(battery)
        bench.scheduler.run(for: .seconds(25))
        #expect(bench.events == ["advertising \(AdvertisingError.controller(0x1F))"])
        // bluetoothd may have it.
        #expect(
            bench.managers.calls == ["RegisterAdvertisement advertisement1", "UnregisterAdvertisement advertisement1"])
    }

    @Test func anAdvertisementThatIsTooLongGoesWithoutItsName() {
        let bench = Bench()
        bench.managers.refusals = [(BlueZ.Failure.invalidLength, "")]
        bench.session.startAdvertising(battery)
        #expect(bench.events == ["advertising"])
        #expect(bench.managers.advertisements.values.first?["LocalName"] == nil)
    }

    @Test func aReleasedAdvertisementBeginsAgain() throws {
        let bench = Bench()
        bench.session.startAdvertising(battery)
        _ = bench.events
        for time in 1...6 {
            let path = try #require(bench.managers.advertisements.keys.first)
            bench.managers.advertisements = [:]
            bench.managers.call(path, BlueZ.advertisement, "Release", []) { _ in }
            bench.scheduler.run(for: .milliseconds(time * 1000 - 1))
            #expect(bench.managers.advertisements.isEmpty)
            bench.scheduler.run(for: .milliseconds(1))
            #expect(bench.managers.advertisements.isEmpty == (time == 6))
        }
        #expect(bench.events == [])
        bench.session.startAdvertising(battery)
        #expect(bench.events == ["advertising"])
    }

    @Test func releasesFarApartDoNotCount() throws {
        let bench = Bench()
        bench.session.startAdvertising(battery)
        for _ in 0..<10 {
            bench.scheduler.run(for: .seconds(61))
            let path = try #require(bench.managers.advertisements.keys.first)
            bench.managers.advertisements = [:]
            bench.managers.call(path, BlueZ.advertisement, "Release", []) { _ in }
            bench.scheduler.run(for: .seconds(1))
            #expect(bench.managers.advertisements.count == 1)
        }
    }

    @Test func advertisingIsPausedWhileTheAdapterIsOff() {
        let bench = Bench()
        bench.session.startAdvertising(battery)
        _ = bench.events
        bench.role.end(.poweredOff)
        #expect(bench.events == ["state poweredOff"] && bench.managers.advertisements.isEmpty)
        bench.begin()
        #expect(bench.events == ["state poweredOn"] && bench.managers.advertisements.count == 1)
        bench.managers.isSilent = true
        bench.session.stopAdvertising()
        bench.session.startAdvertising(battery)
        bench.session.startAdvertising(battery)
        _ = bench.events
        bench.role.end(.unsupported)
        #expect(
            bench.events == [
                "advertising notPoweredOn", "advertising notPoweredOn", "state unsupported",
            ])
        bench.session.startAdvertising(battery)
        #expect(bench.events == ["advertising notPoweredOn"])
    }

    @Test func structuresBecomeProperties() throws {
        let structures: [(UInt8, [UInt8])] = [
            (0xFF, [0x4C, 0x00, 1, 2]), (0x16, [0x0F, 0x18, 50]), (0x0A, [0]), (0x19, [0xC1, 0x03]),
            (0x14, [0x0D, 0x18]),
            (0x24, [0x17]),
        ]
        let values = try properties(
            Advertisement(
                localName: "a\0b", services: [],
                structures: structures.map { Advertisement.Structure(type: $0.0, octets: $0.1) }, isConnectable: false,
                interval: .milliseconds(1)))
        #expect(
            values == [
                "Type": .string("broadcast"), "LocalName": .string("a"), "MinInterval": .uint32(20),
                "MaxInterval": .uint32(20), "Includes": .array("s", [.string("tx-power")]),
                "Appearance": .uint16(0x03C1),
                "SolicitUUIDs": .array("s", [.string("180D")]),
                "ManufacturerData": .array("{qv}", [.entry(.uint16(0x4C), .variant(.octets([1, 2])))]),
                "ServiceData": .array("{sv}", [.entry(.string("180F"), .variant(.octets([50])))]),
                "Data": .array("{yv}", [.entry(.byte(0x24), .variant(.octets([0x17])))]),
            ])
        // A bus carries all of it.
        let bench = Bench()
        bench.session.startAdvertising(
            Advertisement(
                localName: nil, services: [], structures: structures.map { .init(type: $0.0, octets: $0.1) }))
        #expect(bench.events == ["advertising"])
    }

    @Test(
        arguments: [
            ([(0x01, [6])], .unsupported(0x01)), ([(0x09, [65])], .unsupported(0x09)),
            ([(0xFF, [1])], .malformed(0xFF)),
            ([(0x16, [1])], .malformed(0x16)), ([(0x21, [1, 2])], .malformed(0x21)), ([(0x14, [])], .malformed(0x14)),
            ([(0x15, [1, 2, 3])], .malformed(0x15)), ([(0x19, [1])], .malformed(0x19)),
            ([(0xFF, [1, 0, 1]), (0xFF, [1, 0, 2])], .repeated(0xFF)), ([(0x24, []), (0x24, [])], .repeated(0x24)),
            ([(0x16, [1, 0, 1]), (0x20, [1, 0, 0, 0])], .repeated(0x20)),
            ([(0xFF, [UInt8](repeating: 0, count: 27))], .tooLong(limit: 28)),
        ] as [([(UInt8, [UInt8])], AdvertisementProperties.LayoutError)])
    func whatBluetoothdDoesNotTakeIsRefusedHere(
        structures: [(UInt8, [UInt8])], problem: AdvertisementProperties.LayoutError
    ) {
        let bench = Bench()
        bench.session.startAdvertising(
            Advertisement(
                localName: nil, services: [], structures: structures.map { .init(type: $0.0, octets: $0.1) }))
        #expect(bench.events == ["advertising \(problem.error)"])
        #expect(bench.log.count == 1 && bench.managers.calls.isEmpty)
    }

    /// The sentence names the limit of the advertisement that was refused.
    @Test func theLimitIsThatOfThePDUs() {
        let bench = Bench()
        func advertisement(_ octets: Int, _ extended: Advertisement.Extended? = nil) -> Advertisement {
            Advertisement(
                localName: nil, services: [],
                structures: [.init(type: 0xFF, octets: [UInt8](repeating: 0, count: octets - 2))],
                isConnectable: false, extended: extended)
        }
        bench.session.startAdvertising(advertisement(29))
        #expect(bench.events.count == 1)
        #expect(bench.log.contains { "\($0)".contains("more than 28 octets") }, "\(bench.log)")
        #expect(throws: Never.self) { try AdvertisementProperties(advertisement(28)) }
        let long = AdvertisementProperties.LayoutError.tooLong(
            limit: advertisement(28, Advertisement.Extended()).structuresLimit)
        #expect("\(long)" == "the structures have more than 1647 octets")
    }

    @Test func uuidsHaveThreeWidths() throws {
        let long = [UInt8](0..<16)
        func values(_ type: UInt8, _ octets: [UInt8]) throws -> BusProperties {
            try properties(
                Advertisement(localName: nil, services: [], structures: [.init(type: type, octets: octets)]))
        }
        #expect(
            try values(0xFF, [0x4C, 0x01])["ManufacturerData"]
                == .array("{qv}", [.entry(.uint16(0x014C), .variant(.octets([])))]))
        let text = "0F0E0D0C-0B0A-0908-0706-050403020100"
        #expect(
            try values(0x1F, [0x0E, 0x18, 0, 1, 1, 0, 0, 0])["SolicitUUIDs"]
                == .array("s", [.string("0100180E"), .string("00000001")]))
        #expect(try values(0x15, long)["SolicitUUIDs"] == .array("s", [.string(text)]))
        #expect(
            try values(0x20, [1, 0, 0, 1, 7])["ServiceData"]
                == .array("{sv}", [.entry(.string("01000001"), .variant(.octets([7])))]))
        #expect(
            try values(0x21, long + [7])["ServiceData"]
                == .array("{sv}", [.entry(.string(text), .variant(.octets([7])))]))
    }

    /// The list of src/shared/ad.c, without those that have a property.
    @Test(
        arguments: [
            1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x17, 0x18, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E,
            0x22, 0x23,
        ] as [UInt8])
    func typesThatBluetoothdRejects(type: UInt8) {
        let advertisement = Advertisement(
            localName: nil, services: [], structures: [Advertisement.Structure(type: type, octets: [1, 2])])
        #expect(throws: AdvertisementProperties.LayoutError.unsupported(type)) {
            try AdvertisementProperties(advertisement)
        }
    }

    @Test func servicesThatDoNotFitAreLeftOut() throws {
        let short = (0..<20).map { BluetoothUUID(UInt16(0xA000 + $0)) }
        let long = BluetoothUUID(high: 1, low: 2)
        func count(_ services: [BluetoothUUID], _ octets: Int = 0) throws -> Int {
            let structures =
                octets > 0
                ? [Advertisement.Structure(type: 0xFF, octets: [UInt8](repeating: 0, count: octets - 2))] : []
            return try properties(Advertisement(localName: nil, services: services, structures: structures))[
                "ServiceUUIDs"]?
                .elements?.count ?? 0
        }
        // 28 octets beside the flags; each list has a header of two.
        #expect(try count(short) == 13)
        #expect(try count([long, long]) == 1)
        #expect(try count([long] + short.prefix(4)) == 5)
        #expect(try count([long] + short.prefix(5)) == 5)
        #expect(try count(short, 20) == 3)
        #expect(try count(short, 28) == 0)
        #expect(try count(short, 5) == 10)
    }

    @Test func aLongNameIsCutBetweenCharacters() throws {
        func name(_ name: String) throws -> String? {
            try properties(Advertisement(localName: name, services: []))["LocalName"]?.text
        }
        #expect(try name("") == nil)
        let fits = String(repeating: "a", count: 29)
        #expect(try name(fits) == fits)
        // bluetoothd cuts it after 29 octets, and marks it as shortened.
        #expect(try name(fits + "bcd") == fits + "bcd")
        #expect(try name(String(fits.dropLast()) + "ü") == String(fits.dropLast()))
        #expect(try name(String(repeating: "a", count: 248))?.utf8.count == 248)
        #expect(try name(String(repeating: "a", count: 249)) == fits)
    }
}
