import BLEWire
import Testing

@testable import BLELink

/// A connection request of the enhanced mode in octets.
func enhancedRequest(
    _ ends: [UInt8], spsm: UInt8 = 0x80, mtu: UInt8 = 100, mps: UInt8 = 100, credits: UInt8 = 1, identifier: UInt8 = 2
) -> [UInt8] {
    let head = [0x17, identifier, UInt8(8 + 2 * ends.count), 0, spsm, 0, mtu, 0, mps, 0, credits, 0]
    return head + ends.flatMap { [$0, 0] }
}

extension ChannelEnd {
    static let enhancedOffer = CreditBasedOffer(.enhanced, mtu: 100, mps: 102)

    /// Requests channels, and returns the request as well.
    mutating func connectEnhanced(_ count: Int, at now: Instant = .zero) -> (numbers: [UInt32], request: [UInt8]) {
        let numbers = machine.connect(count, spsm: 0x80, offer: Self.enhancedOffer, at: now)
        collect()
        return (numbers, frames(at: now).first?.payload ?? [])
    }

    /// The result and this side's ends in the answer to a request.
    mutating func enhancedAnswer(_ request: [UInt8]) -> (result: UInt8, ends: [UInt8])? {
        let answers = answer(request)
        guard answers.count == 1, let answer = answers.first, answer.count >= 12, answer[0] == 0x18,
            answer[1] == request[1]
        else { return nil }
        return (answer[10], stride(from: 12, to: answer.count, by: 2).map { answer[$0] })
    }

    /// The result in the answer to a request for new limits.
    mutating func reconfigureAnswer(mtu: UInt8, mps: UInt8, _ ends: [UInt8]) -> UInt8? {
        let answers = answer([0x19, 9, UInt8(4 + 2 * ends.count), 0, mtu, 0, mps, 0] + ends.flatMap { [$0, 0] })
        guard answers.count == 1, answers[0].count == 6, answers[0][0] == 0x1A, answers[0][1] == 9 else { return nil }
        return answers[0][4]
    }
}

/// Channels of the enhanced mode, as server (Vol 3, Part A, 4.25 and 4.26).
struct EnhancedServerTests {
    private func server(limit: Int = .max) -> ChannelEnd {
        var end = ChannelEnd()
        var listener = CreditBasedListener(spsm: 0x80, requiresEncryption: false)
        listener.channelLimit = limit
        end.listeners = [listener]
        return end
    }

    @Test("L2CAP/ECFC/BV-03-C: a request opens up to five channels")
    func aRequestOpensUpToFiveChannels() throws {
        var end = server()
        let opened = end.enhancedAnswer(enhancedRequest([0x41, 0x42, 0x43, 0x44, 0x45]))
        #expect(opened?.result == 0 && opened?.ends == [0x40, 0x41, 0x42, 0x43, 0x44])
        let information = CreditBasedChannelInformation(spsm: 0x80, isIncoming: true, sendMTU: 100)
        #expect(end.events == (1...5).map { .opened($0, information) })
        // A second request finds other ends.
        let second = end.enhancedAnswer(enhancedRequest([0x50], identifier: 3))
        #expect(second?.result == 0 && second?.ends == [0x45])
    }

    @Test("L2CAP/ECFC/BV-26-C, BV-28-C: requests with invalid values open no channel")
    func invalidRequestsOpenNoChannel() throws {
        let cases: [([UInt8], UInt8)] = [
            (enhancedRequest([0x41, 0x42], spsm: 0x81), 0x02), (enhancedRequest([0x41, 0x42], mtu: 63), 0x0C),
            (enhancedRequest([0x41, 0x42], mps: 63), 0x0C), (enhancedRequest([0x41, 0x42], credits: 0), 0x0C),
        ]
        for (request, result) in cases {
            var end = server()
            let refused = end.enhancedAnswer(request)
            #expect(refused?.result == result && refused?.ends == [0, 0])
            #expect(end.events.isEmpty && end.machine.count == 0)
        }
        var end = server()
        let least = end.enhancedAnswer(enhancedRequest([0x41], mtu: 64, mps: 64))
        #expect(least?.result == 0)
    }

    @Test("L2CAP/ECFC/BV-20-C: channels with an invalid or used source are refused, the others open")
    func channelsWithABadSourceAreRefused() throws {
        var end = server()
        let invalid = end.enhancedAnswer(enhancedRequest([0x3F, 0x41, 0x80]))
        #expect(invalid?.result == 0x09 && invalid?.ends == [0, 0x40, 0])
        let used = end.enhancedAnswer(enhancedRequest([0x41, 0x42, 0x42], identifier: 3))
        #expect(used?.result == 0x0A && used?.ends == [0, 0x41, 0])
        #expect(end.machine.count == 2)
    }

