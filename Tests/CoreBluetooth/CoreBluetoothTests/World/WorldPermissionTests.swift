import BLEAdapter
import BLEHostAdapter
import BLESecurity
import BLESimulator
import CoreBluetooth
import Testing

/// Attributes that require an encrypted link, of a gadget that refuses to pair. The program at the other end receives the
/// error that Apple's framework gives when pairing has failed.
@Suite struct WorldPermissionTests {
    /// Authentication is insufficient, or encryption is.
    static let refusals = ["CBATTErrorDomain 5", "CBATTErrorDomain 15"]

    private func refusal(_ prefix: String, in scene: Scene) async throws {
        let recorder = scene.phone.recorder
        _ = await scene.world.run(timeout: .seconds(40)) { recorder.events.value.contains { $0.hasPrefix(prefix) } }
        let events = scene.phone.newEvents()
        #expect(events.count == 1)
        #expect(Self.refusals.contains { events.first == "\(prefix) \($0)" }, "\(events)")
        let texts = ["Authentication is insufficient.", "Encryption is insufficient."]
        #expect(texts.contains(try #require(recorder.errors.value.last).localizedDescription))
    }

    @Test func row102_row122_withoutPairingAnEncryptedReadFails() async throws {
        let scene = try await Scene()
        scene.gadgetDevice.refusePairing()
        let secret = service("FEE8", [characteristic("AB01", .read, .readEncryptionRequired)])
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.readValue(for: characteristics[0])
        try await refusal("value []", in: scene)
        #expect(scene.gadget.recorder.reads.value.isEmpty, "the program at the other end is not asked")
        #expect(peripheral.state == .connected)
    }

    @Test func row102_row122_withoutPairingAnEncryptedWriteFails() async throws {
        let scene = try await Scene()
        scene.gadgetDevice.refusePairing()
        let secret = service("FEE8", [characteristic("AB01", .write, .writeEncryptionRequired)])
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.writeValue(Data([1]), for: characteristics[0], type: .withResponse)
        try await refusal("write", in: scene)
        #expect(scene.gadget.recorder.writes.value.isEmpty)
    }

    @Test func row113_aStaticValueMayRequireEncryption() async throws {
        let scene = try await Scene()
        scene.gadgetDevice.refusePairing()
        let secret = service("FEE8", [characteristic("AB01", .read, .readEncryptionRequired, value: Data([7]))])
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.readValue(for: characteristics[0])
        try await refusal("value []", in: scene)
    }

    @Test(arguments: [
        CBCharacteristicProperties([.notify, .notifyEncryptionRequired]), [.indicate, .indicateEncryptionRequired],
    ])
    func row123_withoutPairingAnEncryptedSubscriptionFails(_ properties: CBCharacteristicProperties) async throws {
        let scene = try await Scene()
        scene.gadgetDevice.refusePairing()
        let value = characteristic("AB01", properties, .readable)
        let secret = service("FEE8", [value])
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.setNotifyValue(true, for: characteristics[0])
        try await refusal("notifying false", in: scene)
        #expect(value.subscribedCentrals == nil && !scene.gadget.events.contains { $0.hasPrefix("subscribe") })
    }
}

extension VirtualDevice {
    /// The device answers Pairing Not Supported from now on.
    func refusePairing() {
        var policy = PairingPolicy()
        policy.isPairable = false
        adapter.openPairing(observer: SilentTool()).setPolicy(policy)
    }
}
