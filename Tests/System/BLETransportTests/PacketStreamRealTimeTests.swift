import BLEWire
import Dispatch
import Foundation
import Testing

@testable import BLETransport

/// Sockets that keep the boundaries of packets, as an HCI user channel does.
@Suite struct PacketStreamRealTimeTests {
    static let reset: [UInt8] = [1, 0x03, 0x0C, 0]
    static let readVersion: [UInt8] = [1, 0x01, 0x10, 0]
    static let acl: [UInt8] = [2, 0x40, 0x00, 5, 0, 1, 0, 4, 0, 0x0A]
    static let event: [UInt8] = [4, 0x0E, 4, 1, 3, 12, 0]

    private func pair() -> (Descriptor, Int32) {
        let (own, other) = connectedSockets(SOCK_SEQPACKET)
        Sockets.prepare(own)
        return (Descriptor(own, kind: .packets), other)
    }

    private func receive(_ number: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(number, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    private func length(_ octets: [UInt8]) -> Int { PacketBoundaries.firstLength(in: octets.span) }

    @Test func packetBoundariesOfEveryTypeAreFound() {
        for packet in [Self.reset, Self.acl, Self.event, [3, 1, 0, 2, 9, 9], [5, 1, 0, 2, 0x40, 9, 9]] {
            #expect(length(packet + [1, 2, 3]) == packet.count)
            for cut in packet.indices { #expect(length(Array(packet[..<cut])) == cut) }
        }
        #expect(length([9, 1, 2, 3]) == 4)
        #expect(length([]) == 0)
    }

    @Test func packetsOfOneSendArriveSeparately() async {
        let bench = Bench()
        let (descriptor, other) = pair()
        defer { close(other) }
        let result = await bench.run {
            let stream = DispatchStream(TransportConnection(descriptor, name: "hci0"), queue: bench.queue)
            defer { stream.close() }
            return stream.send((Self.reset + Self.acl + Self.readVersion).span)
        }
        #expect(result == .sent)
        #expect(receive(other) == Self.reset)
        #expect(receive(other) == Self.acl)
        #expect(receive(other) == Self.readVersion)
    }

    @Test func aFullSocketLosesAndCutsNoPacket() async throws {
        let bench = Bench()
        let (descriptor, other) = pair()
        defer { close(other) }
        let packet: [UInt8] = [2, 0x40, 0x00, 0xFB, 0] + [UInt8](repeating: 7, count: 251)
        let count = 4000
        let stream = await bench.run {
            let stream = DispatchStream(
                TransportConnection(descriptor, name: "hci0"), queue: bench.queue, queueLimit: 1 << 21)
            var many: [UInt8] = []
            for _ in 0..<count { many += packet }
            let result = stream.send(many.span)
            #expect(result == .queued)
            return stream
        }
        var received = 0
        while received < count, receive(other) == packet { received += 1 }
        #expect(received == count)
        await bench.run { stream.close() }
    }

    /// A host that gives packets time to gather must not leave them to the next wait: the kernel drops packets beyond its limit.
    @Test func onePassOfAPolledStreamReadsThePacketsThatHaveArrived() async {
        let bench = Bench()
        let (descriptor, other) = pair()
        defer { close(other) }
        for _ in 0..<40 { _ = send(other, Self.event, Self.event.count, 0) }
        let count = await bench.run {
            let stream = PolledStream(TransportConnection(descriptor, name: "hci0"), later: { _ in })
            defer { stream.close() }
            var count = 0
            stream.onReceive = { octets in if octets.count == Self.event.count { count += 1 } }
            stream.serve(PollingThread.Readiness(isReadable: true))
            return count
        }
        #expect(count == 40)
    }

    @Test func eachReadIsOnePacketAndTheEndIsReported() async throws {
        let bench = Bench()
        let (descriptor, other) = pair()
        let stream = await bench.run {
            DispatchStream(TransportConnection(descriptor, name: "hci0"), queue: bench.queue)
        }
        let packets: [[UInt8]] = try await bench.result { done in
            var packets: [[UInt8]] = []
            stream.onReceive = { octets in packets.append(octets.indices.map { octets[$0] }) }
            stream.onClose = { _ in done(packets) }
            stream.start()
            _ = send(other, Self.event, Self.event.count, 0)
            _ = send(other, Self.acl, Self.acl.count, 0)
            hangUp(other)
        }
        #expect(packets == [Self.event, Self.acl])
    }
}
