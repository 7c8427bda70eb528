import BLESimulator
import CoreBluetooth
import TestConditions
import Testing

/// What goes over the attribute protocol for one call.
@Suite struct WorldProcedureTests {
    static let whole = Data((0..<512).map { UInt8(truncatingIfNeeded: $0 &* 11) })

    @Test func row077_aLongValueIsReadInParts() async throws {
        let scene = try await Scene()
        let long = service("FEE8", [characteristic("AB01", .read, .readable, value: Self.whole)])
        try await scene.publish(long)
        let (peripheral, characteristics) = try await scene.characteristics(in: long)
        let opcodes = await scene.attributeOpcodes(of: scene.phone.device)
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("value")
        #expect(characteristics[0].value == Self.whole)
        #expect(scene.phone.newEvents().isEmpty, "one callback")
        #expect(opcodes.value == [0x0A, 0x0C], "Read Request, then Read Blob Request")
    }

    @Test func row086_aLongWriteIsPreparedInParts() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        let opcodes = await scene.attributeOpcodes(of: scene.phone.device)
        let limit = peripheral.maximumWriteValueLength(for: .withoutResponse)
        peripheral.writeValue(Data(count: limit), for: characteristics[0], type: .withResponse)
        try await scene.wait("write")
        #expect(opcodes.value == [0x12], "Write Request")
        peripheral.writeValue(Self.whole, for: characteristics[0], type: .withResponse)
        try await scene.wait("write")
        #expect(scene.gadget.storeContent.value == Self.whole)
        #expect(opcodes.value == [0x12, 0x16, 0x16, 0x18], "Prepare Write Requests, then Execute Write Request")
    }

    @Test func row095_indicationsAreConfirmed() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        peripheral.setNotifyValue(true, for: characteristics[4])
        try await scene.wait("notifying true")
        let sent = await scene.attributeOpcodes(of: scene.phone.device)
        let gadget = scene.gadget
        for number in 0..<3 as Range<UInt8> {
            #expect(gadget.manager.updateValue(Data([number]), for: gadget.alarm, onSubscribedCentrals: nil))
        }
        try await scene.wait("value [2]")
        await scene.world.run(for: .seconds(1))
        #expect(sent.value.filter { $0 == 0x1E }.count == 3, "Handle Value Confirmations")
    }

    @Test func anIndicationForTwoManagersIsConfirmedOnce() async throws {
        let scene = try await Scene()
        let other = Phone(beside: scene.phone)
        try await scene.wait("state 5", on: other)
        let peripherals = [try await scene.connect(), try await scene.connect(on: other)]
        for (peripheral, phone) in zip(peripherals, [scene.phone, other]) {
            let characteristics = try await scene.characteristics(of: peripheral, on: phone)
            peripheral.setNotifyValue(true, for: characteristics[4])
            try await scene.wait("notifying true", on: phone)
        }
        let sent = await scene.attributeOpcodes(of: scene.phone.device)
        let gadget = scene.gadget
        for number in 0..<3 as Range<UInt8> {
            #expect(gadget.manager.updateValue(Data([number]), for: gadget.alarm, onSubscribedCentrals: nil))
        }
        for phone in [scene.phone, other] { try await scene.wait("value [2]", on: phone) }
        await scene.world.run(for: .seconds(1))
        #expect(sent.value.filter { $0 == 0x1E }.count == 3, "Handle Value Confirmations")
    }

    @Test func row147_theClientConfigurationSelectsNotificationOrIndication() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        for index in [1, 4] {
            peripheral.setNotifyValue(true, for: characteristics[index])
            try await scene.wait("notifying true")
        }
        let sent = await scene.attributeOpcodes(of: scene.gadgetDevice)
        #expect(scene.gadget.manager.updateValue(Data([1]), for: scene.gadget.stream, onSubscribedCentrals: nil))
        try await scene.wait("value [1]")
        #expect(scene.gadget.manager.updateValue(Data([2]), for: scene.gadget.alarm, onSubscribedCentrals: nil))
        try await scene.wait("value [2]")
        #expect(sent.value == [0x1B, 0x1D], "Handle Value Notification, then Indication")
    }

    @Test func row145_aLongUpdateIsTruncated() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        peripheral.setNotifyValue(true, for: characteristics[1])
        try await scene.wait("notifying true")
        await scene.gadgetHasSubscriber()
        let limit = try #require(scene.gadget.recorder.centrals.value.first?.maximumUpdateValueLength)
        let value = Data((0...limit).map { UInt8(truncatingIfNeeded: $0) })
        #expect(scene.gadget.manager.updateValue(value, for: scene.gadget.stream, onSubscribedCentrals: nil))
        try await scene.wait("value")
        #expect(characteristics[1].value == value.prefix(limit))
    }

    @Test func row114_aDynamicValueIsRequestedForEachRead() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        for number in 1...2 as ClosedRange<UInt8> {
            scene.gadget.storeContent { $0 = Data([number]) }
            peripheral.readValue(for: characteristics[0])
            try await scene.wait("value [\(number)]")
        }
        #expect(scene.gadget.recorder.reads.value.count == 2)
    }

    @Test func row116_theHostAddsTheClientConfiguration() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        let expected = [["2901"], ["2902"], [], [], ["2902"], []]
        for (characteristic, uuids) in zip(characteristics, expected) {
            peripheral.discoverDescriptors(for: characteristic)
            try await scene.wait("descriptors \(uuids)")
        }
        #expect(scene.gadget.stream.descriptors == nil, "the program's object does not change")
    }

    @Test func row104_aRequestPendingAtTheDisconnectionHasNoCallback() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        peripheral.readValue(for: characteristics[0])
        scene.gadgetDevice.remove()
        try await scene.wait("disconnect 0 CBErrorDomain \(PhonePath.lossCode)")
        await scene.rest(for: .seconds(40))
        #expect(scene.phone.newEvents().isEmpty && scene.phone.recorder.errors.value.count == 1)
    }

    /// The claim is the absence of an interface, so the test reads the declarations of the module's sources.
    @Test func row103_noPublicDeclarationStartsPairingOrReadsTheMTU() throws {
        let folder = projectRoot.appending(path: "Sources/CoreBluetooth/CoreBluetooth")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path))
        let declaration = /\b(?:open|public)\b.*\b(?:func|var|let)\s+(\w+)/
        let words = ["pair", "bond", "mtu", "phy", "interval", "connectionparameter"]
        var count = 0
        for case let path as String in files where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            for match in text.matches(of: declaration) {
                count += 1
                let name = match.1.lowercased()
                // Names of errors about pairing, which a program receives and cannot cause.
                if ["peerremovedpairinginformation", "toomanylepaireddevices"].contains(name) { continue }
                #expect(!words.contains { name.contains($0) }, "\(match.1) in \(path)")
            }
        }
        #expect(count > 200)
    }
}
