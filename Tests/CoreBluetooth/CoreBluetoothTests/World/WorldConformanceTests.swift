import BLEAdapter
import BLEController
import BLEHostAdapter
import BLESimulator
import CoreBluetooth
import Testing

/// Rows of the conformance table whose proof needs two hosts, two controllers and the air.
@Suite struct WorldConformanceTests {
    @Test(arguments: [UInt64(1), 2, 3])
    func row023_allowDuplicatesGivesOneCallbackForEachReceivedPacket(seed: UInt64) async throws {
        let scene = try await Scene(seed: seed)
        // A second advertiser, so that the count is not that of one device.
        let other = scene.world.addDevice("Other", at: Position(x: 2))
        let otherGadget = other.run { Gadget(name: "Other") }
        let events = scene.phone.recorder.events
        let reports = Locked(0)
        let packets = Locked(0)
        // The gadget is the first device of the world, the phone the second one.
        let receiver = ControllerIdentifier(rawValue: 1)
        scene.world.observeAir { packet, _ in
            // ADV_IND, ADV_NONCONN_IND, SCAN_RSP and ADV_SCAN_IND (Vol 6, Part B, 2.3).
            guard packet.channel >= 37, [0, 2, 4, 6].contains(packet.pdu[0] & 0x0F) else { return }
            if packet.receptions.contains(where: { $0.receiver == receiver && $0.outcome == .received }) {
                packets { $0 += 1 }
            }
        }
        scene.phone.device.observeHCI { direction, _, packet in
            // An event packet with an LE Advertising Report or LE Extended Advertising Report (Vol 4, Part E, 7.7.65.2 and
            // 7.7.65.13) and its number of reports.
            guard direction == .toHost, packet.count > 4, packet[0] == 4, packet[1] == 0x3E,
                packet[3] == 0x02 || packet[3] == 0x0D
            else { return }
            reports { $0 += Int(packet[4]) }
        }
        scene.phone.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        await scene.world.run(for: .seconds(10))
        let discoveries = events.value.count { $0.hasPrefix("discover") }
        #expect(packets.value > 100, "the phone receives two advertisers many times in ten seconds")
        #expect(reports.value == packets.value, "the controller reports each packet of the air")
        #expect(discoveries == packets.value, "the delegate receives each packet of the air")
        withExtendedLifetime(otherGadget) {}
    }

    @Test func row045_aCancelledLinkAnswersEachPendingCommandAtMostOnce() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        let commands = 6
        for _ in 0..<commands { peripheral.readValue(for: characteristics[0]) }
        peripheral.readRSSI()
        scene.phone.manager.cancelPeripheralConnection(peripheral)
        #expect(peripheral.state == .disconnecting)
        #expect(
            !scene.phone.events.contains { $0.hasPrefix("disconnect") }, "the call returns before the end of the link")

        _ = await scene.world.run(timeout: .seconds(5)) { [recorder = scene.phone.recorder] in
            recorder.events.value.contains { $0.hasPrefix("disconnect") }
        }
        await scene.rest(for: .seconds(40))
        let events = scene.phone.newEvents()
        let end = try #require(events.firstIndex { $0.hasPrefix("disconnect 0") })
        #expect(end == events.endIndex - 1, "nothing follows the end of the link: \(events)")
        #expect(events[..<end].count { $0.hasPrefix("value") } <= commands)
        #expect(events[..<end].count { $0.hasPrefix("rssi") } <= 1)
        #expect(peripheral.state == .disconnected)
    }

    @Test func row061_connectionEventsFollowLinksOnTheAir() async throws {
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

    @Test func row062_featuresAreThoseOfTheControllerOncePoweredOn() async throws {
        let world = World(seed: 1)
        let device = world.addDevice("Phone")
        let features = Locked<[UInt8]?>(nil)
        device.observeHCI { direction, _, packet in
            // Command Complete of LE Read Local Supported Features: 7 octets up to the status, 8 octets of features (Vol 4, Part E,
            // 7.8.3).
            guard direction == .toHost, packet.count == 15, packet[1] == 0x0E, packet[4] == 0x03, packet[5] == 0x20
            else { return }
            let octets = (7..<15).map { packet[$0] }
            features { $0 = octets }
        }
        let phone = Phone(device)
        let recorder = phone.recorder
        #expect(await world.run(timeout: .seconds(5)) { recorder.events.value.contains("state 5") })
        let octets = try #require(features.value)
        // Bit 12: LE Extended Advertising (Vol 6, Part B, 4.6).
        let hasExtendedAdvertising = octets[1] & 0x10 != 0
        device.run { #expect(CBCentralManager.supports(.extendedScanAndConnect) == hasExtendedAdvertising) }
    }

    @Test func row103_theHostChoosesMTUAndConnectionParameters() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.discover()
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
        scene.phone.manager.connect(peripheral)
        try await scene.wait("connect 2")
        // The program requested nothing; the ATT_MTU is above the default of 23 octets (Vol 3, Part F, 3.2.8).
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) > 20)
    }
}
