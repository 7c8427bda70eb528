import BLESimulator
import CoreBluetooth
import Testing

/// Attributes that require trust, and what trusted devices remember of each other.
@Suite struct WorldTrustTests {
    @Test func row102_row122_theFirstWritePairsAndSucceeds() async throws {
        let scene = try await Scene()
        let secret = service("FEE8", [characteristic("AB01", .write, .writeEncryptionRequired)])
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.writeValue(Data([1]), for: characteristics[0], type: .withResponse)
        try await scene.wait("write")
        #expect(scene.phone.recorder.errors.value.isEmpty && scene.gadget.recorder.writes.value.count == 1)
    }

    @Test func row113_aStaticValueIsReadAfterThePairing() async throws {
        let scene = try await Scene()
        let secret = service("FEE8", [characteristic("AB01", .read, .readEncryptionRequired, value: Data([7]))])
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("value")
        #expect(characteristics[0].value == Data([7]))
    }

    @Test(arguments: [
        CBCharacteristicProperties([.notify, .notifyEncryptionRequired]), [.indicate, .indicateEncryptionRequired],
    ])
    func row123_theFirstSubscriptionPairsAndReturnsWithTheDevice(_ properties: CBCharacteristicProperties) async throws
    {
        let scene = try await Scene()
        let value = characteristic("AB01", properties, .readable)
        let secret = service("FEE8", [value])
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.setNotifyValue(true, for: characteristics[0])
        try await scene.wait("notifying true")
        #expect(value.subscribedCentrals?.count == 1)
        _ = scene.gadget.manager.updateValue(Data([5]), for: value, onSubscribedCentrals: nil)
        try await scene.wait("value")
        #expect(characteristics[0].value == Data([5]))

        scene.phone.manager.cancelPeripheralConnection(peripheral)
        try await scene.wait("disconnect")
        _ = await scene.world.run(timeout: .seconds(5)) { value.subscribedCentrals == nil }
        #expect(value.subscribedCentrals == nil)
        scene.phone.manager.connect(peripheral)
        try await scene.wait("connect")
        let isBack = await scene.world.run(timeout: .seconds(5)) { value.subscribedCentrals?.count == 1 }
        #expect(isBack, "the server remembers a trusted device")
    }

    /// What the phone finds on the second connection comes from its memory, and is the same.
    @Test func aTrustedDeviceIsDiscoveredFromMemoryWithTheSameResult() async throws {
        let scene = try await Scene()
        let secret = service("FEE8", [characteristic("AB01", .read, .readEncryptionRequired, value: Data([7]))])
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("value")
        var found: [[String]] = []
        for _ in 0..<3 {
            scene.phone.manager.cancelPeripheralConnection(peripheral)
            try await scene.wait("disconnect")
            scene.phone.manager.connect(peripheral)
            try await scene.wait("connect")
            peripheral.discoverServices(nil)
            try await scene.wait("services")
            var tree: [String] = []
            for service in peripheral.services ?? [] {
                peripheral.discoverCharacteristics(nil, for: service)
                try await scene.wait("characteristics")
                for characteristic in service.characteristics ?? [] {
                    tree.append("\(service.uuid) \(characteristic.uuid) \(characteristic.properties.rawValue)")
                }
            }
            found.append(tree)
        }
        #expect(found[0].count == 7 && found[0] == found[1] && found[1] == found[2])
    }
}
