import BLEAdapter
import BLERuntime
import BLESimulator
import CoreBluetooth
import Testing

/// Rows of the conformance table whose proof needs two hosts, two controllers and the air.
@Suite struct WorldConformanceTests {
    @Test(arguments: [UInt64(1), 2, 3])
    func row023_allowDuplicatesGivesOneCallbackForEachReport(seed: UInt64) async throws {
        let scene = try await Scene(seed: seed)
        // A second advertiser, so that the count is not that of one device.
        let other = scene.world.addDevice("Other", at: Position(x: 2))
        let otherGadget = other.run { Gadget(name: "Other") }
        let events = scene.phone.recorder.events
        let reports = Locked(0)
        scene.phone.device.observeHCI { direction, _, packet in
            // An event packet with an LE Advertising Report (Vol 4, Part E, 7.7.65.2) and its number of reports.
            guard direction == .toHost, packet.count > 4, packet[0] == 4, packet[1] == 0x3E, packet[3] == 2 else {
                return
            }
            reports { $0 += Int(packet[4]) }
        }
        scene.phone.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        await scene.world.run(for: .seconds(10))
        let discoveries = events.value.count { $0.hasPrefix("discover") }
        #expect(reports.value > 100, "two advertisers are heard many times in ten seconds")
        #expect(discoveries == reports.value)
        withExtendedLifetime(otherGadget) {}
    }

    @Test func row045_aCancelledLinkAnswersEachPendingCommandAtMostOnce() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        let commands = 6
        for _ in 0..<commands { peripheral.readValue(for: characteristics[0]) }
        peripheral.readRSSI()
        let before = scene.world.now
        scene.phone.manager.cancelPeripheralConnection(peripheral)
        #expect(scene.world.now == before, "the call does not wait for the link to end")
        #expect(peripheral.state == .disconnecting)

        _ = await scene.world.run(timeout: .seconds(5)) { [recorder = scene.phone.recorder] in
            recorder.events.value.contains { $0.hasPrefix("disconnect") }
        }
        await scene.world.run(for: .seconds(40))
        let events = scene.phone.newEvents()
        let end = try #require(events.firstIndex { $0.hasPrefix("disconnect 0") })
        #expect(end == events.endIndex - 1, "nothing follows the end of the link: \(events)")
        #expect(events[..<end].count { $0.hasPrefix("value") } <= commands)
        #expect(events[..<end].count { $0.hasPrefix("rssi") } <= 1)
        #expect(peripheral.state == .disconnected)
    }

    @Test func row061_connectionEventsFollowTheLinksOfTheAir() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.discover()
        let manager = scene.phone.manager
        manager.registerForConnectionEvents(options: [.serviceUUIDs: [Gadget.service]])
        manager.connect(peripheral)
        try await scene.wait("connectionEvent 1")
        scene.gadgetDevice.powerOff()
        try await scene.wait("connectionEvent 0")
        scene.gadgetDevice.powerOn()
        manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "1234")]])
        manager.connect(peripheral)
        try await scene.wait("connect 2")
        manager.registerForConnectionEvents(options: nil)
        manager.cancelPeripheralConnection(peripheral)
        try await scene.wait("disconnect 0")
        await scene.world.run(for: .seconds(1))
        #expect(!scene.phone.newEvents().contains { $0.hasPrefix("connectionEvent") })
    }

    @Test func row062_noFeatureIsSupportedBeforeOrAfterPoweredOn() async throws {
        let world = World(seed: 1)
        let device = world.addDevice("Phone")
        #expect(!CBCentralManager.supports(.extendedScanAndConnect))
        let phone = Phone(device)
        let recorder = phone.recorder
        let isOn = await world.run(timeout: .seconds(5)) { recorder.events.value.contains("state 5") }
        #expect(isOn && !CBCentralManager.supports(.extendedScanAndConnect))
    }

    @Test func row103_theSystemChoosesMTUAndParametersByItself() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.discover()
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
        scene.phone.manager.connect(peripheral)
        try await scene.wait("connect 2")
        // The program asked for nothing; ATT_MTU is more than the default of 23 octets (Vol 3, Part F, 3.2.8).
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) > 20)
    }
}
