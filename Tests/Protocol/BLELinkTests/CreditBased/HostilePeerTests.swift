import BLEWire
import Testing

@testable import BLELink

/// Peers that break the rules of credit-based channels.
struct HostileChannelPeerTests {
    private static let request: [UInt8] = [0x14, 2, 10, 0, 0x80, 0, 0x41, 0, 100, 0, 100, 0, 1, 0]

    /// A server with one channel of a client whose end is 0041.
    private func open(_ configuration: CreditBasedConfiguration = .init()) -> ChannelEnd {
        var end = ChannelEnd(configuration)
        end.listeners = [CreditBasedListener(spsm: 0x80, requiresEncryption: false)]
        #expect(end.answer(Self.request).count == 1)
        end.clear()
        return end
    }

    private func answer(_ change: (inout [UInt8]) -> Void) -> UInt8? {
        var end = open()
        var request = Self.request
        change(&request)
        let answers = end.answer(request)
        return answers.first.map { $0[0] == 0x15 ? $0[12] : $0[0] }
    }

    @Test func invalidRequestsGetTheSpecifiedResult() {
        #expect(answer { $0[6] = 0x42 } == 0x00)
        #expect(answer { _ in } == 0x0A, "the source channel is taken")
        #expect(answer { $0[6] = 0x3F } == 0x09, "below the dynamic channels")
        #expect(answer { $0[6] = 0x80 } == 0x09, "above them")
        #expect(answer { ($0[6], $0[8]) = (0x42, 22) } == 0x0B, "MTU 22")
        #expect(answer { ($0[6], $0[10]) = (0x42, 22) } == 0x0B, "MPS 22")
        #expect(answer { ($0[6], $0[10], $0[11]) = (0x42, 0xFE, 0xFF) } == 0x0B, "MPS 65534")
        #expect(answer { $0[4] = 0x90 } == 0x02, "no such service")
        #expect(
            answer {
                $0.removeLast(); $0[2] = 9
            } == 0x01, "too short: Command Reject")
    }

    @Test func unreadResponsesDoNotGrowMemory() {
        var end = open()
        let requests: [[UInt8]] = [
            [0x14, 2, 10, 0, 0x90, 0, 0x42, 0, 100, 0, 100, 0, 1, 0], [0x14, 2, 2, 0, 0x90, 0], [0x16, 3, 1, 0, 9],
            [0x06, 4, 4, 0, 0x77, 0, 0x77, 0],
        ]
        for number in 0..<10_000 { end.receive(requests[number % 4], on: 5) }
        #expect(end.machine.waitingSignalOctets < 2 * CreditBasedChannels.waitingSignalLimit)
        // Once the answers have gone, it is answered again.
        _ = end.frames()
        #expect(end.answer(requests[0]).count == 1)
    }

    private func violation(
        _ configuration: CreditBasedConfiguration = .init(), _ attack: (inout ChannelEnd) -> Void
    ) -> CreditBasedEnd? {
        var end = open(configuration)
        end.isReading = false
        attack(&end)
        // Its disconnection request: destination 0041, source 0040.
        let asked = end.frames().contains {
            $0.channel == 5 && $0.payload[0] == 0x06 && $0.payload[4...] == [0x41, 0, 0x40, 0]
        }
        guard case .closed(_, let reason)? = end.events.last, asked else { return nil }
        return reason
    }

    @Test func channelsWithViolationsAreClosed() {
        #expect(violation { $0.receive([UInt8](repeating: 0, count: 2_005), on: 0x40) } == .violation(.frameTooLong))
        #expect(violation { $0.receive([5], on: 0x40) } == .violation(.frameTooShort))
        #expect(violation { $0.receive([0xD3, 7, 1], on: 0x40) } == .violation(.sduTooLong))
        #expect(violation { $0.receive([1, 0, 1, 2], on: 0x40) } == .violation(.sduOverrun))
        let overrun = violation {
            $0.receive([3, 0, 1, 2], on: 0x40)
            $0.receive([3, 4], on: 0x40)
        }
        #expect(overrun == .violation(.sduOverrun))
        #expect(violation { $0.receive([0x16, 9, 4, 0, 0x41, 0, 0xFF, 0xFF], on: 5) } == .violation(.creditOverflow))
        let flood = violation { end in
            for _ in 0..<700 { end.receive([200, 0] + [UInt8](repeating: 1, count: 200), on: 0x40) }
        }
        #expect(flood == .violation(.noCredit))
    }

    @Test func queuedOctetsOfAFloodAreBounded() {
        var end = open()
        end.isReading = false
        for _ in 0..<10_000 { end.receive([245, 0] + [UInt8](repeating: 1, count: 245), on: 0x40) }
        #expect(end.sdus.map(\.octets.count).reduce(0, +) <= end.machine.configuration.receiveWindow)
    }

    @Test func manyChannelsShareTheWindowOfALink() {
        var end = ChannelEnd()
        end.listeners = [CreditBasedListener(spsm: 0x80, requiresEncryption: false)]
        end.isReading = false
        let frame = [0xD2, 7] + [UInt8](repeating: 1, count: 2_002)
        var taken: [Int] = []
        for number: UInt8 in 0..<32 {
            var request = Self.request
            (request[1], request[6]) = (number + 1, 0x41 + number)
            let answer = end.answer(request)[0]
            #expect(answer[12...13] == [0, 0])
            let credits = Int(answer[10]) | Int(answer[11]) << 8
            taken.append(credits * frame.count)
            for _ in 0..<credits { end.receive(frame, on: UInt16(answer[4])) }
        }
        // The first two have all that one may have; none has too little.
        let window = end.machine.configuration.receiveWindow
        #expect(taken[0] > window - frame.count && taken[1] == taken[0])
        #expect(taken.allSatisfy { $0 > 32_768 - frame.count })
        #expect(end.sdus.map(\.octets.count).reduce(0, +) < 1_400_000)
        #expect(end.machine.count == 32)
        // What the reader takes of the first brings no more than its present share.
        let read = end.sdus.reduce(0) { $1.number == 1 ? $0 + $1.octets.count : $0 }
        end.clear()
        end.machine.consumed(read, on: 1)
        let credit = end.frames().first { $0.payload[0] == 0x16 }?.payload
        #expect(credit.map { Int($0[6]) } == 32_768 / frame.count)
    }

    @Test func creditsUpTo65535AreAllowed() {
        var end = open()
        end.receive([0x16, 9, 4, 0, 0x41, 0, 0xFE, 0xFF], on: 5)
        #expect(end.events.isEmpty)
        end.receive([0x16, 9, 4, 0, 0x41, 0, 1, 0], on: 5)
        #expect(end.events == [.closed(1, .violation(.creditOverflow))])
    }

    @Test func disconnectionsAreValidated() {
        var end = open()
        // A channel that does not exist: Command Reject, invalid channel identifier, with both.
        #expect(end.answer([0x06, 7, 4, 0, 0x50, 0, 0x41, 0]) == [[0x01, 7, 6, 0, 2, 0, 0x50, 0, 0x41, 0]])
        #expect(end.outcome == .fault(.malformed))
        // The right destination with the wrong source: silence.
        #expect(end.answer([0x06, 7, 4, 0, 0x40, 0, 0x42, 0]) == [])
        #expect(end.events.isEmpty && end.outcome == .fault(.malformed))
        // An unsolicited response.
        #expect(end.answer([0x07, 7, 4, 0, 0x41, 0, 0x40, 0]) == [])
        #expect(end.events.isEmpty && end.outcome == .fault(.unexpectedResponse))
        #expect(end.answer([0x06, 7, 4, 0, 0x40, 0, 0x41, 0]) == [[0x07, 7, 4, 0, 0x40, 0, 0x41, 0]])
        #expect(end.events == [.closed(1, .peer)] && end.outcome == .handled)
        #expect(end.answer([0x06, 8, 4, 0, 0x40, 0, 0x41, 0]).first?[0] == 0x01)
    }

    @Test func invalidResponsesOpenNoChannel() {
        for (remote, mtu, mps) in [(0x3F, 100, 100), (0x80, 100, 100), (0x40, 22, 100), (0x40, 100, 22)]
            as [(UInt8, UInt8, UInt8)]
        {
            var end = ChannelEnd()
            let number = end.connect(0x80)
            _ = end.frames()
            end.receive([0x15, 0x80, 10, 0, remote, 0, mtu, 0, mps, 0, 1, 0, 0, 0], on: 5)
            #expect(end.events == [.refused(number, .invalidResponse)])
        }
        var end = ChannelEnd()
        _ = end.connect(0x80)
        // Another identifier than that of the request.
        end.receive([0x15, 0x81, 10, 0, 0x40, 0, 100, 0, 100, 0, 1, 0, 0, 0], on: 5)
        #expect(end.events.isEmpty)
    }

    @Test func aClosedChannelReceivesNothing() {
        var end = open()
        end.receive([5], on: 0x40)
        end.clear()
        end.receive([1, 0, 9], on: 0x40)
        end.receive([0x16, 9, 4, 0, 0x41, 0, 0xFF, 0xFF], on: 5)
        #expect(end.events.isEmpty)
        #expect(end.machine.receive([1, 0, 9].span, on: .init(rawValue: 0x55), at: .zero) == false)
    }

    @Test func packetsInAnyOrderDoNotTrap() {
        for seed in 0..<60 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var end = open()
            let mine = end.connect(0x80)
            for step in 0..<400 {
                let now = Instant.zero + .milliseconds(step * 100)
                let length = Int.random(in: 0...30, using: &random)
                var octets = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                switch Int.random(in: 0..<8, using: &random) {
                case 0...2:
                    // A signalling packet with a good header, its values near those in use.
                    let code = [0x01, 0x06, 0x07, 0x14, 0x15, 0x16].randomElement(using: &random) ?? 0
                    octets = octets.map {
                        $0 & 1 == 0 ? [0x40, 0x41, 0x80, 0, 1].randomElement(using: &random) ?? 0 : $0
                    }
                    octets = Array(octets.prefix(12))
                    let identifier = UInt8.random(in: 0x7E...0x83, using: &random)
                    end.receive([UInt8(code), identifier, UInt8(octets.count), 0] + octets, on: 5, at: now)
                case 3: end.receive(octets, on: 5, at: now)
                case 4, 5: end.receive(octets, on: UInt16.random(in: 0x3F...0x43, using: &random), at: now)
                case 6: _ = end.send(octets, on: UInt32.random(in: 0...4, using: &random))
                default:
                    end.handleTimeout(at: now)
                    if Bool.random(using: &random) { end.close(mine, at: now) }
                }
                for frame in end.frames(at: now, limit: 20) where frame.channel == 5 {
                    #expect(frame.payload.count <= 23)
                }
            }
            end.linkLost()
            let opened = end.events.filter { if case .opened = $0 { true } else { false } }.count
            let closed = end.events.filter { if case .closed = $0 { true } else { false } }.count
            // The channel that was open at the start counts, too.
            #expect(closed == opened + 1)
        }
    }
}
