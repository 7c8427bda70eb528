import BLEAdapter
import BLESimulator
import BluetoothPairing
import CoreBluetooth
import Foundation
import TestConditions
import Testing

@testable import bluelab

/// The commands for pairings, without a process.
@Suite(.timeLimit(.minutes(10))) @MainActor struct PairCommandRealTimeTests {
    @Test func theCapabilityFollowsTheOptions() {
        func capability(_ acceptsAll: Bool, _ passkey: String?, _ isInteractive: Bool) -> PairingCapability {
            TerminalAgent.capability(acceptsAll: acceptsAll, passkey: passkey, isInteractive: isInteractive)
        }
        #expect(capability(false, nil, false) == .noInputNoOutput)
        #expect(capability(false, nil, true) == .keyboardDisplay)
        #expect(capability(true, nil, false) == .displayYesNo)
        #expect(capability(false, "123456", false) == .keyboardOnly)
        #expect(capability(false, "123456", true) == .keyboardOnly)
        #expect(capability(true, "123456", false) == .keyboardDisplay)
    }

    @Test func aPasskeyOptionHasOneToSixDigits() throws {
        #expect(try passkeyValue("12 34 56") == "123456")
        for text in ["", "1234567", "12a", "-1", "1.5"] {
            #expect(throws: (any Error).self) { try passkeyValue(text) }
        }
    }

    @Test func aPasskeyComesFromAFile() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("passkey-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        func passkey(of content: String) throws -> String? {
            try Data(content.utf8).write(to: file)
            return try PasskeyOptions.parse(["--passkey-file", file.path]).value(within: .seconds(10))
        }
        #expect(try passkey(of: "042424\n") == "042424")
        #expect(try passkey(of: "42 42") == "4242")
        #expect(try passkey(of: "042424\r\nthe lock of the garden\n") == "042424")
        for content in ["", "\n042424\n", "garden\n", String(repeating: "1", count: 100_000)] {
            #expect(throws: ToolError.self) { try passkey(of: content) }
        }
        let absent = try PasskeyOptions.parse(["--passkey-file", "/nonexistent"])
        #expect(throws: ToolError.self) { try absent.value(within: .seconds(10)) }
        #expect(try PasskeyOptions.parse([]).value(within: .seconds(10)) == nil)
        #expect(throws: (any Error).self) {
            try PasskeyOptions.parse(["--passkey", "1", "--passkey-file", file.path])
        }
    }

    /// A pipe whose writer stays silent is a time-out.
    @Test func aPasskeyThatDoesNotComeIsATimeout() throws {
        let pipe = Pipe()
        let options = try PasskeyOptions.parse([
            "--passkey-file", "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)",
        ])
        do {
            _ = try options.value(within: .milliseconds(50))
            Issue.record("a passkey came from an empty pipe")
        } catch let failure as ToolError {
            #expect(failure.kind == .timeout)
        }
        try pipe.fileHandleForWriting.write(contentsOf: Data("1234\n".utf8))
        #expect(try options.value(within: .seconds(10)) == "1234")
    }

    /// A lock whose user answers nothing by default, and a client that is connected to it.
    private func withClient(
        user: @escaping @Sendable (PairingPrompt) -> Void = { _ in },
        _ body: @MainActor (CentralClient, CBPeripheral, PairingManager, _ lock: VirtualDevice) async throws -> Void
    ) async throws {
        let world = World(seed: 1, pace: .realTime)
        let lock = world.addDevice(
            "Lock", at: Position(x: 1), agent: ScriptedAgent(.displayYesNo, rule: user))
        let phone = world.addDevice("Phone")
        let advertiser = lock.run { LockAdvertiser() }
        let client = phone.run { CentralClient() }
        let pairing = phone.run { PairingManager() }
        world.start()
        defer { world.stop() }
        try await client.powerOn(.seconds(10))
        let peripheral = try await DeviceQuery(wanted: "lock").find(with: client, .seconds(10))
        try await client.connect(peripheral, within: .seconds(10))
        try await body(client, peripheral, pairing, lock)
        withExtendedLifetime(advertiser) {}
    }

    @Test func aSignalCancelsThePairing() async throws {
        try await withClient { client, peripheral, pairing, lock in
            let command = Task { @MainActor in try await client.pair(peripheral, pairing, minimum: .encrypted) }
            // check-tests: wait: the command begins on this actor; if it does not, the result is the same.
            await Task.yield()
            client.interrupt(ToolError(.interrupted))
            do {
                _ = try await command.value
                Issue.record("the devices paired")
            } catch let failure as ToolError {
                #expect(failure.kind == .interrupted)
                #expect(failure.lines == ["the pairing with Lock was cancelled."])
            }
            #expect(lock.agent?.displayedPasskey == nil)
            #expect(pairing.bonds.isEmpty)
        }
    }

    @Test func anotherDeviceGetsNoAnswer() async throws {
        let accepts: @Sendable (PairingPrompt) -> Void = { prompt in
            if case .accept(let request) = prompt { request.accept() }
        }
        try await withClient(user: accepts) { client, peripheral, pairing, lock in
            var lines: [String] = []
            let other = UUID()
            let agent = TerminalAgent(
                for: { other }, acceptsAll: true, passkey: nil, isInteractive: true, show: { lines.append($0) })
            pairing.setAgent(agent)
            do {
                _ = try await client.pair(peripheral, pairing, minimum: .authenticated)
                Issue.record("the devices paired")
            } catch let failure as ToolError {
                #expect(failure.kind == .security)
            }
            #expect(lines == ["Refused a pairing with Lock: this command pairs with \(shortened(other)) only."])
            #expect(pairing.bonds.isEmpty)
        }
    }

    /// The user's answer to the first question pairs no other device that asks meanwhile, even one with the same name.
    @Test func aQuestionThatWaitsIsNotTakenOver() async throws {
        let world = World(seed: 1, pace: .realTime)
        let lock = world.addDevice("Lock")
        let advertiser = lock.run { LockAdvertiser() }
        let lockPairing = lock.run { PairingManager() }
        let input = Pipe()
        var lines: [String] = []
        var questions: [String] = []
        let agent = TerminalAgent(
            for: nil, acceptsAll: false, passkey: nil, isInteractive: true,
            terminal: input.fileHandleForReading.fileDescriptor, show: { lines.append($0) },
            showQuestion: { questions.append($0) })
        lockPairing.setAgent(agent)
        let confirms: @Sendable (PairingPrompt) -> Void = { prompt in
            if case .compare(let comparison) = prompt { comparison.confirm(true) }
        }
        let phones = (0..<2).map { _ in world.addDevice("Phone", agent: ScriptedAgent(.displayYesNo, rule: confirms)) }
        let clients = phones.map { phone in phone.run { (client: CentralClient(), pairing: PairingManager()) } }
        world.start()
        defer { world.stop() }
        func pairing(_ number: Int) async throws -> Task<Void, any Error> {
            let (client, pairing) = clients[number]
            try await client.powerOn(.seconds(10))
            let peripheral = try await DeviceQuery(wanted: "lock").find(with: client, .seconds(10))
            try await client.connect(peripheral, within: .seconds(10))
            return Task { @MainActor in _ = try await client.pair(peripheral, pairing, minimum: .authenticated) }
        }
        let first = try await pairing(0)
        #expect(await eventually { questions.count == 1 })
        let second = try await pairing(1)
        await #expect(throws: ToolError.self) { try await second.value }
        #expect(lines.contains { $0.hasSuffix("the question about another pairing waits for its answer.") })
        #expect(Set(questions).count == 1, "the first question is shown again")
        try input.fileHandleForWriting.write(contentsOf: Data("y\n".utf8))
        try await first.value
        #expect(clients.map(\.pairing.bonds.count) == [1, 0])
        #expect(lockPairing.bonds.count == 1)
        withExtendedLifetime(advertiser) {}
    }

    @Test func failuresHaveTheirExitCodes() {
        #expect(ToolError.pairing(with: "Lock", nil).kind == .failed)
        #expect(ToolError.pairing(with: "Lock", nil).lines[0].contains("the device disconnected"))
    }

    @Test func aTableOfBondsIsAligned() {
        let one = PairingRecord("bond", UUID(), "Lock", nil)
        let other = PairingRecord("bond", UUID(), nil, nil)
        let lines = BondsCommand.table([one, other])
        #expect(lines[0] == "NAME       ID        PROTECTION")
        #expect(lines[1] == "Lock       \(one.shortIdentifier)  none")
        #expect(lines[2] == "(no name)  \(other.shortIdentifier)  none")
    }
}
