import CoreBluetooth
import TestConditions
import Testing

@Suite(.timeLimit(.minutes(10))) struct ActorClientRealTimeTests {
    let band = Band()

    private func connected() async throws -> (ActorClient, UUID) {
        let client = band.phone.run { ActorClient() }
        try await client.waitUntilReady()
        for await identifier in await client.scan(for: Band.heartRate) {
            try await client.connect(to: identifier)
            return (client, identifier)
        }
        throw CancellationError()
    }

    @Test func anActorClientReadsWritesAndSubscribes() async throws {
        let (client, _) = try await connected()
        #expect(await client.connectionState == .connected)
        try await client.characteristic(Band.goal, of: Band.goalService)
        try await client.write(Data([0x39, 0x30]), to: Band.goal)
        #expect(band.writtenGoal == 12345)
        #expect(try await client.read(Band.goal) == Data([0x39, 0x30]))
        try await client.characteristic(Band.measurement, of: Band.heartRate)
        var pulses: [UInt8] = []
        for await value in try await client.notifications(of: Band.measurement) {
            pulses.append(value[1])
            if pulses.count == 5 { break }
        }
        #expect(pulses.count == 5)
        #expect(pulses.allSatisfy { (62...86).contains($0) })
    }

    @Test func theScanEndsWithItsLoop() async throws {
        let (client, _) = try await connected()
        #expect(await eventually { await !client.isScanning })
    }

    @Test func readsFromManyTasksAllComplete() async throws {
        let (client, _) = try await connected()
        try await client.characteristic(Band.goal, of: Band.goalService)
        let count = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<20 { group.addTask { try await client.read(Band.goal) } }
            return try await group.reduce(into: 0) { count, value in if value == Data([0x40, 0x1F]) { count += 1 } }
        }
        #expect(count == 20)
    }

    @Test func aDisconnectionEndsAPendingRead() async throws {
        let (client, _) = try await connected()
        try await client.characteristic(Band.goal, of: Band.goalService)
        // The read begins while time stands still, so the link cannot end before it.
        band.world.stop()
        band.device.remove()
        let read = Task { _ = try await client.read(Band.goal) }
        try #require(await eventually { await client.isWaiting })
        band.world.start()
        await #expect(throws: CBError.self) { try await read.value }
    }

    @Test func aConnectionAttemptEndsWithItsTask() async throws {
        let (client, identifier) = try await connected()
        await client.disconnect()
        band.device.powerOff()
        try #require(await eventually { await client.connectionState == .disconnected })
        let attempt = Task { try await client.connect(to: identifier) }
        try #require(await eventually { await client.connectionState == .connecting })
        attempt.cancel()
        await #expect(throws: (any Error).self) { try await attempt.value }
        #expect(await eventually { await client.connectionState == .disconnected })
    }
}
