import Testing

@testable import MQTTClient

/// Messages to a broker: acknowledgements, packet identifiers, and the limits of both ends.
@Suite struct MQTTPublishingTests {
    private typealias Version = MQTTConfiguration.Version

    @Test func anAcknowledgedMessageEndsWithTheAnswer() {
        for version in [Version.v311, .v5] {
            var bench = SessionBench.accepted(version)
            bench.publish(7)
            bench.publish(8)
            #expect(bench.output().count == (version == .v5 ? 16 : 14) && bench.events().isEmpty)
            bench.receive("40 02 00 02")
            bench.receive("40 02 00 01 40 02 00 01 40 02 12 34")
            #expect(bench.events() == [.published(8, refusal: nil), .published(7, refusal: nil)])
        }
    }

    @Test func theReasonOfPUBACKCounts() {
        var bench = SessionBench.accepted()
        for number in 1...6 as ClosedRange<UInt64> { bench.publish(number) }
        bench.receive("40 03 00 01 10 40 03 00 02 80 40 03 00 03 83 40 03 00 04 97")
        bench.receive("40 03 00 05 87 40 08 00 06 90 04 1F 00 01 78")
        #expect(
            bench.events() == [
                .published(1, refusal: nil), .postponed(2, reason: "Unspecified error."),
                .postponed(3, reason: "Implementation specific error."), .postponed(4, reason: "Quota exceeded."),
                .published(5, refusal: "Not authorized."), .published(6, refusal: "Topic name invalid (x)."),
            ])
    }

    @Test func aMessageWithoutAcknowledgementEndsWithItsWrite() {
        var bench = SessionBench.accepted()
        bench.publish(1, isAcknowledged: false)
        bench.session.wrote()
        #expect(bench.events().isEmpty)
        let taken = bench.session.takeOutput()
        #expect(taken == hexadecimal("30 04 00 01 74 00"))
        bench.publish(2, isAcknowledged: false)
        #expect(bench.events().isEmpty)
        bench.session.wrote()
        #expect(bench.events() == [.published(1, refusal: nil)])
        _ = bench.output()
        #expect(bench.events() == [.published(2, refusal: nil)])
    }

    @Test func manyMessagesLeaveTogether() {
        var bench = SessionBench.accepted()
        for number in 0..<1000 as Range<UInt64> { bench.publish(number) }
        #expect(bench.session.takeOutput().count == 8000)
    }

    @Test func identifiersBeginAgainAndSkipThoseInUse() {
        var bench = SessionBench.accepted(.v311)
        bench.session.subscribe("a", at: bench.now)
        bench.publish(2)
        _ = bench.output()
        // 3 to 65,535, each acknowledged at once.
        for identifier in 3...65_535 as ClosedRange<UInt64> {
            bench.publish(identifier)
            let (high, low) = (UInt8(identifier >> 8), UInt8(identifier & 0xFF))
            let sent = bench.output()
            #expect(Array(sent.suffix(2)) == [high, low])
            bench.receive([0x40, 2, high, low])
        }
        bench.receive("40 02 00 02")
        #expect(bench.events().count == 65_534)
        // 1 belongs to the subscription.
        bench.publish(1)
        #expect(Array(bench.output().suffix(2)) == [0, 2])
        bench.publish(2)
        #expect(Array(bench.output().suffix(2)) == [0, 3])
        bench.receive("90 03 00 01 01")
        #expect(bench.events() == [.subscribed("a", refusal: nil)])
    }

    @Test func withoutAFreeIdentifierAMessageWaits() {
        var bench = SessionBench.accepted(.v311)
        for number in 0..<65_535 as Range<UInt64> { bench.publish(number) }
        _ = bench.output()
        bench.publish(65_535)
        bench.session.subscribe("a", at: bench.now)
        bench.session.unsubscribe("a", at: bench.now)
        #expect(!bench.session.hasOutput)
        #expect(bench.events() == [.subscribed("a", refusal: "Too many requests wait for the broker.")])
        bench.receive("40 02 12 34")
        #expect(Array(bench.output().suffix(2)) == [0x12, 0x34])
    }

    @Test func theReceiveMaximumOfTheBrokerIsKept() {
        var bench = SessionBench.accepted(properties: "21 00 02")
        for number in 1...4 as ClosedRange<UInt64> { bench.publish(number) }
        // The order stays.
        bench.publish(5, isAcknowledged: false)
        #expect(bench.output().count == 16)
        bench.receive("40 02 00 01")
        #expect(bench.output().count == 8)
        bench.receive("40 03 00 02 97 40 02 00 02")
        #expect(bench.output() == hexadecimal("32 06 00 01 74 00 04 00 30 04 00 01 74 00"))
        let numbers = bench.events().compactMap { event in
            switch event {
            case .published(let number, nil), .postponed(let number, _): number
            default: nil
            }
        }
        #expect(numbers == [1, 2, 5])
    }

    @Test func whatWaitsIsBounded() {
        var bench = SessionBench.accepted(properties: "21 00 01")
        let payload = [UInt8](repeating: 0, count: 1 << 20)
        for number in 0..<10 as Range<UInt64> {
            bench.session.publish(MQTTPublication(topic: "t", payload: payload), number: number, at: bench.now)
        }
        let postponed = (4...9).map {
            MQTTEvent.postponed(UInt64($0), reason: "Too many messages wait for the broker.")
        }
        // The first one is in the output.
        #expect(bench.events() == Array([.postponed(3, reason: "Too many messages wait for the broker.")] + postponed))
        #expect(bench.session.takeOutput().count < 2 << 20)
        // The room comes back with each acknowledgement.
        for round in 1..<100 as Range<UInt64> {
            bench.receive([0x40, 2, 0, UInt8(round)])
            _ = bench.output()
            bench.session.publish(MQTTPublication(topic: "t", payload: payload), number: round, at: bench.now)
            let isPostponed = bench.events().contains { event in
                if case .postponed = event { true } else { false }
            }
            #expect(!isPostponed, "\(round)")
        }
        // A message that is larger than the limit goes alone.
        var other = SessionBench.accepted()
        let large = MQTTPublication(topic: "t", payload: [UInt8](repeating: 0, count: 6 << 20))
        other.session.publish(large, number: 1, at: other.now)
        other.session.publish(large, number: 2, at: other.now)
        #expect(other.session.takeOutput().count > 6 << 20 && other.events().count == 1)
    }

    @Test func whatABrokerDoesNotTakeIsRefusedHere() throws {
        var bench = SessionBench.accepted(properties: "27 00 00 00 20 24 00 25 00")
        func refusal(_ message: MQTTPublication) throws -> String {
            bench.session.publish(message, number: 1, at: bench.now)
            guard case .published(1, let refusal?) = bench.events().first else { return "" }
            return refusal
        }
        #expect(try refusal(MQTTPublication(topic: "t", payload: [])).contains("quality of service 1"))
        let retained = MQTTPublication(topic: "t", payload: [], isAcknowledged: false, isRetained: true)
        #expect(try refusal(retained).contains("retain"))
        for topic in ["", "a/+", "#", "a\0b", String(repeating: "x", count: 65_536)] {
            let message = MQTTPublication(topic: topic, payload: [], isAcknowledged: false)
            #expect(try refusal(message).hasPrefix("The topic is"))
        }
        for count in 0...40 {
            let payload = [UInt8](repeating: 0, count: count)
            let message = MQTTPublication(topic: "t", payload: payload, isAcknowledged: false)
            // 6 octets before the payload.
            #expect(try refusal(message).contains("larger") == (count > 26), "\(count)")
        }
        #expect(bench.output().count == (6...32).reduce(0, +))
        #expect(bench.events().count == 27)
        bench.session.subscribe(String(repeating: "x", count: 17), at: bench.now)
        bench.session.subscribe("a/#/b", at: bench.now)
        #expect(bench.events().count == 2 && !bench.session.hasOutput)
    }
}
