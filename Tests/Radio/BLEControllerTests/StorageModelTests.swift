import BLEWire
import Testing

@testable import BLEController

/// The queues and lists of the simulation against plain models, over many more operations than they hold.
struct StorageModelTests {
    @Test(arguments: 1...3 as ClosedRange<UInt64>) func theSchedulerFiresAsAPlainList(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var scheduler = Scheduler()
        var timers = (0..<50).map { scheduler.makeTimer(for: .transmission($0)) }
        /// The time and the number of the arming by timer.
        var armed: [Int: (time: Int64, order: Int)] = [:]
        var now: Int64 = 0
        var order = 0
        for step in 0..<20_000 {
            let number = Int(random.next() % 50)
            switch random.next() % 8 {
            case 0, 1, 2, 3:
                order += 1
                let time = now + Int64(random.next() % 200)
                scheduler.arm(timers[number], at: Instant(nanoseconds: time))
                armed[number] = (time, order)
            case 4:
                scheduler.cancel(timers[number])
                armed[number] = nil
            case 5 where step % 10 == 0:
                // The number of a released timer may be used again.
                scheduler.release(timers[number])
                scheduler.release(.none)
                armed[number] = nil
                timers[number] = scheduler.makeTimer(for: .transmission(Int32(number)))
            default:
                now += Int64(random.next() % 40)
                let due = armed.filter { $0.value.time <= now }.sorted {
                    ($0.value.time, $0.value.order) < ($1.value.time, $1.value.order)
                }
                for (expected, entry) in due {
                    let next = scheduler.popDue(through: Instant(nanoseconds: now))
                    let fired = try #require(next)
                    #expect(fired.0 == Instant(nanoseconds: entry.time) && fired.1 == .transmission(Int32(expected)))
                    armed[expected] = nil
                }
                #expect(scheduler.popDue(through: Instant(nanoseconds: now)) == nil)
            }
            #expect(scheduler.armedCount == armed.count)
            #expect(scheduler.nextTime()?.nanoseconds == armed.values.map(\.time).min())
        }
        #expect(Set(timers.map(\.index)).count == 50)
    }

    /// At equal times the ends of transmissions come first, in the order of their senders, then timers in the order of arming.
    @Test func endsOfTransmissionsPrecedeTimers() {
        var scheduler = Scheduler()
        let timers = (0..<6).map { scheduler.makeTimer(for: .transmission($0)) }
        let time = Instant(nanoseconds: 5)
        scheduler.arm(timers[0], at: time)
        scheduler.arm(timers[1], at: time)
        for (timer, sender) in [(2, Int32(9)), (3, 0), (4, Int32.max), (5, 1)] {
            scheduler.arm(timers[timer], at: time, sender: sender)
        }
        scheduler.arm(timers[0], at: time)
        var fired: [Scheduler.Target] = []
        #expect(scheduler.popDue(through: Instant(nanoseconds: 4)) == nil)
        while let (_, target) = scheduler.popDue(through: time) { fired.append(target) }
        #expect(fired == [3, 5, 2, 4, 1, 0].map { .transmission($0) })
    }

