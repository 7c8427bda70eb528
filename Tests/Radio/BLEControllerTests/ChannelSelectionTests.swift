import BLEWire
import Testing

@testable import BLEController

@Test func algorithm2GivesTheSpecificationsSampleSequence() {
    // Vol 6, Part C, 3: access address 0x8E89BED6.
    #expect(
        (0..<4).map { ChannelSelection.pseudoRandom(event: $0, identifier: 0x305F) } == [56857, 1685, 38301, 27475])
    var selection = ChannelSelection.second(accessAddress: 0x8E89_BED6)
    #expect((0..<4).map { selection.channel(event: $0, map: .all) } == [25, 20, 6, 21])
    let nine = LL.ChannelMap(rawValue: 0x1E_00E0_0600)
    #expect((6..<9).map { selection.channel(event: $0, map: nine) } == [23, 9, 34])
}

@Test func algorithm1HopsAndRemapsAndCountsSkippedEvents() {
    var all = ChannelSelection.first(hop: 7)
    #expect((0..<6).map { all.channel(event: $0, map: .all) } == [7, 14, 21, 28, 35, 5])
    #expect(all.channel(event: 10, map: .all) == 77 % 37)
    var few = ChannelSelection.first(hop: 7)
    // 7 is used; 14 is not: 14 mod 3 is 2, the third used channel.
    let map = LL.ChannelMap(rawValue: 1 << 3 | 1 << 7 | 1 << 30)
    #expect((0..<2).map { few.channel(event: $0, map: map) } == [7, 30])
    // The counter wraps without a jump.
    var wrapping = ChannelSelection.one(hop: 5, unmapped: 10, event: 0xFFFE)
    #expect([0xFFFF, 0].map { wrapping.channel(event: $0, map: .all) } == [15, 20])
}

@Test func sequenceNumbersDistinguishNewFromRepeatedPDUs() {
    var (here, there) = (Acknowledgement(), Acknowledgement())
    func header(_ sender: Acknowledgement) -> LL.DataHeader {
        LL.DataHeader(kind: .start, nextExpected: sender.nextExpected, sequence: sender.sequence)
    }
    let first = header(here)
    #expect(there.receive(first) == .init(isAcknowledged: false, isNew: true))
    // Its answer gets lost, so the packet is sent again.
    #expect(there.receive(first) == .init(isAcknowledged: false, isNew: false))
    #expect(here.receive(header(there)) == .init(isAcknowledged: true, isNew: true))
    #expect(there.receive(header(here)) == .init(isAcknowledged: true, isNew: true))
}

@Test func backoffDoublesAfterFailuresAndHalvesAfterSuccesses() {
    var random = SeededRandom(seed: 1)
    var backoff = ScanBackoff()
    for _ in 0..<40 {
        while !backoff.mayRequest() {}
        backoff.end(isAnswered: false, random: &random)
    }
    #expect(backoff.upperLimit == 256)
    for _ in 0..<40 {
        while !backoff.mayRequest() {}
        backoff.end(isAnswered: true, random: &random)
    }
    #expect(backoff.upperLimit == 1 && backoff.count == 1)
}

@Test func anchorsOfLinksKeepTheirDistance() {
    var others: [AnchorPlan.Other] = []
    let start = Instant.zero
    for number in 0..<8 {
        // The times at which connections are made are in no relation to each other.
        let earliest = start + .microseconds(number * 7_777)
        let anchor = AnchorPlan.anchor(notBefore: number == 0 ? start : earliest, interval: 24, others: others)
        #expect(anchor >= start && anchor < earliest + LL.slot * 24)
        others.append(.init(anchor: anchor, interval: 24))
    }
    #expect(others.allSatisfy { $0.anchor.nanoseconds % LL.slot.nanoseconds == 0 })
    let slots = others.map { $0.anchor.nanoseconds / LL.slot.nanoseconds % 24 }.sorted()
    #expect(slots == [0, 3, 6, 9, 12, 15, 18, 21])
    #expect(AnchorPlan.interval(in: 12...40, others: others) == 24)
    #expect(AnchorPlan.interval(in: 30...40, others: others) == 30)
}

@Test func schedulerFiresInOrderOfTimeAndOfArming() {
    var scheduler = Scheduler()
    let timers = (0..<5).map { scheduler.makeTimer(for: .transmission($0)) }
    scheduler.arm(timers[0], at: Instant(nanoseconds: 30))
    scheduler.arm(timers[1], at: Instant(nanoseconds: 10))
    scheduler.arm(timers[2], at: Instant(nanoseconds: 30))
    scheduler.arm(timers[3], at: Instant(nanoseconds: 20))
    scheduler.arm(timers[4], at: Instant(nanoseconds: 5))
    scheduler.cancel(timers[4])
    scheduler.arm(timers[1], at: Instant(nanoseconds: 40))
    #expect(scheduler.nextTime() == Instant(nanoseconds: 20))
    var fired: [Scheduler.Target] = []
    while let (_, target) = scheduler.popDue(through: Instant(nanoseconds: 35)) { fired.append(target) }
    #expect(fired == [.transmission(3), .transmission(0), .transmission(2)])
    #expect(scheduler.nextTime() == Instant(nanoseconds: 40))
    #expect(scheduler.armedCount == 1)
}

@Test func mathematicsAgreesWithTheCLibrary() {
    #expect(abs(Mathematics.log10(1000) - 3) < 1e-10)
    #expect(abs(Mathematics.exp(1) - 2.718_281_828_459) < 1e-10)
    #expect(abs(Mathematics.ratio(decibels: -30) - 0.001) < 1e-12)
    for value in [1e-9, 0.3, 1, 1.5, 42, 1e12] {
        #expect(abs(Mathematics.exp(Mathematics.log(value)) / value - 1) < 1e-9)
    }
}
