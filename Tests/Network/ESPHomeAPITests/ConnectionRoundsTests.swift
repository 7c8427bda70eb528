import BLEWire
import NoiseChannel
import Testing

@testable import ESPHomeAPI

/// The second silence, the second frame and the second connection.
@Suite struct ConnectionRoundsTests {
    /// Octets end a silence: each one begins with a ping after 60 s, and ends the connection 150 s after the last octets.
    @Test func eachSilenceBeginsAnew() throws {
        var pair = APIPair(serverKey: nil, clientKey: nil)
        try pair.client.greet()
        try pair.exchange()
        var octets: [UInt8] = []
        var now = Instant.zero
        for round in 0..<4 {
            #expect(pair.server.deadline == now + .seconds(60), "round \(round)")
            try pair.server.handleTimeout(at: now + .seconds(59))
            #expect(pair.server.outgoingCount == 0)
            try pair.server.handleTimeout(at: now + .seconds(60))
            #expect(pair.server.outgoingCount > 0 && pair.server.deadline == now + .seconds(150))
            pair.server.takeOutgoing(&octets)
            // The client's answer comes late, each time later.
            now += .seconds(100 + 10 * round)
            pair.client.receive(octets.span, at: now)
            while let message = try pair.client.next() { pair.clientMessages.append(message) }
            pair.client.takeOutgoing(&octets)
            pair.server.receive(octets.span, at: now)
            while let message = try pair.server.next() { pair.serverMessages.append(message) }
        }
        try pair.server.handleTimeout(at: now + .seconds(60))
        try pair.server.handleTimeout(at: now + .seconds(149))
        #expect(throws: APIError.silence) { try pair.server.handleTimeout(at: now + .seconds(150)) }
        try pair.server.handleTimeout(at: now + .seconds(1000))
    }

    /// Many times as many octets as the buffer holds, in pieces of each size: the buffer does not grow, and no frame is lost.
    @Test(arguments: [1, 2, 7, 100, 4096]) func theBufferOfFramesKeepsItsSize(piece: Int) {
        var buffer = FrameBuffer()
        var written: UInt8 = 0
        var read: UInt8 = 0
        var largest = 0
        for _ in 0..<40_000 / piece + 50 {
            let octets = (0..<piece).map { written &+ UInt8(truncatingIfNeeded: $0) }
            written &+= UInt8(truncatingIfNeeded: piece)
            buffer.append(octets.span)
            // Something always stays, so that the buffer is never empty.
            while buffer.count > 3 {
                let count = min(buffer.count - 3, 11)
                let first = buffer[0]
                let range = buffer.take(count)
                #expect(first == read && buffer.octets[range.lowerBound] == read)
                read &+= UInt8(truncatingIfNeeded: count)
            }
            largest = max(largest, buffer.octets.count)
        }
        #expect(largest <= 3 * (piece + 3), "\(largest) octets for pieces of \(piece)")
    }

    @Test func aNameThatIsAlmostTheExpectedOneIsRefused() throws {
        for name in ["gatewa", "gateway2", "Gateway", "gateway ", "ateway", "g"] {
            var pair = APIPair(serverKey: APIPair.key, clientKey: APIPair.key, expectedName: name)
            try pair.client.greet()
            #expect(throws: APIError.otherName("gateway"), "\(name)") { try pair.exchange() }
        }
        var pair = APIPair(serverKey: APIPair.key, clientKey: APIPair.key, expectedName: "gateway")
        try pair.client.greet()
        try pair.exchange()
        #expect(pair.client.isReady && pair.server.isReady)
    }
}
