import BLEAdapter
import BLEWire
import Dispatch
import Testing

@testable import BLETransport

/// A stream that a polling thread serves on a queue, as a host's executor does.
private final class PolledOwner: Sendable {
    private struct Content {
        var stream: PolledStream?
        var isEnded = false
    }

    private final class Box: @unchecked Sendable {
        let content = Lock(Content())
    }

    let queue = DispatchQueue(label: "polled")
    private let box = Box()
    private let thread: PollingThread

    init() throws {
        let (queue, box) = (queue, box)
        thread = try PollingThread { readiness in
            queue.sync {
                let (stream, isEnded) = box.content.withLock { ($0.stream, $0.isEnded) }
                guard !isEnded else { return nil }
                stream?.serve(readiness)
                return PollingThread.WaitRequest(stream: stream, deadline: nil)
            }
        }
    }

    func serve(_ stream: PolledStream) {
        box.content.withLock { $0.stream = stream }
        thread.wake()
    }

    func wake() { thread.wake() }

    func end() {
        box.content.withLock { content in
            content.isEnded = true
            content.stream = nil
        }
        thread.wake()
    }
}

@Suite struct PolledStreamRealTimeTests {
    private let bench = Bench()

    private func pair(_ queue: DispatchQueue, queueLimit: Int = 1 << 20) -> (PolledStream, Int32) {
        let (own, other) = connectedSockets()
        let connection = TransportConnection(socket: own, name: "pair")
        return (PolledStream(connection, queueLimit: queueLimit) { queue.async(execute: $0) }, other)
    }

    @Test func octetsAndTheEndOfThePeerArrive() async throws {
        let owner = try PolledOwner()
        defer { owner.end() }
        let (stream, other) = pair(owner.queue)
        let sent = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(send(other, sent, sent.count, 0) == sent.count)
        let (received, reason): ([UInt8], StreamError) = try await bench.result { done in
            let received = Lock<[UInt8]>([])
            stream.onReceive = { part in received.withLock { $0.append(part) } }
            stream.onClose = { done((received.withLock { $0 }, $0)) }
            owner.serve(stream)
            hangUp(other)
        }
        #expect(received == sent)
        #expect(reason == .endOfStream)
        #expect(owner.queue.sync { stream.send([1].span) } == .closed)
    }

    @Test func unwrittenOctetsAreQueuedUpToALimit() async throws {
        let owner = try PolledOwner()
        defer { owner.end() }
        let limit = 256 << 10
        let (stream, other) = pair(owner.queue, queueLimit: limit)
        defer { close(other) }
        let chunk = [UInt8](repeating: 0xA5, count: 10_000)
        let taken = owner.queue.sync {
            var taken = 0
            while stream.send(chunk.span) != .full { taken += chunk.count }
            return taken
        }
        #expect(owner.queue.sync { stream.awaitsWriting })
        owner.serve(stream)
        // The thread writes the rest while the other side reads.
        var total = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while total < taken {
            let count = recv(other, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            total += count
        }
        #expect(total == taken)
        #expect(owner.queue.sync { !stream.awaitsWriting && stream.send([1].span) == .sent })
    }

    @Test func aFailedWriteIsReportedAfterTheCall() async throws {
        let owner = try PolledOwner()
        defer { owner.end() }
        let (stream, other) = pair(owner.queue)
        hangUp(other)
        let reason: StreamError = try await bench.result { done in
            owner.queue.async {
                var isSending = true
                stream.onClose = { reason in
                    #expect(!isSending)
                    done(reason)
                }
                #expect(stream.send([1].span) == .closed)
                isSending = false
            }
        }
        guard case .failed(let error) = reason else {
            Issue.record("\(reason)")
            return
        }
        #expect(error.kind == .connectionLost)
    }

    @Test func closingCallsNoCallbackAndEndsTheConnection() async throws {
        let owner = try PolledOwner()
        defer { owner.end() }
        let (stream, other) = pair(owner.queue)
        defer { close(other) }
        owner.serve(stream)
        owner.queue.sync {
            stream.onClose = { _ in Issue.record("closed by itself") }
            stream.close()
        }
        owner.wake()
        var octet: UInt8 = 0
        #expect(recv(other, &octet, 1, 0) == 0)
        owner.queue.sync {}
    }
}
