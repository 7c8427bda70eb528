import BLEWire
import Testing

@testable import BLELink

struct CreditBasedChannelsTests {
    private var small: CreditBasedConfiguration {
        var configuration = CreditBasedConfiguration()
        configuration.mtu = 100
        configuration.mps = 23
        configuration.receiveWindow = 23 * 8
        configuration.sendQueueOctets = 300
        return configuration
    }

    @Test func theRequestAndItsResponseAreEncodedAsSpecified() {
        var pair = ChannelPair()
        #expect(pair.client.connect(0x80) == 1)
        let request = pair.client.frames()
        // SPSM 0080, CID 0040, MTU 2002, MPS 2004, 65 credits.
        #expect(request.map(\.payload) == [[0x14, 0x80, 10, 0, 0x80, 0, 0x40, 0, 0xD2, 0x07, 0xD4, 0x07, 65, 0]])
        pair.server.receive(request[0].payload, on: 5)
        let answer = pair.server.frames()
        #expect(answer.map(\.payload) == [[0x15, 0x80, 10, 0, 0x40, 0, 0xD2, 0x07, 0xD4, 0x07, 65, 0, 0, 0]])
        pair.client.receive(answer[0].payload, on: 5)
        #expect(pair.client.events == [.opened(1, .init(spsm: 0x80, isIncoming: false, sendMTU: 2_002))])
        #expect(pair.server.events == [.opened(1, .init(spsm: 0x80, isIncoming: true, sendMTU: 2_002))])
        #expect(pair.client.machine.deadline == nil)
    }

    @Test func anSDUOfFullLengthFillsItsFrame() {
        var pair = ChannelPair()
        let (number, _) = pair.open()
        #expect(pair.client.send(.pattern(2_002), on: number) == .queued)
        let frames = pair.client.frames()
        #expect(frames.map(\.payload.count) == [8 * 251 - 4])
        #expect(frames[0].payload.prefix(2) == [0xD2, 0x07])
        for frame in frames { pair.server.receive(frame.payload, on: frame.channel) }
        #expect(pair.server.sdus.map(\.octets) == [.pattern(2_002)])
    }

    @Test func sdusOfAllLengthsArriveInBothDirections() {
        var pair = ChannelPair(client: small)
        let (client, server) = pair.open()
        for length in 1...100 {
            #expect(pair.client.send(.pattern(length, seed: length), on: client) == .queued)
            #expect(pair.server.send(.pattern(length, seed: -length), on: server) == .queued)
            pair.settle()
        }
        #expect(pair.server.sdus.map(\.octets) == (1...100).map { .pattern($0, seed: $0) })
        #expect(pair.client.sdus.map(\.octets) == (1...100).map { .pattern($0, seed: -$0) })
        #expect(pair.client.send([], on: client) == .invalidLength)
        #expect(pair.server.send(.pattern(101), on: server) == .invalidLength)
        #expect(pair.client.send([1], on: 77) == .notOpen)
    }

    @Test func aReaderThatStopsBlocksTheSenderWithoutLoss() {
        var pair = ChannelPair(client: small, server: small)
        let (client, server) = pair.open()
        pair.server.isReading = false
        var sent = 0
        while pair.client.send(.pattern(50, seed: sent), on: client) == .queued {
            sent += 1
            pair.settle()
            #expect(sent < 100)
        }
        // The window has room for 184 octets, and the queue of the sender is full.
        #expect(pair.server.sdus.count == 3)
        let waiting = pair.client.machine.queuedOctets(on: client)
        #expect(waiting >= pair.client.machine.configuration.sendQueueOctets)
        #expect(pair.settle() == 0)
        pair.client.clear()
        pair.server.isReading = true
        pair.server.consumed(150, on: server)
        pair.settle()
        #expect(pair.client.events == [.writable(client)])
        #expect(pair.server.sdus.map(\.octets) == (0..<sent).map { .pattern(50, seed: $0) })
    }

    @Test func channelsOfALinkTakeTurns() {
        var short = CreditBasedConfiguration()
        short.mps = 247
        var pair = ChannelPair(server: short)
        let first = pair.open().client
        let second = pair.open().client
        _ = pair.client.send(.pattern(1_000), on: first)
        _ = pair.client.send(.pattern(1_000), on: second)
        #expect(pair.client.frames().map(\.channel) == [0x40, 0x41, 0x40, 0x41, 0x40, 0x41, 0x40, 0x41, 0x40, 0x41])
    }

    @Test func closingSendsTheQueuedDataFirst() {
        var pair = ChannelPair()
        let (client, server) = pair.open()
        _ = pair.client.send(.pattern(600), on: client)
        pair.client.close(client)
        #expect(pair.client.send([1], on: client) == .notOpen)
        pair.settle()
        #expect(pair.server.sdus.map(\.octets) == [.pattern(600)])
        #expect(pair.client.events.last == .closed(client, .local))
        #expect(pair.server.events.last == .closed(server, .peer))
        #expect(pair.client.machine.count == 0)
        #expect(pair.server.machine.count == 0)
    }

