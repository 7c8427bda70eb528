import BLEAdapter
import BLESimulator
import BluetoothPairing
import CoreBluetooth
import Foundation
import Testing

@testable import bluelab

/// A session without a process.
@Suite(.timeLimit(.minutes(10))) @MainActor struct DeviceSessionRealTimeTests {
    /// A lock that displays passkeys, and a session that is connected to it.
    private func withSession(
        _ body: @MainActor (DeviceSession, PairingManager, _ lock: VirtualDevice) async throws -> Void
    ) async throws {
        let world = World(seed: 1, pace: .realTime)
        let user = ScriptedAgent(.displayOnly) { if case .accept(let request) = $0 { request.accept() } }
        let lock = world.addDevice("Lock", at: Position(x: 1), agent: user)
        let phone = world.addDevice("Phone")
        let advertiser = lock.run { LockAdvertiser() }
        let client = phone.run { CentralClient() }
        let pairing = phone.run { PairingManager() }
        world.start()
        defer { world.stop() }
        let session = DeviceSession(client, reconnects: true)
        try await session.connect(to: "lock", within: .seconds(10))
        #expect(session.isConnected && session.deviceName == "Lock")
        try await body(session, pairing, lock)
        withExtendedLifetime(advertiser) {}
    }

    @Test func theUserOfTheSessionEntersThePasskey() async throws {
        try await withSession { session, pairing, lock in
            var questions: [String] = []
            let agent = SessionAgent(
                accepts: { session.peripheral?.identifier == $0 }, note: { _ in },
                ask: { question in
                    questions.append(question)
                    return lock.agent?.displayedPasskey
                })
            pairing.setAgent(agent)
            let result = try await session.pair(pairing, minimum: .authenticated)
            #expect(result.isAuthenticated && questions == ["The passkey that Lock displays: "])
        }
    }

    @Test func aPairingThatTheSessionDoesNotWantIsRefused() async throws {
        try await withSession { session, pairing, _ in
            let agent = SessionAgent(
                accepts: { _ in false }, note: { _ in },
                ask: { _ in
                    Issue.record("a question")
                    return nil
                })
            pairing.setAgent(agent)
            await #expect(throws: ToolError.self) { try await session.pair(pairing, minimum: .authenticated) }
            #expect(pairing.bonds.isEmpty)
        }
    }

    @Test func aCancelledCommandLeavesTheLink() async throws {
        try await withSession { session, _, _ in
            let command = Task { @MainActor in try await session.waitForDisconnection(.seconds(100)) }
            // check-tests: wait: the command begins on this actor; if it does not, the result is the same.
            await Task.yield()
            session.cancel(ToolError(.interrupted))
            await #expect(throws: ToolError(.interrupted)) { _ = try await command.value }
            #expect(session.isConnected)
            let mtu = try await session.mtu()
            #expect(mtu >= 23)
            // A signal ends later commands as well.
            session.cancel(ToolError(.terminated), isFinal: true)
            await #expect(throws: ToolError(.terminated)) {
                _ = try await session.conditions.wait(.seconds(1)) { false }
            }
        }
    }
}
