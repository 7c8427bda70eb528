import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import Foundation
import Testing

/// Advertisers without a host, on a shared radio and in a world.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct BeaconTests {
    @Test func theControlSocketAddsAndRemovesBeacons() async throws {
        let bench = try RadioBench("beacon")
        let phone = TestCentral(try bench.join(), in: bench.world)
        try await phone.poweredOn()
        let answer = try await bench.ask(
            "beacon add door type=scannable data=020106 response=0409646F72 interval=30 at=-2,1 power=-10")
        #expect(answer["ok"] as? Bool == true)
        let address = try #require(answer["address"] as? String)
        _ = try await phone.find("dor")
        let beacon = try #require(try await bench.devices().first { $0["name"] as? String == "door" })
        #expect(beacon["address"] as? String == address)
        #expect(beacon["x"] as? Double == -2 && beacon["advertising"] as? Bool == true)
        #expect(try await bench.ask("move door 3 0")["ok"] as? Bool == true)
        #expect(try await bench.ask("beacon remove door")["ok"] as? Bool == true)
        #expect(try await bench.devices().count == 1)
        // It comes back with its address.
        #expect(try await bench.ask("beacon add door data=020104")["address"] as? String == address)
        #expect(
            try await bench.ask("beacon add other random=C0:00:00:00:00:01")["address"] as? String
                == "C0:00:00:00:00:01")
        #expect(try await bench.ask("drop other")["ok"] as? Bool == true)
        #expect(try await bench.devices().count == 2)
    }

    @Test func theNumberOfARemovedBeaconIsNotReused() async throws {
        let bench = try RadioBench("serial")
        let first = try #require(try await bench.ask("beacon add a")["number"] as? Int)
        #expect(try await bench.ask("beacon remove a")["ok"] as? Bool == true)
        let second = try #require(try await bench.ask("beacon add b")["number"] as? Int)
        #expect(first != second)
        #expect(try await bench.ask("drop \(first)")["ok"] as? Bool == false)
        #expect(try await bench.devices().map { $0["number"] as? Int } == [second])
        #expect(try await bench.ask("drop \(second)")["ok"] as? Bool == true)
        #expect(try await bench.devices().isEmpty)
    }

    @Test func aCaptureDistinguishesBeaconsInOneSlot() async throws {
        let bench = try RadioBench("index")
        let path = "/tmp/ocb-index-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let capture = try bench.world.captureHCI(to: path)
        for name in ["a", "b"] {
            #expect(try await bench.ask("beacon add \(name)")["ok"] as? Bool == true)
            #expect(try await bench.ask("beacon remove \(name)")["ok"] as? Bool == true)
        }
        try capture.finish()
        let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        // Of each record the index and the opcode of New Index and Delete Index.
        var news: [[UInt8]] = []
        var start = 16
        while start + 24 <= file.count {
            if file[start + 11] < 2 { news.append(Array(file[start + 8..<start + 12])) }
            start += 24 + Int(file[start + 6]) << 8 + Int(file[start + 7])
        }
        #expect(news == [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 1]])
    }

    @Test func anInvalidBeaconIsRefusedWithAReason() async throws {
        let bench = try RadioBench("no-beacon")
        let central = TestCentral(try bench.join(), in: bench.world)
        try await central.poweredOn()
        let program = try #require(try await bench.devices()[0]["name"] as? String)
        for line in [
            "beacon", "beacon add", "beacon add 12", "beacon add all", "beacon add a/b", "beacon add \(program)",
            "beacon add x y", "beacon add x data=0", "beacon add x data=0g", "beacon add x type=none",
            "beacon add x data=\(String(repeating: "00", count: 32))", "beacon add x interval=19",
            "beacon add x interval=nan", "beacon add x power=21", "beacon add x at=1", "beacon add x address=1",
            "beacon add x type=directed", "beacon add x target=02:00:00:00:00:01", "beacon add x response=00",
            "beacon add x type=directed target=02:00:00:00:00:01 data=00", "beacon remove", "beacon remove x",
            "beacon remove \(program)", "beacon add x size=3", "beacon add x data=00 data=00",
            "beacon add x address=02:00:00:00:00:01 random=C0:00:00:00:00:01", "beacon add x random=80:00:00:00:00:01",
            "beacon add x type=directed target=02:00:00:00:00:01 random-target=C0:00:00:00:00:01",
            "beacon add x address=01:00:00:00:00:01",
        ] {
            let answer = try await bench.ask(line)
            #expect(answer["ok"] as? Bool == false, "\(line)")
            #expect((answer["error"] as? String)?.hasSuffix(".") == true, "\(line)")
        }
        for number in 0..<256 { #expect(try await bench.ask("beacon add b\(number)")["ok"] as? Bool == true) }
        #expect(try await bench.ask("beacon add more")["ok"] as? Bool == false)
    }

    @Test func impossibleAdvertisementsThrow() throws {
        let world = World(seed: 1)
        let target = try RadioAddress("C0:00:00:00:00:01", isRandom: true)
        for advertisement in [
            RawAdvertisement(data: [UInt8](repeating: 0, count: 32)),
            RawAdvertisement(.connectable, scanResponse: [UInt8](repeating: 0, count: 32)),
            RawAdvertisement(scanResponse: [1]), RawAdvertisement(interval: .milliseconds(19)),
            RawAdvertisement(interval: .seconds(11)), RawAdvertisement(.directed(to: target), data: [0]),
        ] {
            #expect(throws: RawAdvertisement.ParameterError.self) { try world.addAdvertiser("x", advertisement) }
        }
        for power in [-128, 21] {
            #expect(throws: RawAdvertisement.ParameterError.self) {
                try world.addAdvertiser("x", RawAdvertisement(), transmitPower: power)
            }
        }
    }

    @Test func structuresAreTheOctetsOfTheSpecification() throws {
        #expect(AdvertisingStructure.flags().octets == [2, 1, 6])
        #expect(AdvertisingStructure.localName("ab").octets == [3, 9, 0x61, 0x62])
        #expect(AdvertisingStructure.transmitPower(-4).octets == [2, 0x0A, 0xFC])
        #expect(AdvertisingStructure.manufacturer(0x1234, [5]).octets == [4, 0xFF, 0x34, 0x12, 5])
        #expect(try AdvertisingStructure.services(["180D", "180F"]).octets == [5, 3, 0x0D, 0x18, 0x0F, 0x18])
        for uuids in [[], ["180D", "x"], ["180D", "12345678"]] {
            #expect(throws: RawAdvertisement.ParameterError.self) { try AdvertisingStructure.services(uuids) }
        }
        #expect(throws: RawAdvertisement.ParameterError.self) { try AdvertisingStructure.serviceData("x", []) }
        #expect(try AdvertisingStructure.serviceData("FEAA", [0x10]).octets == [4, 0x16, 0xAA, 0xFE, 0x10])
        #expect(
            try AdvertisingStructure.serviceData("5B1D0000-6F2E-4C0A-9B6A-2F1C0E4D7A10", []).octets.prefix(3)
                == [17, 0x21, 0x10])
        let uuid = try #require(UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
        let octets = AdvertisingStructure.iBeacon(uuid, major: 1, minor: 0x0203, measuredPower: -59).octets
        #expect(octets.count == 27)
        #expect(Array(octets.prefix(8)) == [26, 0xFF, 0x4C, 0, 2, 0x15, 0xE2, 0xC5])
        #expect(Array(octets.suffix(5)) == [0, 1, 2, 3, 0xC5])
    }
}
