import BLEAdapter
import BLEWire
import Dispatch
import TestConditions
import Testing

@testable import BLETransport

@Suite struct PollingGroupRealTimeTests {
    private let bench = Bench()

    /// A group that serves its streams and does nothing else.
    private func group() throws -> PollingGroup {
        try PollingGroup(queue: bench.queue) { serve in
            serve()
            return .unlimited
        }
    }

    private func pair(
        _ group: PollingGroup, readSize: Int = 2048
    ) throws -> (DispatchStream, DispatchStream) {
        let (one, other) = connectedSockets()
        let streams = [one, other].map {
            DispatchStream(
                TransportConnection(socket: $0, name: "pair"), queue: bench.queue, queueLimit: 1 << 22,
                readSize: readSize, group: group)
        }
        return (streams[0], streams[1])
    }

    /// More octets than the system takes at once, in both directions, with pauses of one reader.
    @Test(arguments: [0, 5]) func octetsArriveInOrderInBothDirections(pauses: Int) async throws {
        let group = try group()
        let (one, other) = try pair(group)
        let sent = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
        let bench = bench
        let received: [[UInt8]] = try await bench.result { done in
            let received = Lock<[[UInt8]]>([[], []])
            let pausesLeft = Lock(pauses)
            for (number, stream) in [one, other].enumerated() {
                stream.onReceive = { [unowned stream] part in
                    let all = received.withLock { received in
                        received[number].append(part)
                        return received.allSatisfy { $0.count == sent.count } ? received : nil
                    }
                    if let all { return done(all) }
                    let isPausing = pausesLeft.withLock { left in
                        left -= 1
                        return left >= 0
                    }
                    guard isPausing else { return }
                    stream.pause()
                    bench.queue.async { stream.resume() }
                }
                stream.start()
                stream.send(sent.span)
            }
        }
        #expect(received == [sent, sent])
        await bench.run {
            one.close()
            other.close()
        }
    }

    @Test(arguments: [false, true]) func theEndIsReportedOnceAfterTheLastOctets(isPaused: Bool) async throws {
        let group = try group()
        let (stream, peer) = try pair(group, readSize: 16)
        let bench = bench
        let outcome: (count: Int, reason: StreamError) = try await bench.result { done in
            let count = Lock(0)
            stream.onReceive = { [unowned stream] part in
                let isFirst = count.withLock { count in
                    defer { count += part.count }
                    return count == 0
                }
                guard isPaused, isFirst else { return }
                stream.pause()
                // The system has the end already.
                bench.queue.async { bench.queue.async { stream.resume() } }
            }
            stream.onClose = { reason in done((count.withLock { $0 }, reason)) }
            peer.send([UInt8](repeating: 1, count: 1000).span)
            peer.close()
            stream.start()
        }
        #expect(outcome.count == 1000)
        #expect(outcome.reason == .endOfStream)
    }

    /// A reader that is paused while its peer has hung up does not keep the thread busy.
    @Test func aPausedStreamIsNotReported() async throws {
        let steps = Lock(0)
        let group = try PollingGroup(queue: bench.queue) { serve in
            serve()
            steps.withLock { $0 += 1 }
            return .unlimited
        }
        let (stream, peer) = try pair(group)
        await bench.run {
            stream.start()
            stream.pause()
            peer.close()
        }
        for _ in 0..<10 {
            let before = steps.withLock { $0 }
            group.wake()
            try #require(await eventually { steps.withLock { $0 } > before })
        }
        // One at the beginning, and at most one for each call.
        #expect(steps.withLock { $0 } <= 11)
        await bench.run { stream.close() }
    }

    @Test func aStepRunsAtItsTimeAndANilResultEndsTheThread() async throws {
        let wait = TimeSpan.milliseconds(5)
        let times = Lock<[UInt64]>([])
        let count: Int = try await bench.result { [bench] done in
            let group = Lock<PollingGroup?>(nil)
            let made = try? PollingGroup(queue: bench.queue) { _ in
                _ = group.withLock { $0 }
                let now = DispatchTime.now().uptimeNanoseconds
                let count = times.withLock { times in
                    times.append(now)
                    return times.count
                }
                guard count < 3 else {
                    done(count)
                    return nil
                }
                return .until(now + UInt64(wait.nanoseconds))
            }
            group.withLock { $0 = made }
        }
        #expect(count == 3)
        let moments = times.withLock { $0 }
        for (earlier, later) in zip(moments, moments.dropFirst()) {
            #expect(later - earlier >= UInt64(wait.nanoseconds))
        }
        #expect(times.withLock { $0.count } == 3)
    }

    /// The thread that waits keeps neither the stream nor its socket.
    @Test func aReleasedStreamClosesItsSocket() async throws {
        let group = try group()
        let (first, second) = connectedSockets()
        await bench.run { [bench] in
            let stream = DispatchStream(
                TransportConnection(socket: first, name: "released"), queue: bench.queue, group: group)
            stream.start()
        }
        var octet: UInt8 = 0
        #expect(recv(second, &octet, 1, 0) == 0)
        close(second)
    }
}
