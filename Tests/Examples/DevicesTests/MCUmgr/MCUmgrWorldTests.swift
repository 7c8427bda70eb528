import BLESimulator
import CoreBluetooth
import Devices
import TestConditions
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MCUmgrWorldTests {
    private let world = World(seed: 31)
    private let queue = DispatchQueue(label: "device")
    private let resets = Collected<Int>()

    /// Runs until the client has ended. The device resets when it is told to.
    private func update(
        _ device: MCUmgrDevice, on hardware: VirtualDevice, with client: SMPClient
    ) async -> SMPClient.Ending? {
        let expected = resets.all.count + 1
        let resets = resets
        await world.run(timeout: .seconds(300)) { resets.all.count == expected || client.ending != nil }
        if client.phone.queue.sync(execute: { client.ending }) == nil {
            // The response leaves before the link ends.
            await world.run(for: .milliseconds(250))
            queue.sync { device.boot() }
            hardware.restartAdapter()
        }
        await world.run(timeout: .seconds(60)) { client.ending != nil }
        return client.phone.queue.sync { client.ending }
    }

    private func makeDevice(at place: Position = Position(x: 2)) -> (MCUmgrDevice, VirtualDevice) {
        let hardware = world.addDevice("board", at: place)
        let device = MCUmgrDevice(queue: queue)
        let resets = resets
        device.onReset = { resets.add(1) }
        hardware.run { device.start() }
        return (device, hardware)
    }

    private func image(_ major: UInt8, length: Int = 20_000) -> [UInt8] {
        MCUbootImage.make(version: (major, 0, 0), program: (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13) })
    }

    @Test func aPhoneUpdatesTheDeviceTwice() async {
        let (device, hardware) = makeDevice()
        for major: UInt8 in [2, 3] {
            let client = SMPClient(image(major))
            let phone = world.addDevice("phone \(major)")
            phone.run { client.phone.start() }
            #expect(await update(device, on: hardware, with: client) == .updated)
            #expect(queue.sync { device.version } == "\(major).0.0")
            #expect(queue.sync { device.machine.slots.isConfirmed })
            #expect(client.phone.queue.sync { client.offsets.last } == UInt64(image(major).count))
            #expect(client.phone.queue.sync { client.offsets } == client.phone.queue.sync { client.offsets.sorted() })
            phone.remove()
        }
        #expect(resets.all.count == 2)
    }

    @Test func anUploadGoesOnAfterTheLinkWasLost() async throws {
        let (device, hardware) = makeDevice()
        let client = SMPClient(image(2))
        client.chunksUntilLoss = 15
        world.addDevice("phone").run { client.phone.start() }
        #expect(await update(device, on: hardware, with: client) == .updated)
        #expect(queue.sync { device.version } == "2.0.0")
        let offsets = client.phone.queue.sync { client.offsets }
        #expect(
            client.phone.queue.sync { client.loops } == 3, "the link, the one after the loss, the one after the reset")
        #expect(offsets.filter { $0 == 700 }.count == 1, "the second upload does not begin at the start")
    }

    @Test func anUploadGoesOnAfterTheDeviceWasOutOfRange() async throws {
        let (device, hardware) = makeDevice()
        let client = SMPClient(image(2))
        world.addDevice("phone").run { client.phone.start() }
        try #require(await world.run(timeout: .seconds(60)) { client.offsets.count >= 10 })
        hardware.move(to: Position(x: 100_000))
        try #require(await world.run(timeout: .seconds(60)) { !client.phone.isReady })
        hardware.move(to: Position(x: 2))
        #expect(await update(device, on: hardware, with: client) == .updated)
        #expect(queue.sync { device.version } == "2.0.0")
        #expect(client.phone.queue.sync { client.loops } == 3)
        #expect(client.phone.queue.sync { client.offsets.filter { $0 == 700 } }.count == 1, "the upload goes on")
    }

    @Test func anUpdateOverABadRadioIsComplete() async {
        world.setEnvironment(RadioEnvironment(packetLoss: 0.2))
        let (device, hardware) = makeDevice()
        let client = SMPClient(image(2, length: 5000))
        world.addDevice("phone").run { client.phone.start() }
        #expect(await update(device, on: hardware, with: client) == .updated)
        #expect(queue.sync { device.version } == "2.0.0")
    }

    @Test func anImageThatIsTooLargeIsRefused() async {
        let (device, hardware) = makeDevice()
        let client = SMPClient(image(2, length: ImageSlots.size))
        world.addDevice("phone").run { client.phone.start() }
        let refusal = CBOR.map(["err": .map(["group": .unsigned(1), "rc": .unsigned(30)])])
        #expect(await update(device, on: hardware, with: client) == .refused(refusal))
        #expect(queue.sync { device.version } == "1.0.0")
        #expect(resets.all.isEmpty)
    }

    /// Half a packet on one link has no effect on the next one.
    @Test func aPacketThatIsCutEndsWithItsLink() async {
        let (device, _) = makeDevice()
        let phone = TestPhone(MCUmgrDevice.service)
        phone.reconnects = true
        let values = Collected<[UInt8]>()
        let links = Collected<Int>()
        phone.onReady = { links.add(1) }
        phone.onValue = { values.add($1) }
        world.addDevice("phone").run { phone.start() }
        await world.run(timeout: .seconds(30)) { links.all.count == 1 }
        let request = SMPPacket(.write, group: 0, command: 0, sequence: 1, .map(["d": .text("hello")]))
        phone.queue.sync { phone.stream(Array(request.octets.dropLast(3)), to: MCUmgrDevice.characteristic) }
        await world.run(for: .seconds(2))
        phone.queue.sync { phone.disconnect() }
        await world.run(timeout: .seconds(30)) { links.all.count == 2 }
        #expect(links.all.count == 2)
        #expect(values.all.isEmpty)
        phone.queue.sync { phone.stream(request.octets, to: MCUmgrDevice.characteristic, length: 5) }
        await world.run(timeout: .seconds(30)) { !values.all.isEmpty }
        let response = SMPPacket(.writeResponse, group: 0, command: 0, sequence: 1, .map(["r": .text("hello")]))
        #expect(values.all == [response.octets])
        withExtendedLifetime((device, phone)) {}
    }

    @Test func theFlashMemoryOutlivesTheProgram() async throws {
        let (device, hardware) = makeDevice()
        let client = SMPClient(image(7, length: 500))
        world.addDevice("phone").run { client.phone.start() }
        #expect(await update(device, on: hardware, with: client) == .updated)
        let later = MCUmgrDevice(flash: try queue.sync { try device.flash }, queue: queue)
        #expect(later.version == "7.0.0")
        #expect(
            MCUmgrDevice(flash: Data([1, 2, 3]), queue: queue).version == "1.0.0", "damaged memory is a new device")
    }
}