    /// Events leave the queue in one order: by time, then by sequence number, then by index.
    @Test func theOrderOfEventsIsTotal() {
        var events: [ScheduledEvent] = []
        for time in -1...1 as ClosedRange<Int64> {
            for sequence in 0...2 as ClosedRange<UInt64> {
                for index in -1...1 as ClosedRange<Int32> {
                    events.append(ScheduledEvent(time: time, sequence: sequence, index: index))
                }
            }
        }
        for (place, event) in events.enumerated() {
            for (other, second) in events.enumerated() { #expect((event < second) == (place < other)) }
        }
    }

    /// Fragments of up to 100 packets at a time, and some thousand in all.
    @Test(arguments: 1...3 as ClosedRange<UInt64>) func thePacketQueueHandsOutWhatItGot(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var queue = PacketQueue()
        var model: [(octets: [UInt8], isStart: Bool, sent: Int)] = []
        for _ in 0..<12_000 {
            if random.next() % 2 == 0, model.count < 100 {
                let octets = (0..<Int(1 + random.next() % 60)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                let isStart = random.next() % 2 == 0
                queue.append(octets.span, isStart: isStart)
                model.append((octets, isStart, 0))
            } else {
                let limit = Int(random.next() % 40)
                guard let packet = model.first else {
                    #expect(queue.first(limit: limit) == nil && !queue.hasMore(after: 0) && queue.remove(1) == false)
                    continue
                }
                let fragment = try #require(queue.first(limit: limit))
                let count = min(max(1, limit), packet.octets.count - packet.sent)
                let octets = packet.octets[packet.sent...].prefix(count)
                #expect(queue.bytes[fragment.range].elementsEqual(octets))
                #expect(fragment.isStart == (packet.isStart && packet.sent == 0))
                #expect(fragment.isLast == (packet.sent + count == packet.octets.count))
                #expect(queue.hasMore(after: count) == (model.count > 1 || !fragment.isLast))
                #expect(queue.remove(count) == fragment.isLast)
                model[0].sent += count
                if fragment.isLast { model.removeFirst() }
            }
            #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
            // What has been handed out does not stay.
            #expect(queue.bytes.count <= 60 * (model.count + 33))
        }
    }

    /// The anchor with the greatest distance to all others, found by a look at all their events.
    @Test(arguments: 1...4 as ClosedRange<UInt64>) func theAnchorKeepsTheGreatestDistance(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            let intervals: [UInt16] = [6, 8, 9, 12, 16, 24, 30]
            func interval() -> UInt16 { intervals[Int(random.next() % 7)] }
            let earliest = Instant(nanoseconds: Int64(random.next() % 1_000_000_000))
            // Anchors of other links are whole units from each other, before and after the earliest time.
            // Every other time, the earliest time is one of these units itself.
            let phase = (earliest.nanoseconds + Int64(random.next() % 2) * Int64(random.next() % 1_250_000)) % 1_250_000
            let others = (0..<Int(1 + random.next() % 3)).map { _ in
                AnchorPlan.Other(
                    anchor: Instant(nanoseconds: phase + 1_250_000 * Int64(random.next() % 1_600)), interval: interval()
                )
            }
            let own = interval()
            let anchor = AnchorPlan.anchor(notBefore: earliest, interval: own, others: others)
            #expect(anchor >= earliest && anchor < earliest + LL.slot * Int(own))
            #expect(others.allSatisfy { ($0.anchor - anchor).nanoseconds % 1_250_000 == 0 })
            /// The distance of the nearest events, in units, within the time after which they repeat.
            func room(_ anchor: Instant) -> Int64 {
                var room = Int64.max
                for other in others {
                    let shift = (anchor - other.anchor).nanoseconds / 1_250_000
                    for event in 0..<Int64(other.interval) {
                        let place = (shift + event * Int64(own)) % Int64(other.interval)
                        let rest = place < 0 ? place + Int64(other.interval) : place
                        room = min(room, rest, Int64(other.interval) - rest)
                    }
                }
                return room
            }
            let best = (0..<Int(own)).map { room(anchor + LL.slot * $0) }.max()
            #expect(room(anchor) == best)
        }
    }

    @Test func theIntervalOfAnotherLinkIsTakenIfItMay() {
        let others = [UInt16(10), 24, 30].map { AnchorPlan.Other(anchor: .zero, interval: $0) }
        for (range, interval) in [
            (6...9, 6), (6...10, 10), (10...40, 10), (11...24, 24), (24...24, 24), (25...29, 25), (25...30, 30),
            (31...40, 31),
        ] as [(ClosedRange<UInt16>, UInt16)] {
            #expect(AnchorPlan.interval(in: range, others: others) == interval)
        }
        #expect(AnchorPlan.interval(in: 7...9, others: []) == 7)
        #expect(
            AnchorPlan.anchor(notBefore: Instant(nanoseconds: 77), interval: 24, others: []) == Instant(nanoseconds: 77)
        )
    }

    /// Controllers whose output is drained out of turn, and again and again.
    @Test func theControllersWithOutputAreInOrder() {
        let bench = Bench()
        let hosts = (0..<5).map { _ in bench.addHost() }
        let identifiers = hosts.map(\.identifier)
        var random = SeededRandom(seed: 8)
        var expected: [ControllerIdentifier] = []
        for _ in 0..<3_000 {
            let host = hosts[Int(random.next() % 5)]
            if random.next() % 2 == 0 {
                host.send(raw: [1, 0x18, 0x20, 0])
                if !expected.contains(host.identifier) { expected.append(host.identifier) }
            } else {
                var packets = 0
                bench.radio.drainOutput(of: host.identifier) { _ in packets += 1 }
                #expect((packets > 0) == expected.contains(host.identifier))
                expected.removeAll { $0 == host.identifier }
            }
            #expect(bench.radio.controllersWithOutput == expected)
            #expect(bench.radio.nextControllerWithOutput == expected.first)
        }
        // A removed controller has no output.
        for host in hosts { host.send(raw: [1, 0x18, 0x20, 0]) }
        bench.radio.removeController(identifiers[1])
        #expect(
            !bench.radio.controllersWithOutput.contains(identifiers[1]) && bench.radio.controllersWithOutput.count == 4)
        bench.radio.removeController(identifiers[1])
        #expect(bench.radio.controllerCount == 4)
    }

    @Test func aGridFindsTheNeighboursOfACell() {
        var cells = Cells(width: 10)
        #expect(cells.width == 10 && Cells(width: 0.5).width == 1)
        var known: [Int32: (Int, Int)] = [:]
        for x in -3...3 {
            for y in -3...3 {
                for inside in [0.0, 4, 9.99] {
                    let cell = cells.cell(
                        at: RadioPosition(x: Double(x) * 10 + inside, y: Double(y) * 10 + inside, z: 99))
                    #expect(known[cell].map { $0 == (x, y) } ?? true)
                    known[cell] = (x, y)
                }
            }
        }
        #expect(known.count == 49 && cells.all == 0..<49)
        for (cell, place) in known {
            let near = known.filter { abs($0.value.0 - place.0) <= 1 && abs($0.value.1 - place.1) <= 1 }
            #expect(Set(cells[cell].neighbours) == Set(near.keys) && cells[cell].neighbours.count == near.count)
        }
        // Far away, and nowhere.
        #expect(cells.cell(at: RadioPosition(x: 1e300)) == cells.cell(at: RadioPosition(x: 1e299)))
        #expect(cells.cell(at: RadioPosition(x: .nan, y: .infinity)) == cells.cell(at: RadioPosition()))
        var list: [Int32] = [1, 2, 3, 2]
        list.swapRemove(2)
        #expect(list == [1, 2, 3])
        list.swapRemove(9)
        list.swapRemove(3)
        #expect(list == [1, 2])
    }
}
