import BLEController
import BLEWire
import Testing

/// A link at 30 ms whose peripheral answers each packet at once, and whose central sends the next one at once.
private func ask(_ count: Int, answerAfter delay: TimeSpan = .zero) throws -> [Instant] {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral, interval: 24))
    bench.run(for: .milliseconds(200))
    var due: Instant?
    peripheral.onData = { _, _ in
        if delay == .zero {
            peripheral.queue([2], handle: link.peripheral)
        } else {
            due = bench.radio.now + delay
        }
    }
    var answers: [Instant] = []
    central.onData = { _, _ in
        answers.append(bench.radio.now)
        if answers.count < count { central.queue([1], handle: link.central) }
    }
    central.queue([1], handle: link.central)
    let end = bench.radio.now + .seconds(2)
    while answers.count < count, bench.radio.now < end {
        let next = min(try #require(bench.radio.nextDeadline), due ?? end)
        bench.run(until: next)
        if due == next {
            due = nil
            peripheral.queue([2], handle: link.peripheral)
        }
    }
    #expect(central.disconnections.isEmpty)
    return answers
}

@Test func dataWithinTheInterFrameSpaceIsSentInTheSameEvent() throws {
    for delay in [TimeSpan.zero, .microseconds(149)] {
        let answers = try ask(10, answerAfter: delay)
        #expect(answers.count == 10)
        for (first, second) in zip(answers, answers.dropFirst()) { #expect(second - first == .milliseconds(30)) }
    }
}

@Test func dataAfterTheInterFrameSpaceWaitsForTheNextEvent() throws {
    let answers = try ask(5, answerAfter: .microseconds(151))
    #expect(answers.count == 5)
    for (first, second) in zip(answers, answers.dropFirst()) { #expect(second - first == .milliseconds(60)) }
}

@Test func theFirstOfTwoPDUsHasTheMDBit() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral, interval: 24))
    bench.run(for: .milliseconds(200))
    var starts: [Instant] = []
    bench.radio.airObserver = { if $0.pdu.count == 3 { starts.append($0.start) } }
    peripheral.onData = { _, _ in
        // Two packets of answer: the first one must say that another follows.
        peripheral.queue([2], handle: link.peripheral)
        peripheral.queue([3], handle: link.peripheral)
    }
    central.queue([1], handle: link.central)
    bench.run(for: .milliseconds(65))
    #expect(starts.count == 3)
    let (first, last) = (try #require(starts.first), try #require(starts.last))
    #expect(last - first < .milliseconds(2))
    #expect(central.received[link.central] == [2, 3])
}
