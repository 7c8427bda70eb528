import BLEAdapter
import BLEWire
import Dispatch
import Testing

@testable import BLETransport

/// Connections whose last octets and whose end are both there before anything is read.
@Suite struct EndingRealTimeTests {
    private let bench = Bench()

    struct Outcome: Sendable {
        var octets: [UInt8] = []
        var reason: StreamError?
    }

    /// Reads `stream` from the start to its end, with a pause after each of the first `pauses` reads.
    private func read(_ stream: DispatchStream, pauses: Int = 0) async throws -> Outcome {
        let bench = self.bench
        return try await bench.result { done in
            let outcome = Lock(Outcome())
            let pausesLeft = Lock(pauses)
            stream.onReceive = { [unowned stream] part in
                outcome.withLock { $0.octets.append(part) }
                let pauses = pausesLeft.withLock { left in
                    left -= 1
                    return left >= 0
                }
                guard pauses else { return }
                stream.pause()
                // After everything that is on the queue now.
                bench.queue.async { stream.resume() }
            }
            stream.onClose = { reason in
                done(
                    outcome.withLock { outcome in
                        outcome.reason = reason
                        return outcome
                    })
            }
            stream.start()
        }
    }

    @Test(arguments: [0, 1, 5]) func aUnixSocketIsReadToItsEnd(pauses: Int) async throws {
        let (stream, other) = socketPair(bench, readSize: 16)
        let sent = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(send(other, sent, sent.count, 0) == sent.count)
        hangUp(other)
        let outcome = try await read(stream, pauses: pauses)
        #expect(outcome.octets == sent)
        #expect(outcome.reason == .endOfStream)
    }

    @Test func anEndDuringAPauseIsReportedAfterIt() async throws {
        let (stream, other) = socketPair(bench, readSize: 16)
        #expect(send(other, [1, 2], 2, 0) == 2)
        let reason: StreamError = try await bench.result { [bench] done in
            stream.onReceive = { [unowned stream] _ in
                stream.pause()
                hangUp(other)
                // The system has the end already; the handlers of events that libdispatch has seen come before this.
                bench.queue.async { bench.queue.async { stream.resume() } }
            }
            stream.onClose = { done($0) }
            stream.start()
        }
        #expect(reason == .endOfStream)
    }

    /// A connection that this host has opened, and that its peer resets before the start: libdispatch has seen the hang-up while it connected.
    @Test func aConnectionThatEndedBeforeItsStartIsReported() async throws {
        let listener = try StreamListener(at: .tcp(host: "127.0.0.1", port: 0), queue: bench.queue)
        let (client, server) = try await bench.pair(listener)
        await bench.run {
            #expect(client.send([1, 2, 3].span) == .sent)
            // With unread octets, so that the system resets the connection.
            server.close()
        }
        let outcome = try await read(client)
        #expect(outcome.reason != nil && outcome.octets.isEmpty)
        await bench.run { listener.close() }
    }

    @Test func queuedOctetsDoNotHideTheEnd() async throws {
        let (stream, other) = socketPair(bench, readSize: 16)
        let much = [UInt8](repeating: 7, count: 1 << 20)
        _ = try await bench.result { (done: @escaping @Sendable (StreamError) -> Void) in
            stream.onClose = { done($0) }
            stream.start()
            #expect(stream.send(much.span) == .queued)
            #expect(send(other, much, 100, 0) == 100)
            hangUp(other)
        }
        // Whether reading or writing notices it first.
        #expect(await bench.run { stream.isClosed })
    }

    /// `linger`: a close that resets the connection.
    @Test(arguments: [false, true]) func aTCPConnectionIsReadToItsEnd(isReset: Bool) async throws {
        let listener = try StreamListener(
            at: .tcp(host: "127.0.0.1", port: 0), queue: bench.queue, readSize: 16)
        guard case .tcp(_, let port) = listener.address else {
            Issue.record("\(listener.address)")
            return
        }
        await bench.run { listener.start() }
        let accepted: DispatchStream = try await bench.result { [bench] done in
            listener.onAccept = { done($0) }
            // Accepted once all is there.
            bench.queue.suspend()
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let connected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            #expect(connected == 0)
            #expect(send(client, [UInt8](repeating: 5, count: 100), 100, 0) == 100)
            if isReset {
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            }
            close(client)
            bench.queue.resume()
        }
        let outcome = try await read(accepted)
        if isReset {
            guard case .failed? = outcome.reason else {
                Issue.record("\(String(describing: outcome.reason))")
                return
            }
        } else {
            #expect(outcome.octets == [UInt8](repeating: 5, count: 100))
            #expect(outcome.reason == .endOfStream)
        }
        await bench.run { listener.close() }
    }
}
