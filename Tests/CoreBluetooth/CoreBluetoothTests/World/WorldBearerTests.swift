import BLEAdapter
import BLESimulator
import CoreBluetooth
import Testing

/// Enhanced ATT bearers below the managers: a program cannot tell that they are there.
@Suite struct WorldBearerTests {
    /// The callbacks of a phone on an encrypted link.
    private struct Log {
        var answers: [String] = []
        var notifications: [String] = []
        /// The Read Requests on enhanced bearers (L2CAP channels from 0x0040 on).
        var enhancedReads = 0
    }

    private func isNotified(_ event: String) -> Bool { event.hasPrefix("value [1, ") || event.hasPrefix("value [2, ") }

    /// Makes many calls at once while the gadget sends values, with this number of bearers on both sides.
    private func log(bearers: Int) async throws -> Log {
        var platform = Platform()
        platform.enhancedBearers = bearers
        let scene = try await Scene(platform: platform, gadgetPlatform: platform)
        let secret = service("FEE8", [characteristic("AB01", .read, .readEncryptionRequired, value: Data([9]))])
        try await scene.publish(secret)
        let (peripheral, secrets) = try await scene.characteristics(in: secret)
        peripheral.readValue(for: secrets[0])
        try await scene.wait("value [9]")
        let all = try await scene.characteristics(of: peripheral)
        let (store, stream, fixed, drain, alarm, locked) = (all[0], all[1], all[2], all[3], all[4], all[5])
        // The hosts open their bearers.
        await scene.world.run(for: .seconds(10))
        _ = scene.phone.newEvents()
        let enhancedReads = Locked(0)
        scene.phone.device.observeHCI { direction, _, packet in
            // An ACL packet with the length of an SDU and ATT_READ_REQ.
            guard direction == .toController, packet.count > 11, packet[0] == 2, packet[2] >> 4 & 3 != 1,
                packet[7] >= 0x40, packet[11] == 0x0A
            else { return }
            enhancedReads { $0 += 1 }
        }
        let gadget = scene.gadget
        scene.phone.recorder.onEvent { handler in
            var isFirst = true
            handler = { event in
                guard event == "notifying true", isFirst else { return }
                isFirst = false
                gadget.send((0..<40).map { Data([1, $0]) })
            }
        }
        peripheral.readValue(for: store)
        peripheral.readValue(for: fixed)
        peripheral.readValue(for: secrets[0])
        peripheral.writeValue(Data([30]), for: store, type: .withResponse)
        peripheral.readValue(for: store)
        peripheral.setNotifyValue(true, for: stream)
        for _ in 0..<8 {
            peripheral.readValue(for: fixed)
            peripheral.readValue(for: secrets[0])
        }
        peripheral.writeValue(Data([31]), for: locked, type: .withResponse)
        peripheral.discoverDescriptors(for: store)
        // In parts.
        peripheral.writeValue(WorldProcedureTests.whole, for: store, type: .withResponse)
        peripheral.readValue(for: store)
        peripheral.setNotifyValue(true, for: alarm)
        peripheral.writeValue(Data([32]), for: drain, type: .withResponse)
        peripheral.readValue(for: locked)
        peripheral.discoverIncludedServices(nil, for: try #require(store.service))
        for number in 40..<60 as Range<UInt8> {
            peripheral.writeValue(Data([number]), for: store, type: .withResponse)
            peripheral.readValue(for: store)
            peripheral.readValue(for: secrets[0])
        }
        peripheral.setNotifyValue(false, for: stream)
        peripheral.readValue(for: fixed)
        await scene.world.run(for: .seconds(20))
        // Indications, and reads beside them.
        for number in 0..<3 as Range<UInt8> {
            #expect(gadget.manager.updateValue(Data([2, number]), for: gadget.alarm, onSubscribedCentrals: nil))
            peripheral.readValue(for: fixed)
        }
        await scene.world.run(for: .seconds(5))
        let events = scene.phone.newEvents()
        return Log(
            answers: events.filter { !isNotified($0) }, notifications: events.filter { isNotified($0) },
            enhancedReads: enhancedReads.value)
    }

    /// The answers come in the order of the calls, and the values of a characteristic in the order of the sender.
    @Test func theOrderOfCallbacksIsThatWithoutBearers() async throws {
        let plain = try await log(bearers: 0)
        #expect(plain.enhancedReads == 0)
        let hello = "value \([UInt8]("hello".utf8))"
        let whole = "value \([UInt8](WorldProcedureTests.whole))"
        let reads = (0..<8).flatMap { _ in [hello, "value [9]"] }
        var expected = ["value []", hello, "value [9]", "write", "value [30]", "notifying true"] + reads
        expected += [
            "write CBATTErrorDomain 3", "descriptors [\"2901\"]", "write", whole, "notifying true", "write", whole,
            "included []",
        ]
        expected += (40..<60).flatMap { ["write", "value [\($0)]", "value [9]"] }
        expected += ["notifying false", hello, hello, hello, hello]
        #expect(plain.answers == expected)
        #expect(
            plain.notifications == (0..<40).map { "value [1, \($0)]" }
                + (0..<3).map { "value [2, \($0)]" })
        for bearers in [1, 2, 5] {
            let log = try await log(bearers: bearers)
            #expect(log.answers == plain.answers && log.notifications == plain.notifications, "\(bearers)")
            #expect(log.enhancedReads > 20, "\(bearers)")
        }
    }
}
