import BLEAdapter
import BLESecurity
import BLESimulator
import BluetoothPairing
import CoreBluetooth
import Foundation
import TestConditions
import Testing

/// Pairings of two devices of a world, with agents that answer for their users.
@Suite(.timeLimit(.minutes(10))) struct PairingTests {
    @Test func devicesWithoutAgentsPairWithoutAuthentication() async throws {
        let scene = PairingScene(lock: nil)
        let security = try await scene.pair().get()
        #expect(security.level == .encrypted && security.keySize == 16)
        #expect(security.usesSecureConnections && security.isBonded && !security.isAuthenticated)

        let bond = try #require(scene.phonePairing.bonds.first)
        #expect(scene.phonePairing.bonds.count == 1 && scene.lockPairing.bonds.count == 1)
        #expect(bond.identifier == scene.central.peripheral.withLock { $0?.identifier })
        #expect(bond.name == "Lock" && bond.security == security && !bond.usesDebugKeys)
    }

    @Test func theUserEntersThePasskeyThatTheOtherDeviceDisplays() async throws {
        let scene = PairingScene(lock: .displaysPasskey) { .entersPasskey(shownBy: $0) }
        let security = try await scene.pair(minimum: .authenticated).get()
        #expect(security.level == .secureConnections && security.isAuthenticated)
        #expect(scene.lock.agent?.results == [.success(security)])
        #expect(scene.phone.agent?.results == [.success(security)])
        #expect(scene.lock.agent?.displayedPasskey == nil, "the display is cleared")
    }

    @Test func aWrongPasskeyFailsAndKeepsNoKeys() async throws {
        let scene = PairingScene(lock: .displaysPasskey) { _ in .enters("1") }
        let ending = try await scene.pair()
        #expect(ending.code == .wrongPasskey || ending.code == .checkFailed)
        #expect(scene.phonePairing.bonds.isEmpty && scene.lockPairing.bonds.isEmpty)
        #expect(scene.lock.agent?.results.count == 1)
    }

    @Test func usersCompareTheNumbersOfBothDevices() async throws {
        let scene = PairingScene(lock: .confirms) { _ in .confirms }
        #expect(try await scene.pair().get().level == .secureConnections)
    }

    @Test func aRejectedComparisonFails() async throws {
        let scene = PairingScene(lock: .rejects) { _ in .confirms }
        let ending = try await scene.pair()
        #expect(ending.code == .comparisonFailed)
        #expect(scene.phonePairing.bonds.isEmpty && scene.lockPairing.bonds.isEmpty)
    }

    @Test func anAgentRefusesAPairing() async throws {
        let scene = PairingScene(lock: .refuses)
        guard case .failure(let error) = try await scene.pair() else {
            Issue.record("the lock paired")
            return
        }
        #expect(error.isFromPeer)
        #expect(scene.lockPairing.bonds.isEmpty)
    }

    @Test func aProtectionThatTheCapabilitiesDoNotAllowFails() async throws {
        let scene = PairingScene(lock: .justWorks)
        let ending = try await scene.pair(minimum: .authenticated)
        #expect(ending.code == .authenticationRequirements)
        #expect(scene.phonePairing.bonds.isEmpty)
    }

    @Test func requirementsRefuseAPairingWithoutAuthentication() async throws {
        let scene = PairingScene(lock: nil)
        var requirements = PairingRequirements()
        requirements.allowsJustWorks = false
        scene.lockPairing.setRequirements(requirements)
        #expect(try await scene.pair().code == .authenticationRequirements)

        requirements = PairingRequirements()
        requirements.isPairable = false
        scene.lockPairing.setRequirements(requirements)
        #expect(try await scene.pair().code == .notSupported)
    }

    @Test func aProgramCancelsAPairing() async throws {
        // The lock's user does nothing.
        let prompts = Lock<[PairingPrompt]>([])
        let scene = PairingScene(
            lock: ScriptedAgent(.noInputNoOutput) { prompt in prompts.withLock { $0.append(prompt) } })
        let identifier = try await scene.connect()
        let ending = Lock<PairingScene.Ending?>(nil)
        scene.phonePairing.pair(identifier) { result in ending.withLock { $0 = result } }
        try #require(await scene.world.run(timeout: .seconds(5), until: { !prompts.withLock { $0 }.isEmpty }))
        scene.phonePairing.cancelPairing(with: identifier)
        try #require(await scene.world.run(timeout: .seconds(5), until: { ending.withLock { $0 } != nil }))
        #expect(ending.withLock { $0 }?.code == .cancelled)
        await scene.world.run(for: .seconds(1))
        #expect(scene.lock.agent?.results.count == 1, "the other device knows")
        // A late answer has no effect.
        if case .accept(let request) = prompts.withLock({ $0[0] }) { request.accept() }
        await scene.world.run(for: .seconds(5))
        #expect(scene.lockPairing.bonds.isEmpty && scene.phonePairing.bonds.isEmpty)
    }

    @Test func cancellingTheTaskCancelsThePairing() async throws {
        let prompts = Lock(0)
        let scene = PairingScene(lock: ScriptedAgent(.noInputNoOutput) { _ in prompts.withLock { $0 += 1 } })
        let identifier = try await scene.connect()
        let pairing = Task { try await scene.phonePairing.pair(identifier) }
        try #require(
            await eventually {
                await scene.world.run(for: .milliseconds(10))
                return prompts.withLock { $0 } > 0
            })
        pairing.cancel()
        let isOver = Lock(false)
        let end = Task {
            let result = await pairing.result
            isOver.withLock { $0 = true }
            return result
        }
        try #require(
            await eventually {
                await scene.world.run(for: .milliseconds(10))
                return isOver.withLock { $0 }
            })
        await #expect(throws: PairingError.self) { try await end.value.get() }
        do {
            _ = try await end.value.get()
        } catch let error as PairingError {
            #expect(error.code == .cancelled)
        }
    }

    @Test func aManagerThatIsReleasedAnswersItsCalls() async throws {
        let ending = Lock<PairingScene.Ending?>(nil)
        let scene = PairingScene(lock: ScriptedAgent(.noInputNoOutput) { _ in })
        let identifier = try await scene.connect()
        do {
            let manager = scene.phone.run { PairingManager(queue: DispatchQueue(label: "short")) }
            manager.pair(identifier) { result in ending.withLock { $0 = result } }
        }
        try #require(await scene.world.run(timeout: .seconds(1), until: { ending.withLock { $0 } != nil }))
        #expect(ending.withLock { $0 }?.code == .cancelled)
    }

    @Test func aDeviceThatIsNotConnectedCannotPair() async throws {
        let scene = PairingScene(lock: nil)
        let ending = Lock<PairingScene.Ending?>(nil)
        scene.phonePairing.pair(UUID()) { result in ending.withLock { $0 = result } }
        try #require(await scene.world.run(timeout: .seconds(1), until: { ending.withLock { $0 } != nil }))
        #expect(ending.withLock { $0 }?.code == .disconnected)
    }

    /// The phone sends the last key, and has to wait for its acknowledgement (Vol 3, Part H, 3.6.1).
    @Test func aProgramThatDisconnectsAtOnceLeavesBothDevicesTheirKeys() async throws {
        let scene = PairingScene(lock: nil)
        let identifier = try await scene.connect()
        scene.phonePairing.pair(identifier) { _ in
            scene.central.peripheral.withLock { lock in
                if let lock { scene.central.manager.cancelPeripheralConnection(lock) }
            }
        }
        try #require(
            await scene.world.run(timeout: .seconds(5), until: { !scene.central.isConnected.withLock { $0 } }))
        await scene.world.run(for: .seconds(1))
        #expect(scene.phonePairing.bonds.count == 1 && scene.lockPairing.bonds.count == 1)
    }

    /// Pairing Failed leaves before the end of the link, so the user of the other device learns the reason.
    @Test func aProgramThatDisconnectsAfterAFailureLeavesThePeerTheReason() async throws {
        let scene = PairingScene(lock: .displaysPasskey, phone: { _ in .enters("000001") })
        let identifier = try await scene.connect()
        let ending = Lock<PairingScene.Ending?>(nil)
        let central = scene.central
        scene.phonePairing.pair(identifier, minimum: .authenticated) { result in
            ending.withLock { $0 = result }
            if let peripheral = central.peripheral.withLock({ $0 }) {
                central.manager.cancelPeripheralConnection(peripheral)
            }
        }
        try #require(
            await scene.world.run(
                timeout: .seconds(60),
                until: { ending.withLock { $0 } != nil && !central.isConnected.withLock { $0 } }))
        let other = try #require(scene.lock.agent?.results.first)
        let codes = [ending.withLock { $0?.code }, other.code]
        #expect(codes == [.wrongPasskey, .wrongPasskey], "\(codes)")
        #expect(scene.lock.agent?.results.count == 1)
    }

    @Test func unpairingDeletesTheKeysAndEndsTheLink() async throws {
        let scene = PairingScene(lock: nil)
        _ = try await scene.pair().get()
        let identifier = try #require(scene.phonePairing.bonds.first?.identifier)
        for expected in [true, false] {
            let removal = Lock<Bool?>(nil)
            scene.phonePairing.unpair(identifier) { isRemoved in removal.withLock { $0 = isRemoved } }
            try #require(await scene.world.run(timeout: .seconds(1), until: { removal.withLock { $0 } != nil }))
            #expect(removal.withLock { $0 } == expected)
        }
        #expect(scene.phonePairing.bonds.isEmpty && scene.phone.adapter.store.bonds.bonds.isEmpty)
        #expect(
            await scene.world.run(timeout: .seconds(5), until: { !scene.central.isConnected.withLock { $0 } }))
    }

    @Test func aDeviceWithoutItsKeysIsNotPairedAgainByItself() async throws {
        let scene = PairingScene(lock: nil)
        _ = try await scene.pair().get()
        let phone = try #require(scene.lockPairing.bonds.first?.identifier)
        scene.lockPairing.unpair(phone) { _ in }
        try #require(
            await scene.world.run(timeout: .seconds(5), until: { !scene.central.isConnected.withLock { $0 } }))
        #expect(scene.phonePairing.bonds.count == 1 && scene.lockPairing.bonds.isEmpty)
        scene.central.peripheral.withLock { if let lock = $0 { scene.central.manager.connect(lock) } }
        await scene.world.run(for: .seconds(20))
        #expect(scene.lockPairing.bonds.isEmpty)
    }

    @Test func aBondSurvivesARestart() async throws {
        let scene = PairingScene(lock: nil)
        let security = try await scene.pair().get()
        let memory = scene.phone.memory.copy()
        scene.phone.remove()
        let phone = scene.world.addDevice("Phone", memory: memory)
        let pairing = phone.run { PairingManager(queue: DispatchQueue(label: "pairing")) }
        #expect(pairing.bonds.map(\.security) == [security])
        #expect(pairing.bonds.map(\.name) == ["Lock"])
    }

    @Test func anAgentThatIsRemovedAnswersNothing() async throws {
        let scene = PairingScene(lock: nil)
        let agent = ScriptedAgent.refuses
        scene.lockPairing.setAgent(agent)
        scene.lockPairing.setAgent(nil)
        _ = try await scene.pair().get()
        #expect(agent.results.isEmpty)
    }

    @Test func equalSeedsGiveEqualPairings() async throws {
        func passkey() async throws -> String {
            let shown = Lock("")
            let scene = PairingScene(
                seed: 7,
                lock: ScriptedAgent(.displayOnly) { prompt in
                    switch prompt {
                    case .accept(let request): request.accept()
                    case .display(let display): shown.withLock { $0 = display.digits }
                    default: break
                    }
                }
            ) { _ in .enters("000000") }
            _ = try await scene.pair()
            return shown.withLock { $0 }
        }
        let first = try await passkey()
        #expect(first.count == 6 && first.allSatisfy(\.isNumber))
        #expect(try await passkey() == first)
    }

    @Test func aPromptHidesThePasskey() async throws {
        let text = Lock<(digits: String, text: String)>(("", ""))
        let scene = PairingScene(
            lock: ScriptedAgent(.displayOnly) { prompt in
                if case .accept(let request) = prompt { return request.accept() }
                guard case .display(let display) = prompt else { return }
                var dumped = ""
                dump(prompt, to: &dumped)
                dump(display, to: &dumped)
                let all = "\(dumped) \(prompt) \(display) \(String(reflecting: prompt)) \(String(reflecting: display))"
                text.withLock { $0 = (display.digits, all) }
            }
        ) { _ in .enters("000000") }
        _ = try await scene.pair()
        let (digits, all) = text.withLock { $0 }
        #expect(digits.count == 6)
        #expect(!all.contains(digits) && !all.contains(String(Int(digits) ?? -1)))
    }

    @Test func anAdapterWithoutPairingRefuses() async throws {
        let pairing = PairingManager(adapter: BareAdapter(), queue: DispatchQueue(label: "pairing"))
        #expect(pairing.bonds.isEmpty)
        #expect(await !pairing.unpair(UUID()))
        await #expect(throws: PairingError.self) { try await pairing.pair(UUID()) }
    }

    /// An adapter with the default pairing session.
    private final class BareAdapter: BluetoothAdapter {
        func openCentral(observer: any CentralObserver) -> any CentralSession { fatalError("not used") }
        func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession { fatalError("not used") }
    }
}
