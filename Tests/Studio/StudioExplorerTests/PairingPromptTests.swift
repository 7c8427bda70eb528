import BLEAdapter
import BLESimulator
import BluetoothPairing
import CoreBluetooth
import Foundation
import Testing

@testable import StudioExplorer

struct PairingPromptTests {
    /// A lock with a characteristic that needs an authenticated link.
    private func scene(_ agent: ScriptedAgent) -> ExplorerScene {
        let scene = ExplorerScene()
        let lock = scene.world.addDevice("Lock", at: Position(x: 1), agent: agent)
        let service = CBMutableService(type: CBUUID(string: "FF00"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "FF01"), properties: [.read], value: Data([42]),
                permissions: [.readEncryptionRequired])
        ]
        // The device keeps its agent.
        scene.programs.append(lock)
        scene.programs.append(TestPeripheral("Lock", [service], on: lock, queue: scene.queue))
        return scene
    }

    @Test func thePasskeyOfTheOtherDeviceIsEntered() async throws {
        let display = ScriptedAgent.displaysPasskey
        let scene = scene(display)
        let lock = try await scene.open("Lock")
        try scene.perform(.pair(device: lock, .authenticated))
        try #require(await scene.run(until: { !$0.prompts.isEmpty }))
        let prompt = scene.state.prompts[0]
        #expect(prompt.kind == .enter && prompt.digits == nil && prompt.device == lock.uuidString)
        #expect(scene.failure(of: .answer(prompt: prompt.id, accepts: true, passkey: "12345678")) == "passkey")
        try scene.perform(.answer(prompt: prompt.id, accepts: true, passkey: display.displayedPasskey))
        try #require(await scene.run(until: { $0.devices[0].securityLevel != nil }))
        let state = scene.state
        #expect(state.devices[0].isBonded && state.devices[0].securityLevel == 4 && state.prompts.isEmpty)
        #expect(!scene.read { $0.log.text }.contains(display.displayedPasskey ?? "no passkey is displayed"))
        try scene.perform(.unpair(device: lock))
        #expect(await scene.run(until: { !$0.devices[0].isBonded }))
    }

    @Test func aWrongPasskeyIsSaid() async throws {
        let display = ScriptedAgent.displaysPasskey
        let scene = scene(display)
        let lock = try await scene.open("Lock")
        try scene.perform(.pair(device: lock, .authenticated))
        try #require(await scene.run(until: { !$0.prompts.isEmpty }))
        let passkey = try #require(display.displayedPasskey.flatMap { Int($0) })
        try scene.perform(
            .answer(prompt: scene.state.prompts[0].id, accepts: true, passkey: "\((passkey + 1) % 1_000_000)"))
        try #require(await scene.run(until: { !$0.devices[0].isPairing }))
        #expect(
            scene.read {
                $0.log.entries.contains { $0.key == "pairing-failed" && $0.text.description.contains("passkeys") }
            })
        #expect(scene.state.devices[0].securityLevel == nil && !scene.state.devices[0].isBonded)
    }

    @Test func theNumbersOfBothDevicesAreCompared() async throws {
        let scene = scene(.confirms)
        let lock = try await scene.open("Lock")
        try scene.perform(.pair(device: lock, .secureConnections))
        try #require(await scene.run(until: { !$0.prompts.isEmpty }))
        let prompt = scene.state.prompts[0]
        #expect(prompt.kind == .compare && prompt.digits?.count == 6)
        try scene.perform(.answer(prompt: prompt.id, accepts: true, passkey: nil))
        #expect(await scene.run(until: { $0.devices[0].securityLevel == 4 }))
        #expect(scene.failure(of: .answer(prompt: prompt.id, accepts: true, passkey: nil)) == "unknown-prompt")
    }

    @Test func thePasskeyForTheOtherDeviceIsShown() async throws {
        let entry = Lock<PasskeyEntry?>(nil)
        let scene = scene(
            ScriptedAgent(.keyboardOnly) { prompt in
                switch prompt {
                case .accept(let request): request.accept()
                case .enter(let asked): entry.withLock { $0 = asked }
                default: break
                }
            })
        let lock = try await scene.open("Lock")
        try scene.perform(.pair(device: lock, .authenticated))
        try #require(await scene.run(until: { _ in entry.withLock { $0 != nil } }))
        try #require(await scene.run(until: { !$0.prompts.isEmpty }))
        let prompt = scene.state.prompts[0]
        #expect(prompt.kind == .display)
        let digits = try #require(prompt.digits)
        entry.withLock { _ = $0?.enter(digits) }
        #expect(await scene.run(until: { $0.devices[0].securityLevel == 4 && $0.prompts.isEmpty }))
    }

    @Test func anEncryptedValueAsksForAPairing() async throws {
        let scene = scene(.confirms)
        let lock = try await scene.open("Lock")
        try scene.perform(.read(device: lock, attribute: "1.1"))
        try #require(await scene.run(until: { !$0.prompts.isEmpty }))
        try scene.perform(.answer(prompt: scene.state.prompts[0].id, accepts: false, passkey: nil))
        try #require(
            await scene.run(.seconds(60), until: { $0.devices[0].services.first?.characteristics[0].error != nil }))
        #expect(scene.read { $0.log.entries.contains { $0.key == "read-failed" } })
    }
}
