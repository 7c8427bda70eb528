import BLEAdapter
import BLEHostAdapter
import BLEWire
import Testing

@testable import BLESimulator

/// The faults of a slow device: each one slows what it names and nothing else.
struct SlowDeviceTests {
    typealias Pair = ConversationTests.Pair

    /// The virtual time that `body` takes.
    private func time(_ world: World, _ body: () async throws -> Void) async rethrows -> Duration {
        let start = world.now
        try await body()
        return world.now - start
    }

    private let slow = Duration.seconds(2)...(.seconds(6))
    private let fast = Duration.zero...(.seconds(1))

    @Test func discoveriesAreSlow() async throws {
        let pair = try await Pair()
        let handle = try await pair.handles()[1].valueHandle
        let report = pair.band.inject(.slowDiscovery(.seconds(2)))
        let read = try await time(pair.world) { try await pair.central.perform(.read(handle: handle), on: pair.peer) }
        #expect(fast.contains(read))
        #expect(report.lines.count == 1)
        let start = pair.world.now
        _ = try await pair.handles()
        #expect(pair.world.now - start >= .seconds(2))
        #expect(report.lines.last?.hasSuffix("wristband: answers discoveries late by 2.000 s") == true)
        pair.band.removeFaults()
        let next = pair.world.now
        _ = try await pair.handles()
        #expect(fast.contains(pair.world.now - next))
    }

    @Test func writesAreSlow() async throws {
        let pair = try await Pair()
        let handle = try await pair.handles()[1].valueHandle
        pair.band.inject(.slowWrites(.seconds(2)))
        let write = GATTOperation.write(handle: handle, value: [7])
        let written = try await time(pair.world) { try await pair.central.perform(write, on: pair.peer) }
        let read = try await time(pair.world) { try await pair.central.perform(.read(handle: handle), on: pair.peer) }
        #expect(slow.contains(written) && fast.contains(read))
        // A value of several parts takes the time for each of them.
        let long = GATTOperation.write(handle: handle, value: [UInt8](repeating: 7, count: 512))
        #expect(try await time(pair.world) { try await pair.central.perform(long, on: pair.peer) } > .seconds(4))
    }

    @Test func aLinkIsSlowAtFirst() async throws {
        let pair = try await Pair()
        let (central, peer) = (pair.central, pair.peer)
        let read = GATTOperation.read(handle: try await pair.handles()[1].valueHandle)
        pair.band.inject(.slowAtFirst(for: .seconds(3)))
        // The link is older than the fault.
        #expect(fast.contains(try await time(pair.world) { try await central.perform(read, on: peer) }))
        let start = central.events.count
        central.session.cancelConnection(peer)
        try await central.wait(from: start, "the end") { $0.isLoss ? true : nil }
        let first = try await time(pair.world) {
            try await central.connect(peer)
            try await central.perform(read, on: peer)
        }
        #expect((Duration.seconds(3)...(.seconds(5))).contains(first))
        #expect(fast.contains(try await time(pair.world) { try await central.perform(read, on: peer) }))
    }

    @Test func updatesAreLateAndComeTogether() async throws {
        let pair = try await Pair()
        let characteristic = try await pair.handles()[0]
        try await pair.central.perform(
            .setNotify(valueHandle: characteristic.valueHandle, end: characteristic.end, mode: .notification),
            on: pair.peer)
        let report = pair.band.inject(.lateUpdates(.seconds(2)))
        for number in 1...3 as ClosedRange<UInt8> {
            #expect(pair.peripheral.update([number], of: TestPeripheral.notifying))
            await pair.world.run(for: .milliseconds(500))
        }
        #expect(pair.central.values(of: characteristic.valueHandle) == [])
        await pair.world.run(for: .milliseconds(700))
        #expect(pair.central.values(of: characteristic.valueHandle) == [[1], [2], [3]])
        // The fault, and one act of it.
        #expect(report.lines.count == 2)
    }

    @Test func packetsOfAPairingAreSlow() async throws {
        func pairingTime(_ fault: Fault?) async throws -> Duration {
            let pair = try await Pair()
            try await BondedPair.publish(BondedPair.service, token: 2, on: pair.peripheral)
            await pair.world.run(for: .seconds(3))
            let found = try await pair.central.characteristics(of: BondedPair.service, on: pair.peer)
            let handle = try #require(found.first).valueHandle
            if let fault { pair.band.inject(fault) }
            return try await time(pair.world) {
                let value = try await pair.central.perform(.read(handle: handle), on: pair.peer)
                #expect(value == .value([9]))
            }
        }
        // Pairing Response, public key with confirm value, random value and check at least.
        let (plain, delayed) = (try await pairingTime(nil), try await pairingTime(.slowPairing(.seconds(1))))
        #expect(plain < .seconds(2) && delayed - plain >= .seconds(4))
    }

    @Test func requestsForParametersAreIgnored() async throws {
        let pair = try await Pair()
        let report = pair.phone.inject(.ignoredParameterRequests)
        func request() async {
            pair.band.requestConnectionParameters(interval: .milliseconds(15)...(.milliseconds(15)))
            await pair.world.run(for: .seconds(60))
        }
        await request()
        #expect(pair.phone.links.map(\.interval) == [.milliseconds(30)])
        #expect(report.lines.count == 2)
        pair.phone.removeFaults()
        await request()
        #expect(pair.phone.links.map(\.interval) == [.milliseconds(15)])
    }
}
