import BLESimulator
import CoreBluetooth
import Devices
import TestConditions
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MicrobitWorldTests {
    private let world = World(seed: 51)
    private let queue = DispatchQueue(label: "board")

    @Test func aPhoneUsesAllServices() async throws {
        let device = MicrobitDevice(queue: queue)
        let (lights, texts, events) = (Collected<[UInt8]>(), Collected<String>(), Collected<[UInt16]>())
        device.onLights = { lights.add($0) }
        device.onText = { texts.add($0) }
        device.onEvent = { events.add([$0, $1]) }
        let logs = Collected<String>()
        device.log = { logs.add($0) }
        world.addDevice("micro:bit", at: Position(x: 2)).run { device.start() }
        let phone = TestPhone(nil, services: MicrobitDevice.serviceUUIDs)
        phone.name = "BBC micro:bit [zotut]"
        let (values, writes) = (Collected<(String, [UInt8])>(), Collected<CBATTError.Code?>())
        phone.onValue = { values.add(($0.uuidString, $1)) }
        phone.onWritten = { writes.add($1) }
        world.addDevice("phone").run { phone.start() }
        try #require(await world.run(timeout: .seconds(60)) { phone.isReady })
        #expect(phone.characteristics.count == MicrobitBoard.Characteristic.allCases.count)

        let requests: [(UInt16, [UInt8])] = [
            (0x7B77, [1, 2, 4, 8, 16]), (0x93EE, Array("hello".utf8)), (0x23C4, [1, 0, 0, 0]), (0x5404, [9, 0, 1, 0]),
            (0xFB24, [3, 0]), (0x7B77, [1]),
        ]
        for (index, request) in requests.enumerated() {
            phone.queue.sync { phone.write(request.1, to: MicrobitDevice.uuid(request.0)) }
            await world.run(timeout: .seconds(10)) { writes.all.count == index + 1 }
        }
        #expect(writes.all == [nil, nil, nil, nil, .requestNotSupported, .invalidAttributeValueLength])
        #expect(lights.all == [[1, 2, 4, 8, 16]])
        #expect(texts.all == ["hello"])
        #expect(events.all == [[9, 1]])

        queue.sync {
            device.press(.left, true)
            device.press(.right, true)
            device.accelerate(x: 1, y: 2, z: -3)
            device.warm(to: 30)
        }
        await world.run(timeout: .seconds(10)) { values.all.count == 5 }
        let expected: [(UInt16, [UInt8])] = [
            (0xDA90, [1]), (0x9775, [1, 0, 1, 0]), (0xDA91, [1]), (0xCA4B, [1, 0, 2, 0, 0xFD, 0xFF]), (0x9250, [30]),
        ]
        #expect(values.all.map(\.0) == expected.map { MicrobitDevice.uuid($0.0).uuidString })
        #expect(values.all.map(\.1) == expected.map(\.1), "the right button is no event that the client wants")

        // The accelerometer measures again and again, also faster than the link transmits.
        #expect(device.accelerationPeriod == 20)
        queue.sync { for _ in 0..<2000 { device.measure() } }
        await world.run(timeout: .seconds(10)) { values.all.count > 6 }
        #expect(values.all.dropFirst(5).allSatisfy { $0.1 == expected[3].1 })
        #expect(values.all.count > 6)
        #expect(!logs.all.contains { $0.contains("dropped") })

        phone.queue.sync { phone.read(MicrobitDevice.uuid(0x7B77)) }
        let hasLights = { values.all.contains { $0.1 == [1, 2, 4, 8, 16] } }
        await world.run(timeout: .seconds(10)) { hasLights() }
        #expect(hasLights())
        // The phone reads the name of the device once it has nothing else to do.
        await world.run(for: .seconds(5))
        #expect(phone.peripheralName == "BBC micro:bit [zotut]", "the name of the device, not of its hardware")
        withExtendedLifetime((device, phone)) {}
    }
}
