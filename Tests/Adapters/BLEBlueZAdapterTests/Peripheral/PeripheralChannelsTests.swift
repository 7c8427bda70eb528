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
@Suite struct PacketPipeRealTimeTests {
    private enum Event { case room, end }

    private func receive(_ descriptor: Descriptor) -> Int {
        var octets = [UInt8](repeating: 0, count: 600)
        return recv(descriptor.number, &octets, octets.count, 0)
    }

    @Test func packetsKeepTheirBoundariesUntilTheSocketIsFull() async throws {
        let queue = DispatchQueue(label: "test")
        let (pipe, end) = try #require(PacketPipe.open(QueueScheduler(queue), queue))
        let events = Collected<Event>()
        pipe.start {
            events.add(.room)
        } onEnd: {
            events.add(.end)
        }
        var sent = 0
        while pipe.send([UInt8](repeating: 1, count: 20 + sent % 2)) { sent += 1 }
        #expect(sent > 10)
        for number in 0..<sent { #expect(receive(end) == 20 + number % 2) }
        #expect(await eventually { events.all == [.room] })
        // A confirmation ends nothing.
        #expect(send(end.number, [1], 1, 0) == 1)
        #expect(pipe.send([5]))
        #expect(receive(end) == 1)
        #expect(events.all == [.room])
        pipe.close()
    }

    @Test func theOtherSideSeesTheEnd() async throws {
        let queue = DispatchQueue(label: "test")
        var opened = PacketPipe.open(QueueScheduler(queue), queue)
        let end = try #require(opened?.1)
        opened?.0.start {
        } onEnd: {
        }
        opened?.0.close()
        opened = nil
        #expect(await eventually { receive(end) == 0 })
    }

    @Test func theEndOfTheOtherSideIsReported() async throws {
        let queue = DispatchQueue(label: "test")
        let events = Collected<Event>()
        var opened = PacketPipe.open(QueueScheduler(queue), queue)
        let pipe = try #require(opened?.0)
        pipe.start {
            events.add(.room)
        } onEnd: {
            events.add(.end)
        }
        // Releases bluetoothd's end.
        opened = nil
        #expect(await eventually { events.all == [.end] })
        // Dropped.
        #expect(pipe.send([1]))
    }
}
