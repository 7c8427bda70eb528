import BLESimulator
import CoreBluetooth
import Testing

/// The time of a manager's first state.
@Suite struct WorldFirstStateTests {
    private let world = World(seed: 1)

    /// A device that is powered on, and the manager that says so.
    private func poweredOn() async throws -> Phone {
        let phone = Phone(world.addDevice("Phone"))
        await world.run(for: .seconds(1))
        try #require(phone.events == ["state 5"])
        return phone
    }

    @Test func theFirstStateFollowsTheInitialiserByMilliseconds() async throws {
        let device = try await poweredOn().device
        let central = Phone(device)
        let recorder = PeripheralRecorder()
        let queue = DispatchQueue(label: "peripheral")
        let peripheral = device.run { CBPeripheralManager(delegate: recorder, queue: queue) }
        await world.run(for: .milliseconds(4))
        #expect(central.events.isEmpty && central.manager.state == .unknown)
        #expect(recorder.events.value.isEmpty && peripheral.state == .unknown)
        await world.run(for: .milliseconds(2))
        #expect(central.events == ["state 5"] && recorder.events.value == ["state 5 false"])
    }

    @Test func aManagerCreatedInACallbackHasTheSameDelay() async throws {
        let first = try await poweredOn()
        let device = first.device
        let second = Locked<Phone?>(nil)
        first.recorder.onEvent { $0 = { _ in second { $0 = Phone(device) } } }
        device.powerOff()
        #expect(await world.run(timeout: .seconds(1)) { second.value != nil })
        await world.run(for: .milliseconds(4))
        #expect(second.value?.events == [])
        await world.run(for: .milliseconds(2))
        #expect(second.value?.events == ["state 4"])
    }

    @Test func theLastStateDuringTheDelayIsReported() async throws {
        let first = try await poweredOn()
        let second = Phone(first.device)
        first.device.powerOff()
        await world.run(for: .seconds(1))
        #expect(first.events == ["state 5", "state 4"])
        #expect(second.events == ["state 4"])
        first.device.powerOn()
        await world.run(for: .seconds(1))
        #expect(second.events == ["state 4", "state 5"] && first.events.count == 3)
    }

    @Test func aManagerReleasedDuringTheDelayGetsNoState() async throws {
        let device = try await poweredOn().device
        var phone: Phone? = Phone(device)
        let recorder = try #require(phone).recorder
        await world.run(for: .milliseconds(2))
        phone = nil
        await world.run(for: .seconds(1))
        #expect(recorder.events.value.isEmpty)
    }

    @Test func newManagersOfARemovedDeviceGetItsState() async throws {
        let first = try await poweredOn()
        first.device.remove()
        await world.run(for: .seconds(1))
        let second = Phone(first.device)
        await world.run(for: .seconds(1))
        #expect(second.events.count == 1 && second.events.last == first.events.last)
        #expect(second.manager.state != .poweredOn)
    }
}
