import BLESimulator
import CoreBluetooth
import Devices
import TestConditions
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LEGOWorldTests {
    private let world = World(seed: 16)
    private let queue = DispatchQueue(label: "hub")

    /// Two clients, one after the other: the second one is told again what is attached.
    @Test func aPhoneDrivesATrain() async throws {
        let hub = LEGOHub(queue: queue)
        let (powers, colours, ends) = (Collected<Int>(), Collected<Int>(), Collected<Int>())
        hub.onPower = { powers.add($0) }
        hub.onColour = { colours.add($0) }
        hub.onEnd = { ends.add(1) }
        world.addDevice("hub", at: Position(x: 2)).run { hub.start() }
        for round in 1...2 {
            let phone = TestPhone(LEGOHub.service)
            let values = Collected<[UInt8]>()
            phone.onValue = { values.add($1) }
            let valuesAtAnswers = Collected<Int>()
            phone.onWritten = { _, _ in valuesAtAnswers.add(values.all.count) }
            let hardware = world.addDevice("phone \(round)")
            hardware.run { phone.start() }
            try #require(await world.run(timeout: .seconds(60)) { phone.isReady && values.all.count == 4 })
            #expect(values.all.map { $0[2] } == [4, 4, 4, 4])
            let requests: [[UInt8]] = [
                [8, 0, 0x81, 0, 0x11, 0x51, 0, 60], [8, 0, 0x81, 0x32, 0x11, 0x51, 0, 5], [5, 0, 0x01, 0x06, 5],
                [10, 0, 0x41, 0x3C, 0, 1, 0, 0, 0, 1], [3, 0, 0x81],
            ]
            for request in requests { phone.queue.sync { phone.write(request, to: LEGOHub.characteristic) } }
            // The setup of the voltmeter has two answers.
            await world.run(timeout: .seconds(20)) { values.all.count == 10 }
            queue.sync {
                hub.measure(milliamperes: 100)
                hub.measure(millivolts: 7000 + UInt16(round))
            }
            await world.run(timeout: .seconds(20)) { values.all.count == 11 }
            let types = values.all.dropFirst(4).map { $0[2] }
            #expect(types == [0x82, 0x82, 0x01, 0x47, 0x45, 0x05, 0x45], "the client has not asked for the current")
            #expect(valuesAtAnswers.all.first == 4, "the answer to the write comes before the feedback")
            phone.queue.sync { phone.write([4, 0, 0x02, 0x02], to: LEGOHub.characteristic) }
            await world.run(timeout: .seconds(20)) { ends.all.count == round }
            #expect(ends.all.count == round)
            phone.queue.sync { phone.disconnect() }
            await world.run(timeout: .seconds(20)) { !phone.isReady }
            hardware.remove()
        }
        #expect(powers.all == [60, 60])
        #expect(colours.all == [5, 5])
        withExtendedLifetime(hub) {}
    }
}
