import BLESimulator
import CoreBluetooth
import Devices
import TestConditions
import Testing

/// A device whose bootloader is another device of the world, with another address.
private final class Bench {
    let world = World(seed: 52)
    let queue = DispatchQueue(label: "device")
    let device: SecureDFUDevice
    let resets = Collected<SecureDFUDevice.Mode>()
    private var hardware: VirtualDevice
    private var places = 0
    private let sharesBonds: Bool

    init(sharesBonds: Bool = false) throws {
        self.sharesBonds = sharesBonds
        device = try SecureDFUDevice(name: "Sensor", sharesBonds: sharesBonds, queue: queue)
        hardware = world.addDevice("Sensor", at: Position(x: 2), seed: 1)
        let resets = resets
        device.onReset = { resets.add($0) }
        hardware.run { device.start() }
    }

    /// Runs until the client has ended. The device resets when it wants to.
    func run(_ client: DFUClient) async -> DFUClient.Ending? {
        let phone = world.addDevice("phone \(places)")
        phone.run { client.phone.start() }
        let first = resets.all.count
        for round in 1...2 {
            let resets = resets
            let isReset = await world.run(timeout: .seconds(300)) {
                resets.all.count == first + round || (client.ending ?? .updated) != .updated
            }
            guard isReset, resets.all.count == first + round else { break }
            await reset()
        }
        await world.run(timeout: .seconds(10)) { client.ending != nil }
        phone.remove()
        return client.phone.queue.sync { client.ending }
    }

    func reset() async {
        // The response leaves before the link ends.
        await world.run(for: .milliseconds(250))
        if sharesBonds {
            queue.sync { device.boot() }
            return hardware.restartAdapter()
        }
        hardware.remove()
        queue.sync {
            device.stop()
            device.boot()
        }
        places += 1
        hardware = world.addDevice("device \(places)", at: Position(x: 2))
        hardware.run { device.start() }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct DFUWorldTests {
    private func firmware(_ seed: UInt64, length: Int = 9000) -> [UInt8] {
        var random = Seeded(seed)
        return (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private func client(_ firmware: [UInt8], version: UInt64) throws -> DFUClient {
        DFUClient(
            command: try InitPacket.make(firmwareVersion: version, firmware: firmware), firmware: firmware)
    }

    @Test func aPhoneUpdatesTheDeviceTwice() async throws {
        let bench = try Bench()
        for version: UInt64 in [2, 3] {
            let firmware = firmware(version)
            let client = try client(firmware, version: version)
            #expect(await bench.run(client) == .updated)
            #expect(bench.queue.sync { bench.device.version } == version)
            #expect(bench.queue.sync { bench.device.firmware } == Data(firmware))
            #expect(bench.queue.sync { bench.device.mode } == .application)
            #expect(client.phone.queue.sync { client.starts } == [0, 4096, 8192])
            #expect(client.phone.queue.sync { client.receipts } > 0)
        }
        #expect(bench.resets.all == [.bootloader, .application, .bootloader, .application])
    }

    /// The application requires encryption, for which the phone pairs. Its bootloader is the same device of the world.
    @Test func aDeviceThatSharesItsBondsKeepsItsAddress() async throws {
        let bench = try Bench(sharesBonds: true)
        let firmware = firmware(6, length: 5000)
        let client = try client(firmware, version: 2)
        #expect(await bench.run(client) == .updated)
        #expect(bench.queue.sync { bench.device.firmware } == Data(firmware))
        #expect(bench.resets.all == [.bootloader, .application])
    }

    @Test func anUpdateGoesOnAfterTheLinkWasLost() async throws {
        let bench = try Bench()
        let firmware = firmware(9)
        let client = try client(firmware, version: 2)
        client.octetsUntilLoss = 6000
        #expect(await bench.run(client) == .updated)
        #expect(bench.queue.sync { bench.device.firmware } == Data(firmware))
        let starts = client.phone.queue.sync { client.starts }
        try #require(starts.count == 4, "\(starts)")
        #expect((4096...6096).contains(starts[2]), "it goes on in the second object")
    }

    @Test func anObjectWithAWrongCRCIsSentAgain() async throws {
        let bench = try Bench()
        let firmware = firmware(4)
        let client = try client(firmware, version: 2)
        client.damagedObjects = 1
        #expect(await bench.run(client) == .updated)
        #expect(bench.queue.sync { bench.device.firmware } == Data(firmware))
        #expect(client.phone.queue.sync { client.starts } == [0, 0, 4096, 8192])
    }

    @Test func aFirmwareForOtherHardwareIsRefusedAndTheNextUpdateWorks() async throws {
        let bench = try Bench()
        let firmware = firmware(5, length: 3000)
        let wrong = DFUClient(
            command: try InitPacket.make(firmwareVersion: 2, hardwareVersion: 51, firmware: firmware),
            firmware: firmware)
        #expect(await bench.run(wrong) == .refused([0x60, 4, 11, 6]))
        #expect(bench.queue.sync { bench.device.mode } == .bootloader)
        #expect(bench.queue.sync { bench.device.version } == 1)
        // The bootloader is still there, under its own name.
        let right = try client(firmware, version: 2)
        #expect(await bench.run(right) == .updated)
        #expect(bench.queue.sync { bench.device.version } == 2)
    }

    /// Writes to the buttonless characteristic, and returns the answers.
    @Test func requestsToTheApplicationThatAreWrongAreRefused() async throws {
        let bench = try Bench()
        let phone = TestPhone(SecureDFUDevice.service)
        let (values, links) = (Collected<[UInt8]>(), Collected<Int>())
        phone.onReady = { links.add(1) }
        phone.onValue = { values.add($1) }
        bench.world.addDevice("phone").run { phone.start() }
        await bench.world.run(timeout: .seconds(30)) { links.all.count == 1 }
        let requests: [[UInt8]] = [
            [2, 0], [2, 5, 0x41], [2, 21] + [UInt8](repeating: 0x41, count: 21), [2, 1, 0xFF], [9],
        ]
        for (index, request) in requests.enumerated() {
            phone.queue.sync { phone.write(request, to: SecureDFUDevice.buttonless) }
            await bench.world.run(timeout: .seconds(10)) { values.all.count == index + 1 }
        }
        #expect(values.all == [[0x20, 2, 5], [0x20, 2, 5], [0x20, 2, 5], [0x20, 2, 5], [0x20, 9, 2]])
        #expect(bench.resets.all.isEmpty)
        withExtendedLifetime(phone) {}
    }
}