    @Test("L2CAP/ECFC/BV-17-C: channels above the limit of a service are refused")
    func channelsAboveTheLimitAreRefused() throws {
        var end = server(limit: 3)
        let first = end.enhancedAnswer(enhancedRequest([0x41, 0x42, 0x43, 0x44, 0x45]))
        #expect(first?.result == 0x04 && first?.ends == [0x40, 0x41, 0x42, 0, 0])
        let full = end.enhancedAnswer(enhancedRequest([0x46], identifier: 3))
        #expect(full?.result == 0x04 && full?.ends == [0])
        // The end of a channel makes room.
        #expect(end.answer([0x06, 4, 4, 0, 0x41, 0, 0x42, 0]).first?[0] == 0x07)
        let again = end.enhancedAnswer(enhancedRequest([0x46], identifier: 5))
        #expect(again?.result == 0 && end.machine.count == 3)
    }

    @Test("L2CAP/ECFC/BV-11-C, BV-32-C: channels need the security of the service")
    func channelsNeedTheSecurityOfTheService() throws {
        var end = server()
        end.listeners[0].requiresEncryption = true
        #expect(end.enhancedAnswer(enhancedRequest([0x41]))?.result == 0x05)
        end.security.isBonded = true
        #expect(end.enhancedAnswer(enhancedRequest([0x41]))?.result == 0x08)
        #expect(end.machine.count == 0)
    }

    @Test("L2CAP/ECFC/BI-08-C: packets of a wrong size are refused")
    func packetsOfAWrongSizeAreRefused() {
        var end = server()
        #expect(end.answer([0x17, 2, 8, 0, 0x80, 0, 100, 0, 100, 0, 1, 0]) == [[0x01, 2, 2, 0, 0, 0]], "no channel")
        #expect(end.answer([0x17, 2, 9, 0, 0x80, 0, 100, 0, 100, 0, 1, 0, 0x41]) == [[0x01, 2, 2, 0, 0, 0]])
        #expect(end.answer([0x19, 3, 4, 0, 100, 0, 100, 0]) == [[0x01, 3, 2, 0, 0, 0]])
        // Six channels exceed the MTU of the signalling channel, which `SignallingChannel` refuses.
        let six = enhancedRequest([0x41, 0x42, 0x43, 0x44, 0x45, 0x46])
        #expect(end.machine.receive(signal: six.span, listeners: end.listeners, security: .none, at: .zero) == .notOurs)
        var signalling = SignallingChannel(role: .peripheral)
        var output: [UInt8] = []
        #expect(signalling.receive(six.span, output: &output) == .refused(.tooLong))
        #expect(output == [0x01, 2, 4, 0, 1, 0, 23, 0])
        // Identifier 0, and answers that nobody waits for.
        #expect(end.answer(enhancedRequest([0x41], identifier: 0)) == [])
        #expect(end.answer([0x18, 9, 10, 0, 100, 0, 100, 0, 1, 0, 0, 0, 0x41, 0]) == [])
        #expect(end.answer([0x1A, 9, 2, 0, 0, 0]) == [])
        #expect(end.events.isEmpty && end.machine.count == 0)
    }

    @Test func aServiceWithAnOfferTakesNoBasicChannels() throws {
        var end = server()
        end.listeners[0].offer = CreditBasedOffer(.enhanced, mtu: 70, mps: 72)
        #expect(end.answer([0x14, 2, 10, 0, 0x80, 0, 0x41, 0, 100, 0, 100, 0, 1, 0]).first?[12] == 0x02)
        let answers = end.answer(enhancedRequest([0x41]))
        #expect(answers.first?[4...7] == [70, 0, 72, 0])
        // An SDU above the offer ends its channel alone.
        end.receive([71, 0] + [UInt8](repeating: 1, count: 70), on: 0x40)
        #expect(end.events.last == .closed(1, .violation(.sduTooLong)))
    }

    @Test func stormsOfRequestsAreBounded() {
        var end = server()
        _ = end.answer(enhancedRequest([0x41, 0x42]))
        end.clear()
        let requests: [[UInt8]] = [
            enhancedRequest([0x41], identifier: 3), [0x19, 4, 6, 0, 100, 0, 100, 0, 0x41, 0],
            [0x19, 5, 6, 0, 1, 0, 1, 0, 0x41, 0],
        ]
        for step in 0..<10_000 { end.receive(requests[step % 3], on: 5) }
        #expect(end.machine.waitingSignalOctets < 2 * CreditBasedChannels.waitingSignalLimit)
        _ = end.frames()
        #expect(end.answer(requests[1]) == [[0x1A, 4, 2, 0, 0, 0]])
        // Channels that come and go for ever.
        for _ in 0..<1_000 {
            #expect(end.answer(enhancedRequest([0x50], identifier: 7)).first?[10] == 0)
            let local = UInt8(truncatingIfNeeded: end.machine.channels.last?.local.rawValue ?? 0)
            #expect(end.answer([0x06, 8, 4, 0, local, 0, 0x50, 0]).count == 1)
            end.clear()
        }
        #expect(end.machine.count == 2)
    }
}

