import BLEAdapter
import BLEWire
import Foundation
import Testing

@testable import BLETransport

@Suite struct DispatchStreamRealTimeTests {
    private let bench = Bench()

    @Test func octetsArriveInOrder() async throws {
        let listener = try StreamListener(at: .tcp(host: "127.0.0.1", port: 0), queue: bench.queue)
        let (client, server) = try await bench.pair(listener)
        let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
        let received: [UInt8] = try await bench.result { done in
            let received = Lock<[UInt8]>([])
            server.onReceive = { bytes in
                let all = received.withLock { all in
                    all.append(bytes)
                    return all.count >= sent.count ? all : nil
                }
                if let all { done(all) }
            }
            server.start()
            for start in stride(from: 0, to: sent.count, by: 1000) {
                client.send(sent.span.extracting(start..<start + 1000))
            }
        }
        #expect(received == sent)
        await bench.run {
            client.close()
            server.close()
            listener.close()
        }
    }

    @Test func manyPacketsComeInOneRead() async throws {
        let (stream, other) = socketPair(bench)
        defer { close(other) }
        let packet: [UInt8] = [4, 14, 4, 1, 3, 12, 0]
        for _ in 0..<100 { #expect(packet.withUnsafeBytes { send(other, $0.baseAddress, $0.count, 0) } == 7) }
        let sizes: [Int] = try await bench.result { done in
            let reads = Lock<[Int]>([])
            var framer = H4Framer(reader: .host)
            var packets = 0
            stream.onReceive = { bytes in
                reads.withLock { $0.append(bytes.count) }
                framer.receive(bytes) { _ in packets += 1 }
                if packets == 100 { done(reads.withLock { $0 }) }
            }
            stream.start()
        }
        #expect(sizes == [700])
        await bench.run { stream.close() }
    }

    @Test func theEndOfThePeerIsReportedOnce() async throws {
        let (stream, other) = socketPair(bench)
        let reason: StreamError = try await bench.result { done in
            stream.onClose = { done($0) }
            stream.start()
            hangUp(other)
        }
        #expect(reason == .endOfStream)
        #expect(await bench.run { stream.isClosed })
        #expect(await bench.run { stream.send([1].span) } == .closed)
    }

    @Test func writingToABrokenConnectionRaisesNoSignal() async throws {
        let (stream, other) = socketPair(bench)
        hangUp(other)
        let (result, reason): (StreamSendResult, StreamError) = try await bench.result { done in
            var result = StreamSendResult.sent
            stream.onClose = { done((result, $0)) }
            result = stream.send([1, 2, 3].span)
        }
        #expect(result == .closed)
        guard case .failed(let error) = reason else {
            Issue.record("\(reason)")
            return
        }
        #expect(error.kind == .connectionLost)
        #expect(error.description.hasPrefix("The connection to pair broke ("))
    }

    @Test func closingCallsNoCallback() async throws {
        let (stream, other) = socketPair(bench)
        let called = Lock(0)
        await bench.run {
            stream.onClose = { _ in called.withLock { $0 += 1 } }
            stream.onReceive = { _ in called.withLock { $0 += 1 } }
            stream.start()
            stream.close()
            stream.close()
        }
        var octet: UInt8 = 0
        #expect(recv(other, &octet, 1, 0) == 0)
        hangUp(other)
        await bench.run {}
        #expect(called.withLock { $0 } == 0)
    }

    @Test func closingInACallbackIsSafe() async throws {
        let (stream, other) = socketPair(bench)
        defer { close(other) }
        let first: UInt8 = try await bench.result { done in
            stream.onReceive = { bytes in
                stream.close()
                done(bytes[0])
            }
            stream.start()
            _ = [UInt8(9)].withUnsafeBytes { send(other, $0.baseAddress, 1, 0) }
        }
        #expect(first == 9)
    }

    @Test func aSlowReaderCausesBackPressureWithoutLoss() async throws {
        let limit = 256 << 10
        let (stream, other) = socketPair(bench, queueLimit: limit)
        defer { close(other) }
        let chunk = [UInt8](repeating: 0xA5, count: 10_000)
        let (taken, queued, results) = await bench.run {
            var taken = 0
            var results: Set<StreamSendResult> = []
            while taken < 1 << 26 {
                let result = stream.send(chunk.span)
                results.insert(result)
                if result == .full { break }
                taken += chunk.count
            }
            return (taken, stream.queuedOctets, results)
        }
        #expect(results == [.sent, .queued, .full])
        #expect(queued <= limit && queued > limit - 2 * chunk.count)
        // The other side reads all of it on a thread of its own; then there is room again.
        async let read: Int = withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var total = 0
                var buffer = [UInt8](repeating: 0, count: 65536)
                while total < taken {
                    let count = buffer.withUnsafeMutableBytes { recv(other, $0.baseAddress, $0.count, 0) }
                    if count <= 0 { break }
                    total += count
                }
                continuation.resume(returning: total)
            }
        }
        let left: Int = try await bench.result { done in
            stream.onDrain = { done(stream.queuedOctets) }
            if stream.queuedOctets <= limit / 2 { done(stream.queuedOctets) }
        }
        #expect(left <= limit / 2)
        #expect(await read == taken)
        #expect(await bench.run { stream.send([1].span) } != .full)
        await bench.run { stream.close() }
    }

    @Test func closedStreamsReleaseTheirDescriptors() async {
        for _ in 0..<3000 {
            let (stream, other) = socketPair(bench)
            await bench.run {
                stream.start()
                stream.close()
            }
            // The connection ends when the stream's descriptor is closed, which Dispatch does later.
            var octet: UInt8 = 0
            #expect(recv(other, &octet, 1, 0) == 0)
            hangUp(other)
        }
        // Other tests of the process have a thousand descriptors at times; a leak would add 3000.
        let next = open("/dev/null", O_RDONLY)
        #expect(next >= 0 && next < 2500)
        close(next)
    }

    @Test func releasingAStreamClosesIt() async throws {
        weak var released: DispatchStream?
        // Filled, so that it has both sources.
        func use() -> Int32 {
            let (stream, other) = socketPair(bench)
            #expect(stream.send([UInt8](repeating: 0, count: 1 << 20).span) == .queued)
            stream.start()
            released = stream
            return other
        }
        let other = use()
        defer { close(other) }
        await bench.run {}
        #expect(released == nil)
        // What the system took is still read; then comes the end.
        var buffer = [UInt8](repeating: 0, count: 65536)
        var total = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { recv(other, $0.baseAddress, $0.count, 0) }
            if count <= 0 { break }
            total += count
        }
        #expect(total > 0 && total < 1 << 20)
    }
}
