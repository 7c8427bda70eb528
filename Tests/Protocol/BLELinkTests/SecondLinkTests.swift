import BLEWire
import Testing

@testable import BLELink

/// What a link leaves in its slot, and queues that never become empty.
struct SecondLinkTests {
    private struct Packet: Equatable {
        var isContinuation: Bool
        var data: [UInt8]
    }

    /// The packets that the transmitter sends now. The controller completes each one at once.
    private func send(_ transmitter: inout ACLTransmitter, handle: UInt16, limit: Int = .max) -> [Packet] {
        var packets: [Packet] = []
        while packets.count < limit {
            var output: [UInt8] = []
            transmitter.pump(into: &output)
            var rest = output[...]
            while rest.count >= 5 {
                let octets = Array(rest)
                let length = Int(octets[3]) | Int(octets[4]) << 8
                packets.append(
                    Packet(isContinuation: octets[2] >> 4 & 3 == 1, data: Array(octets[5..<5 + length])))
                rest = rest.dropFirst(5 + length)
                _ = transmitter.completed(handle: handle, count: 1)
            }
            if output.isEmpty { break }
        }
        return packets
    }

    @Test func aSlotKeepsNothingOfItsFormerLink() {
        var transmitter = ACLTransmitter(fullMark: 64, limit: 1_000)
        transmitter.configure(fragmentLength: 10, bufferCount: 1)
        let long = [UInt8](repeating: 1, count: 50)
        let short: [UInt8] = [9]
        for handle in 1...3 as ClosedRange<UInt16> {
            let slot = transmitter.open(handle: handle)
            #expect(!transmitter.isFull(slot) && transmitter.isIdle(slot) && transmitter.isQuiet)
            for _ in 0..<2 {
                _ = transmitter.enqueue(short.span, channel: .init(rawValue: 0x40), on: slot, lane: .bulk)
            }
            for _ in 0..<2 { _ = transmitter.enqueue(short.span, channel: .attribute, on: slot) }
            let first = send(&transmitter, handle: handle)
            #expect(first.map(\.isContinuation) == [false, false, false, false], "link \(handle)")
            // The lanes take turns from the start: no lane owes the other one anything.
            let lanes = first.map { $0.data[2] }
            #expect(lanes == [4, 0x40, 4, 0x40] || lanes == [0x40, 4, 0x40, 4], "link \(handle): \(lanes)")
            // The link ends in the middle of a frame, full, with a packet in the controller.
            for _ in 0..<2 { _ = transmitter.enqueue(long.span, channel: .attribute, on: slot) }
            for _ in 0..<2 { _ = transmitter.enqueue(long.span, channel: .init(rawValue: 0x40), on: slot, lane: .bulk) }
            #expect(transmitter.isFull(slot))
            #expect(send(&transmitter, handle: handle, limit: 7).count == 7)
            var output: [UInt8] = []
            transmitter.pump(into: &output)
            #expect(transmitter.outstanding == 1)
            transmitter.close(slot)
            #expect(transmitter.outstanding == 0 && transmitter.isQuiet && !transmitter.isStalled)
        }
        #expect(transmitter.drained.isEmpty)
    }

    /// An empty lane accumulates no share: what a lane sends alone, it does not owe afterwards, however much that was.
    @Test(arguments: [ACLTransmitter.QueuePriority.main, .bulk], [1, 2, 50]) func aLaneThatWasAloneOwesNothing(
        alone: ACLTransmitter.QueuePriority, count: Int
    ) {
        var transmitter = ACLTransmitter()
        transmitter.configure(fragmentLength: 27, bufferCount: 1)
        let slot = transmitter.open(handle: 1)
        let payload = [UInt8](repeating: 7, count: 12)
        func enqueue(_ lane: ACLTransmitter.QueuePriority) {
            let channel = L2CAP.ChannelIdentifier(rawValue: lane == .main ? 4 : 0x40)
            let isTaken = transmitter.enqueue(payload.span, channel: channel, on: slot, lane: lane)
            #expect(isTaken)
        }
        for round in 0..<3 {
            for _ in 0..<count {
                enqueue(alone)
                #expect(send(&transmitter, handle: 1).count == 1)
            }
            // Now both have data. Neither waits for more than one frame of the other.
            for _ in 0..<6 {
                enqueue(.main)
                enqueue(.bulk)
            }
            let lanes = send(&transmitter, handle: 1).map { $0.data[2] }
            let turns = (0..<6).flatMap { _ in [4, 0x40] as [UInt8] }
            #expect(lanes == turns || lanes == turns.reversed(), "round \(round): \(lanes)")
            // A backlog that one lane works off alone counts as little.
            for _ in 0..<count { enqueue(alone) }
            enqueue(alone == .main ? .bulk : .main)
            #expect(send(&transmitter, handle: 1).count == count + 1)
        }
    }

