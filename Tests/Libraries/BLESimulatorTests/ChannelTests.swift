import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import Foundation
import Testing

/// L2CAP channels at the level of the adapter.
struct ChannelTests {
    private struct Pair {
        let base: ConversationTests.Pair
        let psm: UInt16
        let near: ChannelHandle
        let far: ChannelHandle

        init() async throws {
            base = try await ConversationTests.Pair()
            base.peripheral.session.publishChannel(requiresEncryption: false)
            let (central, peripheral) = (base.central, base.peripheral)
            await base.world.run(timeout: .seconds(1)) {
                peripheral.events.contains { if case .published = $0 { true } else { false } }
            }
            psm = 0x80
            central.session.openChannel(psm: psm, to: base.peer)
            await base.world.run(timeout: .seconds(5)) {
                central.channels.withLock { !$0.isEmpty } && peripheral.channels.withLock { !$0.isEmpty }
            }
            near = try #require(central.channels.withLock { $0.first })
            far = try #require(peripheral.channels.withLock { $0.first })
        }
    }

    private func read(_ handle: ChannelHandle, _ limit: Int = 1 << 20) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = buffer.withUnsafeMutableBufferPointer { handle.read(into: $0) }
        return Array(buffer[..<count])
    }

    @Test func publishedChannelsAreReportedToTheirSession() async throws {
        let pair = try await Pair()
        #expect(pair.base.peripheral.events.contains(.published(.success(0x80))))
        #expect(pair.base.central.events.last == .channel(pair.base.peer, psm: 0x80, nil))
        #expect(pair.base.peripheral.events.last == .channel(psm: 0x80))
        let start = pair.base.central.events.count
        pair.base.central.session.openChannel(psm: 0x99, to: pair.base.peer)
        let peer = pair.base.peer
        try await pair.base.central.wait(from: start, "refusal") {
            $0 == .channel(peer, psm: 0x99, .unknownPSM) ? true : nil
        }
    }

    @Test func writtenOctetsAreBoundedAndArriveInOrder() async throws {
        let pair = try await Pair()
        let data = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var sent = 0
        func write() {
            sent += data[sent...].withUnsafeBufferPointer { pair.near.write($0) }
        }
        write()
        #expect(sent < 30_000)
        #expect(!pair.near.status.hasSpace)
        for _ in 0..<20 {
            await pair.base.world.run(for: .seconds(1))
            write()
        }
        // One end, the air's window, the host's queue: what is under way is bounded.
        #expect(sent < 180_000)
        #expect(pair.far.status.readable <= 131_072)
        var received: [UInt8] = []
        while received.count < data.count, pair.base.world.now < .seconds(300) {
            received += read(pair.far, 1_000)
            if pair.far.status.readable == 0 { await pair.base.world.run(for: .milliseconds(100)) }
            write()
        }
        #expect(received == data)
    }

    @Test func closingSendsTheWrittenOctetsFirst() async throws {
        let pair = try await Pair()
        let data = [UInt8](repeating: 9, count: 12_000)
        #expect(data.withUnsafeBufferPointer { pair.near.write($0) } == 12_000)
        pair.near.close()
        #expect(data.withUnsafeBufferPointer { pair.near.write($0) } == 0)
        await pair.base.world.run(for: .seconds(3))
        #expect(pair.far.status == ChannelStatus(readable: 12_000, hasSpace: true, end: .peer))
        #expect(read(pair.far) == data)
        #expect(pair.near.status.end == .local)
    }

    @Test func poweringOffEndsChannelsAndKeepsThePSM() async throws {
        let pair = try await Pair()
        pair.base.band.powerOff()
        await pair.base.world.run(for: .seconds(3))
        #expect(pair.near.status.end == .linkLost)
        #expect(pair.far.status.end == .linkLost)
        pair.base.band.powerOn()
        await pair.base.world.run(for: .seconds(3))
        try await pair.base.central.connect(pair.base.peer)
        pair.base.central.session.openChannel(psm: pair.psm, to: pair.base.peer)
        let central = pair.base.central
        await pair.base.world.run(timeout: .seconds(5)) { central.channels.withLock { $0.count == 2 } }
        #expect(central.channels.withLock { $0.count } == 2)
    }

    @Test func closingASessionClosesItsChannels() async throws {
        let pair = try await Pair()
        pair.base.peripheral.close()
        await pair.base.world.run(for: .seconds(3))
        #expect(pair.near.status.end == .peer)
        pair.base.central.session.openChannel(psm: pair.psm, to: pair.base.peer)
        let (peer, psm) = (pair.base.peer, pair.psm)
        try await pair.base.central.wait("refusal") { $0 == .channel(peer, psm: psm, .unknownPSM) ? true : nil }
    }

    @Test func aChannelWithoutAnObserverIsClosed() async throws {
        let pair = try await Pair()
        // The session lives longer than its observer.
        let session: any PeripheralSession
        do {
            let other = TestPeripheral(pair.base.band, in: pair.base.world)
            session = other.session
            session.publishChannel(requiresEncryption: false)
            try await other.wait(.published(.success(0x81)))
            other.close()
        }
        pair.base.central.session.openChannel(psm: 0x81, to: pair.base.peer)
        await pair.base.world.run(for: .seconds(3))
        let opened = try #require(pair.base.central.channels.withLock { $0.last })
        #expect(opened.psm == 0x81 && opened.status.end == .peer)
        withExtendedLifetime(session) {}
    }

    @Test func withoutALinkThereIsNoChannel() async throws {
        let pair = try await ConversationTests.Pair()
        let stranger = PeerIdentifier(high: 1, low: 2)
        pair.central.session.openChannel(psm: 0x80, to: stranger)
        try await pair.central.wait("refusal") { $0 == .channel(stranger, psm: 0x80, .notConnected) ? true : nil }
    }
}
