import Testing

@testable import BLEAdapter

@Suite struct WriteAdmissionTests {
    private let use = RemoteUse(session: 1, peer: PeerIdentifier(high: 0, low: 1))
    private let other = RemoteUse(session: 2, peer: PeerIdentifier(high: 0, low: 1))

    @Test func valuesAreBoundedAndWaitingSessionsAreCalledOnce() {
        var writes = WriteAdmission()
        var answers: [WriteAdmission.Answer: Int] = [:]
        for _ in 0..<400 { answers[writes.add(512, for: use), default: 0] += 1 }
        #expect(answers == [.accepted: 128, .full: 128, .dropped: 144])
        #expect(!writes.hasRoom)
        #expect(writes.add(1, for: other) == .dropped)
        // The connection has half of the values: the others are still on their way to it.
        writes.passed(128 * 512)
        #expect(writes.left().isEmpty)
        #expect(writes.add(512, for: use) == .accepted || !writes.hasRoom)
        writes.passed(129 * 512)
        #expect(writes.left() == [use, other])
        #expect(writes.left().isEmpty && writes.hasRoom)
    }

    /// 64 KiB are accepted, and 128 KiB are the most that waits.
    @Test func theBufferIsFullBeyond64KiB() {
        for (count, hasRoom, answer) in [
            (65_535, true, WriteAdmission.Answer.accepted), (65_536, false, .accepted), (65_537, false, .full),
            (131_072, false, .full), (131_073, true, .dropped),
        ] {
            var writes = WriteAdmission()
            #expect(writes.hasRoom)
            #expect(writes.add(count, for: use) == answer)
            #expect(writes.hasRoom == hasRoom, "\(count)")
            // A session that was accepted waits for nothing.
            writes.passed(count)
            #expect(writes.hasRoom == hasRoom, "the connection has them, and the network has not")
            #expect(writes.left() == (answer == .accepted ? [] : [use]))
            #expect(writes.hasRoom)
        }
        // What the connection has counts like what is on its way.
        for isPassed in [true, false] {
            var writes = WriteAdmission()
            #expect(writes.add(65_000, for: use) == .accepted)
            if isPassed { writes.passed(65_000) }
            #expect(writes.add(536, for: use) == .accepted)
            #expect(writes.add(1, for: use) == .full)
            #expect(writes.add(65_536, for: other) == .dropped)
            #expect(writes.add(65_535, for: other) == .full)
            #expect(writes.add(0, for: other) == .full)
        }
    }

    /// The connection cannot have more than was given to it, and an empty connection forgets what it had.
    @Test func whatLeftMakesRoomEachTime() {
        var writes = WriteAdmission()
        for _ in 0..<3 {
            #expect(writes.add(60_000, for: other) == .accepted)
            #expect(writes.add(60_000, for: use) == .full)
            writes.passed(60_000)
            #expect(writes.left() == [], "the rest is on its way")
            #expect(writes.hasRoom)
            #expect(writes.add(60_000, for: other) == .full)
            writes.passed(1_000_000)
            #expect(!writes.hasRoom)
            #expect(writes.left() == [use, other])
            #expect(writes.hasRoom && writes.left() == [])
        }
        var waiting = WriteAdmission()
        let uses = [(2, 0, 1), (1, 1, 0), (1, 0, 2), (1, 0, 1)].map {
            RemoteUse(session: $0.0, peer: PeerIdentifier(high: $0.1, low: $0.2))
        }
        for use in uses { _ = waiting.add(200_000, for: use) }
        #expect(waiting.left() == uses.reversed())
    }

    /// A loss of the network while values are on their way leaves no octets behind.
    @Test func aLostNetworkLeavesNoOctets() {
        var writes = WriteAdmission()
        _ = writes.add(60_000, for: use)
        _ = writes.add(60_000, for: use)
        writes.passed(60_000)
        writes.reset()
        #expect(writes.hasRoom)
        writes.passed(60_000)
        #expect(writes.left().isEmpty)
        #expect(writes.add(60_000, for: use) == .accepted)
    }
}