    /// A lane that always has another frame, up to many times the mark from which on it moves its octets.
    @Test(arguments: [ACLTransmitter.QueuePriority.main, .bulk]) func aLaneThatIsNeverEmptyKeepsItsOctets(
        lane: ACLTransmitter.QueuePriority
    ) {
        var transmitter = ACLTransmitter(fullMark: 128, limit: 10_000)
        transmitter.configure(fragmentLength: 27, bufferCount: 1)
        let slot = transmitter.open(handle: 1)
        var sent: [UInt8] = []
        var expected: [UInt8] = []
        for number in 0..<200 {
            let payload = [UInt8].pattern(1 + number % 61, seed: number)
            #expect(
                transmitter.enqueue(payload.span, channel: .init(rawValue: 0x40), on: slot, lane: lane) == true)
            expected += [UInt8(payload.count), 0, 0x40, 0] + payload
            // One packet for each frame of one to three, so that the lane fills.
            if number > 3 { sent += send(&transmitter, handle: 1, limit: 1).flatMap(\.data) }
            #expect(transmitter.queuedOctets(slot, lane: lane) == expected.count - sent.count)
        }
        sent += send(&transmitter, handle: 1).flatMap(\.data)
        #expect(sent == expected && transmitter.isQuiet == transmitter.drained.isEmpty)
    }

    /// The same for the queue of a channel, which moves its octets after 16,384.
    @Test func aChannelThatIsNeverEmptyKeepsItsOctets() {
        var pair = ChannelPair()
        let (client, _) = pair.open()
        var sent = 0
        for round in 0..<60 {
            while pair.client.send(.pattern(1_500, seed: sent), on: client) == .queued { sent += 1 }
            for frame in pair.client.frames(limit: round % 4 + 1) {
                pair.server.receive(frame.payload, on: frame.channel)
            }
            for frame in pair.server.frames() { pair.client.receive(frame.payload, on: frame.channel) }
            #expect(pair.client.machine.queuedOctets(on: client) > 0)
        }
        pair.settle()
        #expect(sent > 60 && pair.server.sdus.count == sent)
        for (number, sdu) in pair.server.sdus.enumerated() where sdu.octets != .pattern(1_500, seed: number) {
            Issue.record("SDU \(number)")
        }
    }

    /// A late answer to an earlier request of the peripheral does not end the present one.
    @Test func aLateAnswerEndsNoLaterRequest() {
        let wish = L2CAP.ConnectionParameterUpdateRequest(
            intervalMinimum: 6, intervalMaximum: 12, latency: 0, timeout: 200)
        var channel = SignallingChannel(role: .peripheral)
        var output: [UInt8] = []
        for round in 0..<3 {
            #expect(channel.requestParameterUpdate(wish, at: .zero, output: &output) == true)
            let identifier = output[output.count - 11]
            #expect(Int(identifier) == 2 * round + 1)
            #expect(channel.handleTimeout(at: .zero + .seconds(30)) == .parameterUpdateTimedOut)
            #expect(channel.requestParameterUpdate(wish, at: .zero + .seconds(30), output: &output) == true)
            #expect(channel.deadline == .zero + .seconds(60))
            var answer: [UInt8] = [0x13, identifier, 2, 0, 0, 0]
            #expect(channel.receive(answer.span, output: &output) == .ignored(.unexpectedResponse))
            answer[1] = identifier + 1
            #expect(channel.receive(answer.span, output: &output) == .parameterUpdateAnswered(accepted: true))
        }
    }

    /// Channels that stay open keep their identifiers while others come and go, over the wrap of both counters.
    @Test func identifiersInUseAreSkippedAtTheWrap() {
        var pair = ChannelPair()
        let kept = pair.open()
        var others: [UInt32] = []
        for _ in 0..<200 {
            let (number, _) = pair.open()
            others.append(number)
            #expect(pair.client.send([7], on: number) == .queued)
            pair.settle()
            #expect(pair.server.sdus.last?.octets == [7])
            pair.client.close(number)
            pair.settle()
            #expect(pair.client.machine.count == 1 && pair.server.machine.count == 1)
        }
        #expect(Set(others).count == 200)
        #expect(pair.client.send(.pattern(100), on: kept.client) == .queued)
        pair.settle()
        #expect(pair.server.sdus.last?.number == kept.server && pair.server.sdus.last?.octets == .pattern(100))
    }
}
