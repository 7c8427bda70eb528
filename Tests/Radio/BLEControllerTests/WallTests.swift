import BLEWire
import Testing

@testable import BLEController

struct WallTests {
    private let wall = RadioWall(from: RadioPosition(x: 1, y: -5), to: RadioPosition(x: 1, y: 5), attenuation: 20)

    @Test func aWallSeparatesPositionsOnItsTwoSides() {
        let here = RadioPosition()
        #expect(wall.stands(between: here, and: RadioPosition(x: 2)))
        #expect(wall.stands(between: here, and: RadioPosition(x: 2, y: 3, z: 40)))
        // Beside it, on this side of it, and along it.
        #expect(!wall.stands(between: here, and: RadioPosition(x: 2, y: 20)))
        #expect(!wall.stands(between: here, and: RadioPosition(x: 0.5, y: 3)))
        #expect(!wall.stands(between: RadioPosition(x: 1, y: -9), and: RadioPosition(x: 1, y: 9)))
        #expect(!wall.stands(between: here, and: here))
        #expect(!wall.stands(between: RadioPosition(x: .nan), and: RadioPosition(x: 2)))
    }

    @Test func wallsAreSymmetricAtEndsAndJoints() {
        let corner = RadioWall(from: RadioPosition(x: 1, y: 5), to: RadioPosition(x: 8, y: 5), attenuation: 20)
        var random = SeededRandom(seed: 3)
        for _ in 0..<10_000 {
            // On a grid, so that many ways go exactly through ends.
            var points: [RadioPosition] = []
            for _ in 0..<2 {
                points.append(
                    RadioPosition(x: Double(random.next() % 9) - 2, y: Double(random.next() % 9)))
            }
            for wall in [wall, corner] {
                let forth = wall.stands(between: points[0], and: points[1])
                #expect(forth == wall.stands(between: points[1], and: points[0]))
            }
        }
        // Out of the room through its corner: one wall's worth, not none, not two.
        let inside = RadioPosition(x: 3, y: 3)
        let outside = RadioPosition(x: -1, y: 7)
        let count = [wall, corner].count { $0.stands(between: inside, and: outside) }
        #expect(count == 1)
    }

    @Test func aWallAttenuatesUntilItIsRemoved() {
        let bench = Bench()
        bench.addHost().advertise(.nonconnectableUndirected, interval: 0xA0)
        let scanner = bench.addHost(at: RadioPosition(x: 10))
        scanner.scan(.passive)
        bench.run(for: .seconds(1))
        #expect(Set(scanner.reports.map(\.rssi)) == [-65])
        bench.radio.configuration.walls = [wall, wall]
        scanner.events = []
        bench.run(for: .seconds(1))
        // 105 dB of loss is beyond the sensitivity.
        #expect(scanner.reports.isEmpty)
        bench.radio.configuration.walls = [wall]
        bench.run(for: .seconds(1))
        #expect(Set(scanner.reports.map(\.rssi)) == [-85])
        bench.radio.configuration.walls = []
        scanner.events = []
        bench.run(for: .seconds(1))
        #expect(Set(scanner.reports.map(\.rssi)) == [-65])
    }

    @Test func lossIsSetForEachDevice() throws {
        let bench = Bench()
        let advertiser = bench.addHost()
        let other = bench.addHost()
        let scanner = bench.addHost()
        for host in [advertiser, other] { host.advertise(.nonconnectableUndirected, interval: 0x20) }
        scanner.scan(.passive)
        func share(of host: RawHost) -> Int { scanner.reports.count { $0.address == host.address.value } }
        bench.run(for: .seconds(10))
        let undisturbed = share(of: advertiser)
        bench.radio.setLoss(0.5, of: advertiser.identifier)
        scanner.events = []
        bench.run(for: .seconds(10))
        #expect((undisturbed * 35 / 100...undisturbed * 65 / 100).contains(share(of: advertiser)))
        #expect(share(of: other) > undisturbed * 9 / 10)
        // Of the receiver it takes from all.
        bench.radio.setLoss(1, of: scanner.identifier)
        scanner.events = []
        bench.run(for: .seconds(10))
        #expect(scanner.reports.isEmpty)
        #expect(bench.radio.status(of: scanner.identifier)?.loss == 1)
    }

    @Test func theStatusReportsTheActivitiesOfAController() throws {
        let bench = Bench()
        let central = bench.addHost(at: RadioPosition(x: 3))
        let peripheral = bench.addHost()
        _ = try #require(bench.connect(central, peripheral))
        central.scan()
        let status = try #require(bench.radio.status(of: central.identifier))
        #expect(
            status
                == ControllerStatus(
                    address: central.address, position: RadioPosition(x: 3), loss: 0, isAdvertising: false,
                    isScanning: true, isConnecting: false, linkCount: 1))
        bench.radio.removeController(central.identifier)
        #expect(bench.radio.status(of: central.identifier) == nil)
    }
}
