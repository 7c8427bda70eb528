import BLEAdapter
import BLETransport
import BLEWire
import Dispatch
import Foundation
import Glibc
import TestConditions
import Testing

@testable import BLEBlueZAdapter

/// Channels over sockets of the system that keep the boundaries of packets, in place of those of Bluetooth.
@Suite(.timeLimit(.minutes(5))) struct ChannelRealTimeTests {
    private let queue = DispatchQueue(label: "channels")

    /// `@unchecked Sendable`: used on the queue.
    private final class Pair: ChannelSystem, @unchecked Sendable {
        let queue: DispatchQueue
        /// The other side.
        private(set) var other: Int32 = -1

        init(_ queue: DispatchQueue) { self.queue = queue }
        deinit { if other >= 0 { Glibc.close(other) } }

        func connect(
            _ psm: UInt16, to peer: DeviceAddress, from local: DeviceAddress
        ) throws(ChannelSystemError) -> any ChannelSocket {
            var numbers: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, &numbers) == 0
            else { throw ChannelSystemError(code: errno) }
            other = numbers[1]
            return PairSocket(KernelChannelSocket(Descriptor(numbers[0], kind: .packets), queue))
        }

        func listen(
            on local: DeviceAddress, requiresEncryption: Bool
        ) throws(ChannelSystemError) -> any ChannelListener { throw ChannelSystemError(code: EOPNOTSUPP) }

        func closeOther() {
            Glibc.close(other)
            other = -1
        }
    }

    /// Only a socket of Bluetooth tells the longest SDU.
    private final class PairSocket: ChannelSocket {
        private let socket: KernelChannelSocket
        init(_ socket: KernelChannelSocket) { self.socket = socket }

        var onReadable: (() -> Void)? {
            get { socket.onReadable }
            set { socket.onReadable = newValue }
        }
        var onWritable: (() -> Void)? {
            get { socket.onWritable }
            set { socket.onWritable = newValue }
        }
        var progress: ChannelProgress { .connected(sendMTU: 1000) }
        func watch(reading: Bool, writing: Bool) { socket.watch(reading: reading, writing: writing) }
        func receive(into buffer: inout [UInt8]) -> ChannelRead { socket.receive(into: &buffer) }
        func send(_ sdu: Span<UInt8>) -> Int32 { socket.send(sdu) }
        func close() { socket.close() }
    }

    private func connect() async throws -> (BlueZChannels, Pair, ChannelHandle) {
        let pair = Pair(queue)
        let channels = BlueZChannels(QueueScheduler(queue), pair)
        let answers = Collected<ChannelHandle>()
        queue.sync {
            channels.begin(DeviceAddress(kind: .public, value: 1))
            channels.openChannel(0x80, to: DeviceAddress(kind: .random, value: 2)) { result in
                if case .success(let handle) = result { answers.add(handle) }
            }
        }
        #expect(await eventually { answers.all.count == 1 })
        return (channels, pair, try #require(answers.all.first))
    }

    private func receive(_ number: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(number, &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer.prefix(count))
    }

    /// Nothing is lost or reordered, whichever side is slow.
    @Test func dataPassesInBothDirections() async throws {
        let (channels, pair, handle) = try await connect()
        let size = 500_000
        let octets = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var (written, echoed) = (0, [UInt8]())
        var pending: [UInt8]?
        let isDone = await eventually {
            if written < size { written += handle.put(Array(octets[written..<min(size, written + 4000)])) }
            // The other side returns each SDU.
            if pending == nil { pending = receive(pair.other) }
            if let sdu = pending, send(pair.other, sdu, sdu.count, 0) >= 0 { pending = nil }
            echoed += handle.take()
            return echoed.count == size
        }
        #expect(isDone && echoed == octets && handle.status.end == nil)
        withExtendedLifetime(channels) {}
    }

    @Test func theEndOfTheOtherSideIsSeen() async throws {
        let (channels, pair, handle) = try await connect()
        _ = send(pair.other, [UInt8(7)], 1, 0)
        // Says nothing.
        _ = send(pair.other, [UInt8](), 0, 0)
        _ = send(pair.other, [UInt8(8)], 1, 0)
        pair.closeOther()
        #expect(await eventually { handle.status.end == .peer })
        #expect(handle.take() == [7, 8])
        withExtendedLifetime(channels) {}
    }

    @Test func theOtherSideSeesTheEnd() async throws {
        let (channels, pair, handle) = try await connect()
        handle.put([1, 2, 3])
        handle.close()
        #expect(await eventually { receive(pair.other) == [1, 2, 3] })
        #expect(await eventually { receive(pair.other) == [] })
        withExtendedLifetime(channels) {}
    }

    /// Without Bluetooth in the kernel the calls fail with a reason. With it there is no adapter with this address.
    @Test func theKernelRefusesAnUnknownAdapter() {
        let channels = KernelChannels(queue)
        let nobody = DeviceAddress(kind: .random, value: 0xC000_0000_0001)
        #expect(throws: ChannelSystemError.self) {
            try channels.connect(0x80, to: nobody, from: DeviceAddress(kind: .public, value: 0x1234_5678_9ABC))
        }
    }
}
