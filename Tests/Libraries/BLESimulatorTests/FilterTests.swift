import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEVirtualRadio
import BLEWire
import TestConditions
import Testing

/// A filter between a host and its controller, without faults.
struct FilterTests {
    /// Passes each packet on after a time, in its order.
    private final class Delay: HCIFilter {
        let delay: TimeSpan
        init(_ delay: TimeSpan) { self.delay = delay }
        func take(_ packet: [UInt8], _ direction: HCIDirection, on line: HCILine) {
            line.pass(packet, direction, at: line.now + delay)
        }
    }

    /// Keeps everything.
    private final class Silence: HCIFilter {
        func take(_ packet: [UInt8], _ direction: HCIDirection, on line: HCILine) {}
    }

    @Test func aDelayedLineWorks() async throws {
        let world = World(seed: 2)
        let device = world.addDevice("phone")
        let slot = device.number
        world.radio.change { $0.setFilter(Delay(.milliseconds(20)), of: slot) }
        let central = TestCentral(device, in: world)
        let band = TestPeripheral(world.addDevice("band", at: Position(x: 1)), in: world)
        try await central.poweredOn()
        // Each command of the start-up takes 40 ms from its sending to its answer.
        #expect(world.now > .milliseconds(200))
        try await band.publish("band")
        let peer = try await central.find("band")
        try await central.connect(peer)
        let handle = try await central.characteristics(of: TestPeripheral.service, on: peer)[1].valueHandle
        for number in 0..<100 as Range<UInt8> {
            let value = [number]
            _ = central.session.writeCommand(value.span, handle: handle, to: peer)
        }
        await world.run(for: .seconds(10))
        let arrived = band.events.compactMap { event -> UInt8? in
            if case .write(let items, needsResponse: false) = event { items.first?.value.first } else { nil }
        }
        #expect(arrived == Array(0..<100))
        // Without the filter the link goes on.
        world.radio.change { $0.setFilter(nil, of: slot) }
        await world.run(for: .seconds(1))
        _ = try await central.signal(of: peer)
    }

    @Test func aSilentLineFailsTheHost() async throws {
        let world = World(seed: 2)
        let device = world.addDevice("phone")
        let slot = device.number
        world.radio.change { $0.setFilter(Silence(), of: slot) }
        let central = TestCentral(device, in: world)
        await world.run(for: .seconds(30))
        #expect(!central.events.contains(.state(.poweredOn)))
    }

    @Test func aSlotWithoutAControllerHasNoLine() async {
        let world = World(seed: 2)
        let device = world.addDevice("phone")
        let slot = device.number
        await world.run(for: .seconds(1))
        device.remove()
        await world.run(for: .seconds(1))
        let hasLine = world.radio.inspect { network in
            [slot, slot + 1, 1_000].map { network.setFilter(Silence(), of: $0) != nil }
        }
        #expect(hasLine == [false, false, false])
    }

    @Test func aReleasedWorldIsFreedWithItsFaults() async {
        weak var network: VirtualRadioNetwork?
        do {
            let world = World(seed: 1)
            network = world.radio.network.object
            let device = world.addDevice("phone")
            device.inject(.forgottenBonds(after: .seconds(100)))
            // The answer of the controller waits.
            device.inject(.lateStart(by: .seconds(1)))
            await world.run(for: .milliseconds(500))
        }
        #expect(await eventually { network == nil })
    }
}
