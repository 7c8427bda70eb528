import BLEAdapter
import BLEWire
import Glibc
import SystemBus
import BLETransport
import Dispatch
import TestConditions
import Testing

@testable import BLEBlueZAdapter

@Suite struct PeripheralChannelsTests {
    private final class Channels: PeripheralChannels {
        var unpublished: [UInt16] = []
        var result: Result<UInt16, ChannelError> = .success(128)
        private(set) var onOpened: ((ChannelHandle, DeviceAddress) -> Void)?

        func publish(
            requiresEncryption: Bool, completion: @escaping (Result<UInt16, ChannelError>) -> Void,
            onOpened: @escaping (ChannelHandle, DeviceAddress) -> Void
        ) {
            self.onOpened = onOpened
            completion(result)
        }

        func unpublish(_ psm: UInt16) { unpublished.append(psm) }
    }

    private final class Driver: ChannelDriver {
        let isClosed = Lock(false)
        func pump() {}
        func consumed(_ count: Int) {}
        func close() { isClosed.withLock { $0 = true } }
    }

    @Test func withoutSocketsChannelsAreRefused() {
        let bench = PeripheralBench()
        bench.session.publishChannel(requiresEncryption: false)
        #expect(bench.events == ["published failure(BLEAdapter.ChannelError.refused)"])
        bench.session.unpublishChannel(psm: 128)
        #expect(bench.events == ["unpublished 128 unknownPSM"])
        bench.session.setLatency(.low, of: PeerIdentifier(high: 1, low: 1))
        bench.session.setLatency(.low, of: PeerIdentifier(high: 1, low: 1))
        _ = bench.events
        #expect(bench.log.count == 1)
    }

    @Test func channelsComeFromTheirOwner() {
        let bench = PeripheralBench()
        let channels = Channels()
        bench.role.channels = channels
        bench.connect(PeripheralBench.phone)
        bench.session.publishChannel(requiresEncryption: true)
        #expect(bench.events == ["published success(128)"])
        let driver = Driver()
        let channel = ChannelHandle(psm: 128, sendMTU: 100, receiveWindow: 100, driver: driver)
        channels.onOpened?(channel, DeviceAddress(kind: .public, value: 1))
        channels.onOpened?(channel, DeviceAddress(kind: .public, value: 7))
        #expect(bench.events == ["channel 128 by 1/20", "channel 128 by 7/20"])
        bench.session.unpublishChannel(psm: 128)
        #expect(bench.events == ["unpublished 128 "] && channels.unpublished == [128])
        bench.session.publishChannel(requiresEncryption: true)
        _ = bench.events
        bench.role.end(.poweredOff)
        #expect(channels.unpublished == [128, 128])
        #expect(bench.role.publishedChannels.isEmpty)
        // A channel that comes too late is closed.
        channels.onOpened?(channel, DeviceAddress(kind: .public, value: 1))
        #expect(driver.isClosed.withLock { $0 })
        bench.session.publishChannel(requiresEncryption: true)
        #expect(bench.events == ["state poweredOff", "published failure(BLEAdapter.ChannelError.notPoweredOn)"])
    }
}

extension PeripheralChannelsTests {
    @Test func theEndOfASessionEndsItsChannels() {
        let bench = PeripheralBench()
        let channels = Channels()
        bench.role.channels = channels
        var session: (any PeripheralSession)? = bench.role.open(observer: bench.observer)
        bench.session.publishChannel(requiresEncryption: false)
        _ = bench.events
        channels.result = .success(129)
        session?.publishChannel(requiresEncryption: false)
        _ = bench.events
        withExtendedLifetime(session) {}
        session = nil
        _ = bench.events
        #expect(channels.unpublished == [129])
        channels.result = .failure(.noResources)
        bench.session.publishChannel(requiresEncryption: false)
        #expect(bench.events == ["published failure(BLEAdapter.ChannelError.noResources)"])
        #expect(bench.role.publishedChannels == [128: 1])
    }
}

/// Sockets of the system.
@Suite struct ValueSocketRealTimeTests {
    private enum Event { case value, room, end }

    private func receive(_ descriptor: Descriptor) -> Int {
        var octets = [UInt8](repeating: 0, count: 600)
        return recv(descriptor.number, &octets, octets.count, 0)
    }

    @Test func packetsKeepTheirBoundariesUntilTheSocketIsFull() async throws {
        let queue = DispatchQueue(label: "test")
        let (mine, end) = try #require(PacketSocket.pair())
        let socket = SystemValueSocket(mine, queue: queue)
        let events = Collected<Event>()
        socket.onRoom = { events.add(.room) }
        socket.onEnd = { events.add(.end) }
        let sent = queue.sync {
            socket.start()
            var sent = 0
            while socket.send([UInt8](repeating: 1, count: 20 + sent % 2).span) == .sent { sent += 1 }
            return sent
        }
        #expect(sent > 10)
        for number in 0..<sent { #expect(receive(end) == 20 + number % 2) }
        #expect(await eventually { events.all == [.room] })
        // A confirmation ends nothing.
        #expect(send(end.number, [1], 1, 0) == 1)
        #expect(queue.sync { socket.send([5].span) } == .sent)
        #expect(receive(end) == 1)
        #expect(events.all == [.room])
        queue.sync { socket.close() }
    }

    @Test func theOtherSideSeesTheEnd() async throws {
        let queue = DispatchQueue(label: "test")
        var (mine, end) = try #require(PacketSocket.pair()) as (Descriptor?, Descriptor)
        var socket = mine.map { SystemValueSocket($0, queue: queue) }
        mine = nil
        queue.sync {
            socket?.start()
            socket?.close()
        }
        socket = nil
        #expect(await eventually { receive(end) == 0 })
    }

    @Test func theEndOfTheOtherSideIsReportedAfterItsValues() async throws {
        let queue = DispatchQueue(label: "test")
        let events = Collected<Event>()
        var (mine, end) = try #require(PacketSocket.pair()) as (Descriptor, Descriptor?)
        let socket = SystemValueSocket(mine, queue: queue)
        socket.onValue = { _ in events.add(.value) }
        socket.onEnd = { events.add(.end) }
        // More than a turn of the queue.
        for _ in 0..<100 { #expect(send(end?.number ?? -1, [1], 1, 0) == 1) }
        queue.sync { socket.start() }
        end = nil
        #expect(await eventually { events.all == Array(repeating: .value, count: 100) + [.end] })
        // Dropped.
        #expect(queue.sync { socket.send([1].span) } == .ended)
    }
}