/// Channels of the enhanced mode, as client.
struct EnhancedClientTests {
    private func respond(_ request: [UInt8], _ result: UInt8, _ ends: [UInt8], mtu: UInt8 = 90) -> [UInt8] {
        [0x18, request[1], UInt8(8 + 2 * ends.count), 0, mtu, 0, 90, 0, 5, 0, result, 0] + ends.flatMap { [$0, 0] }
    }

    @Test("L2CAP/ECFC/BV-02-C, L2CAP/COS/ECFC/BV-03-C: five channels carry data side by side")
    func fiveChannelsCarryData() {
        var pair = ChannelPair()
        for round in 1...2 {
            let (numbers, request) = pair.client.connectEnhanced(5)
            #expect(numbers.count == 5 && request.count == 22)
            pair.server.receive(request, on: 5)
            pair.settle()
            let opened = pair.client.events.count { if case .opened = $0 { true } else { false } }
            #expect(opened == 5 * round)
            pair.server.clear()
            for (index, number) in numbers.enumerated() {
                #expect(pair.client.send(.pattern(100, seed: index), on: number) == .queued)
            }
            pair.settle()
            #expect(pair.server.sdus.map(\.octets) == (0..<5).map { .pattern(100, seed: $0) })
            for number in numbers { pair.client.close(number) }
            pair.settle()
            #expect(pair.client.machine.count == 0 && pair.server.machine.count == 0)
        }
    }

    @Test("L2CAP/ECFC/BV-04-C, BV-10-C, BV-12-C, BV-14-C, BV-21-C, BV-31-C: a refusal ends all channels of a request")
    func aRefusalEndsAllChannels() {
        for result: UInt8 in [0x02, 0x05, 0x06, 0x07, 0x08, 0x0B, 0x0C, 0x7F] {
            var end = ChannelEnd()
            let (numbers, request) = end.connectEnhanced(2)
            // Ends beside a refusal of all do not count, and some peers leave them out.
            end.receive(respond(request, result, result == 5 ? [] : [0x40, 0x41]), on: 5)
            let error = CreditBasedConnectionError.result(.init(rawValue: UInt16(result)))
            #expect(end.events == numbers.map { .refused($0, error) })
            #expect(end.machine.count == 0 && end.machine.deadline == nil)
        }
    }