    @Test func closingTimesOutWithoutCredits() {
        var pair = ChannelPair(server: small)
        pair.server.isReading = false
        let (client, server) = pair.open()
        for seed in 0..<6 { _ = pair.client.send(.pattern(100, seed: seed), on: client) }
        pair.client.close(client)
        pair.settle()
        #expect(pair.server.events.last != .closed(server, .peer))
        #expect(pair.client.machine.deadline == .zero + .seconds(10))
        pair.client.handleTimeout(at: .zero + .seconds(10))
        pair.settle(at: .zero + .seconds(10))
        #expect(pair.client.events.last == .closed(client, .local))
        #expect(pair.server.events.last == .closed(server, .peer))
    }

    @Test func theEndOfTheLinkEndsAllChannels() {
        var pair = ChannelPair()
        let (client, _) = pair.open()
        let waiting = pair.client.connect(0x80)
        pair.client.clear()
        pair.client.linkLost()
        #expect(pair.client.events == [.closed(client, .linkLost), .refused(waiting, .linkLost)])
        #expect(pair.client.machine.count == 0)
        #expect(pair.client.machine.hasFrames == false)
    }

    @Test func everyRefusalReachesTheClient() {
        var pair = ChannelPair()
        pair.server.listeners.append(CreditBasedListener(spsm: 0x81, requiresEncryption: true))
        let unknown = pair.client.connect(0x99)
        let secure = pair.client.connect(0x81)
        let invalid = pair.client.connect(0x100)
        pair.settle()
        #expect(
            pair.client.events == [
                .refused(invalid, .invalidSPSM), .refused(unknown, .result(.spsmNotSupported)),
                .refused(secure, .result(.insufficientAuthentication)),
            ])
        #expect(pair.server.events.isEmpty)
        pair.server.security.isBonded = true
        pair.client.clear()
        let known = pair.client.connect(0x81)
        pair.settle()
        #expect(pair.client.events == [.refused(known, .result(.insufficientEncryption))], "the devices share a key")
        pair.server.security.keySize = 16
        pair.client.clear()
        let again = pair.client.connect(0x81)
        pair.settle()
        #expect(pair.client.events == [.opened(again, .init(spsm: 0x81, isIncoming: false, sendMTU: 2_002))])
    }

    @Test func exhaustedResourcesRefuseChannelsOnBothSides() {
        var few = CreditBasedConfiguration()
        few.maximumChannels = 1
        var pair = ChannelPair(server: few)
        _ = pair.open()
        let second = pair.client.connect(0x80)
        pair.settle()
        #expect(pair.client.events.last == .refused(second, .result(.noResources)))
        var other = ChannelPair(client: few)
        _ = other.open()
        let third = other.client.connect(0x80)
        #expect(other.client.events.last == .refused(third, .noChannelLeft))
    }

    /// Bumble 0.0.236 refuses an identifier that it has seen on the link before as one in use, though the channel was closed.
    @Test func identifiersAreReusedAsLateAsPossible() {
        var pair = ChannelPair()
        var identifiers: [UInt8] = []
        for _ in 0..<66 {
            let number = pair.client.connect(0x80)
            let frames = pair.client.frames()
            // Code, identifier, length, SPSM, source channel.
            identifiers.append(frames.first?.payload[6] ?? 0)
            for frame in frames { pair.server.receive(frame.payload, on: frame.channel) }
            pair.settle()
            pair.client.close(number)
            pair.settle()
            #expect(pair.client.machine.count == 0)
        }
        #expect(identifiers == Array(0x40...0x7F) + [0x40, 0x41])
    }

    @Test func anUnansweredChannelRequestTimesOut() {
        var end = ChannelEnd()
        let number = end.connect(0x80)
        _ = end.frames()
        #expect(end.machine.deadline == .zero + .seconds(30))
        end.handleTimeout(at: .zero + .seconds(29))
        #expect(end.events.isEmpty)
        end.handleTimeout(at: .zero + .seconds(30))
        #expect(end.events == [.refused(number, .noAnswer)])
        #expect(end.machine.count == 0)
    }

    @Test func aCancelledRequestLeavesNoChannelAtThePeer() {
        var pair = ChannelPair()
        let number = pair.client.connect(0x80)
        pair.client.close(number)
        #expect(pair.client.events == [.refused(number, .cancelled)])
        pair.settle()
        #expect(pair.client.events.count == 1)
        #expect(pair.server.machine.count == 0)
        #expect(pair.server.events.last == .closed(1, .peer))
    }

    @Test func aPeerWithoutChannelSupportIsReported() {
        var end = ChannelEnd()
        let number = end.connect(0x80)
        _ = end.frames()
        end.receive([0x01, 0x80, 2, 0, 0, 0], on: 5)
        #expect(end.events == [.refused(number, .notUnderstood)])
    }
}