    @Test("L2CAP/ECFC/BV-16-C, BV-18-C, BV-19-C: some channels open, the others are refused")
    func someChannelsOpen() {
        for result: UInt8 in [0x04, 0x09, 0x0A] {
            var end = ChannelEnd()
            let (numbers, request) = end.connectEnhanced(3)
            end.receive(respond(request, result, [0, 0x41]), on: 5)
            let information = CreditBasedChannelInformation(spsm: 0x80, isIncoming: false, sendMTU: 90)
            let error = CreditBasedConnectionError.result(.init(rawValue: UInt16(result)))
            #expect(
                end.events == [
                    .refused(numbers[0], error), .opened(numbers[1], information), .refused(numbers[2], error),
                ])
        }
    }

    @Test("L2CAP/ECFC/BV-01-C: a peer without the mode rejects the request")
    func aRejectEndsAllChannels() {
        var end = ChannelEnd()
        let (numbers, request) = end.connectEnhanced(3)
        end.receive([0x01, request[1], 2, 0, 0, 0], on: 5)
        #expect(end.events == numbers.map { .refused($0, .notUnderstood) })
        #expect(end.machine.count == 0)
    }

    @Test func aPendingAnswerProlongsTheWait() {
        var end = ChannelEnd()
        let (numbers, request) = end.connectEnhanced(1)
        for result: UInt8 in [0x0D, 0x0E, 0x0F] {
            end.receive(respond(request, result, [0]), on: 5, at: .zero + .seconds(29))
        }
        end.handleTimeout(at: .zero + .seconds(31))
        #expect(end.events.isEmpty && end.machine.deadline == .zero + .seconds(89))
        end.receive(respond(request, 0, [0x41]), on: 5)
        #expect(end.events.count == 1 && end.machine.deadline == nil)
        // The answer comes once.
        end.receive(respond(request, 0, [0x42]), on: 5)
        #expect(end.events.count == 1)
        #expect(end.send([1], on: numbers[0]) == .queued)
        let (more, _) = end.connectEnhanced(1)
        end.handleTimeout(at: .zero + .seconds(30))
        #expect(end.events.last == .refused(more[0], .noAnswer))
    }

    @Test("L2CAP/ECFC/BV-29-C: neither of two channels with one end is used")
    func duplicateEndsCloseBothChannels() {
        var end = ChannelEnd()
        let (first, request) = end.connectEnhanced(1)
        end.receive(respond(request, 0, [0x41]), on: 5)
        let (second, again) = end.connectEnhanced(2)
        end.clear()
        end.receive(respond(again, 0, [0x41, 0x42]), on: 5)
        #expect(
            end.events.prefix(2) == [
                .refused(second[0], .invalidResponse), .closed(first[0], .violation(.duplicateChannel)),
            ])
        #expect(end.frames().map(\.payload) == [[0x06, again[1] + 1, 4, 0, 0x41, 0, 0x40, 0]])
        #expect(end.send([1], on: second[1]) == .queued)
        #expect(end.send([1], on: first[0]) == .notOpen && end.send([1], on: second[0]) == .notOpen)
        // Twice in one answer.
        var other = ChannelEnd()
        let (numbers, twice) = other.connectEnhanced(2)
        other.receive(respond(twice, 0, [0x41, 0x41]), on: 5)
        let sent = numbers.map { other.send([1], on: $0) }
        #expect(sent == [.notOpen, .notOpen])
    }

    @Test func unusableAnswersOpenNoChannel() {
        for (ends, mtu) in [([0x3F], 90), ([0x80], 90), ([0], 90), ([], 90), ([0x41], 63)] as [([UInt8], UInt8)] {
            var end = ChannelEnd()
            let (numbers, request) = end.connectEnhanced(1)
            end.receive(respond(request, 0, ends, mtu: mtu), on: 5)
            #expect(end.events == [.refused(numbers[0], .invalidResponse)] && end.outcome == .fault(.malformed))
            // A channel that the peer opened in vain is closed.
            #expect(end.frames().contains { $0.payload.first == 0x06 } == (mtu == 63))
        }
        var end = ChannelEnd()
        let (_, request) = end.connectEnhanced(1)
        // The response of the other mode.
        end.receive([0x15, request[1], 10, 0, 0x41, 0, 100, 0, 100, 0, 1, 0, 0, 0], on: 5)
        #expect(end.events.isEmpty && end.outcome == .fault(.unexpectedResponse))
    }

    @Test func aRequestHasAtMostFiveChannelsAndThoseThatFit() {
        var configuration = CreditBasedConfiguration()
        configuration.maximumChannels = 7
        var end = ChannelEnd(configuration)
        #expect(end.connectEnhanced(9).numbers.count == 5)
        #expect(end.connectEnhanced(5).numbers.count == 2)
        #expect(end.connectEnhanced(5).numbers == [])
        #expect(end.machine.connect(1, spsm: 0, offer: ChannelEnd.enhancedOffer, at: .zero) == [])
    }

    @Test func packetsOfTheModeInAnyOrderDoNotTrap() {
        for seed in 0..<60 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var end = ChannelEnd()
            end.listeners = [CreditBasedListener(spsm: 0x80, requiresEncryption: false)]
            var numbers: [UInt32] = []
            for step in 0..<300 {
                let now = Instant.zero + .milliseconds(step * 200)
                var octets = (0..<Int.random(in: 0...18, using: &random)).map { _ in
                    [0x40, 0x41, 0x42, 0x43, 0x80, 0, 1, 100].randomElement(using: &random) ?? UInt8(0)
                }
                if Bool.random(using: &random) {
                    octets = Array(enhancedRequest(Array(octets.prefix(5))).dropFirst(4))
                }
                switch Int.random(in: 0..<5, using: &random) {
                case 0...2:
                    let code = UInt8.random(in: 0x15...0x1A, using: &random)
                    let identifier = UInt8.random(in: 0x7F...0x86, using: &random)
                    end.receive([code, identifier, UInt8(octets.count), 0] + octets, on: 5, at: now)
                case 3: numbers += end.connectEnhanced(Int.random(in: 1...5, using: &random), at: now).numbers
                default:
                    end.handleTimeout(at: now)
                    if let number = numbers.randomElement(using: &random) { end.close(number, at: now) }
                }
                for frame in end.frames(at: now, limit: 20) where frame.channel == 5 {
                    #expect(frame.payload.count <= 23)
                }
            }
            end.linkLost()
            let opened = end.events.filter { if case .opened = $0 { true } else { false } }.count
            let closed = end.events.filter { if case .closed = $0 { true } else { false } }.count
            #expect(closed == opened)
        }
    }
}
