import BLEWire
import Testing

@testable import BLELink

/// `send` skips the queue, and its effect must be the one of `enqueue` and `pump`.
struct ACLTransmitterSendTests {
    @Test func aFrameGoesToTheOutputWithoutTheQueueIfNothingWaits() {
        var transmitter = ACLTransmitter()
        transmitter.configure(fragmentLength: 27, bufferCount: 8)
        let slot = transmitter.open(handle: 0x0E01)
        let payload: [UInt8] = [0x52, 0x03, 0x00, 0x2A]
        var output: [UInt8] = []
        #expect(send(payload, on: slot, of: &transmitter, into: &output) == true)
        #expect(output == [0x02, 0x01, 0x0E, 8, 0, 4, 0, 4, 0] + payload)
        #expect(transmitter.outstanding == 1)
        #expect(transmitter.queuedOctets(slot) == 0)
    }

    @Test func theFragmentsWithoutRoomInTheControllerWaitInTheQueue() {
        var transmitter = ACLTransmitter()
        transmitter.configure(fragmentLength: 27, bufferCount: 2)
        let slot = transmitter.open(handle: 1)
        let payload = [UInt8](0..<100)
        var output: [UInt8] = []
        #expect(send(payload, on: slot, of: &transmitter, into: &output) == true)
        #expect(output.count == 2 * (5 + 27))
        #expect(transmitter.queuedOctets(slot) == 104 - 54)
        #expect(transmitter.isStalled)
        // A second frame waits behind the rest of the first.
        #expect(send([7], on: slot, of: &transmitter, into: &output) == true)
        #expect(output.count == 2 * (5 + 27))

        output = []
        _ = transmitter.completed(handle: 1, count: 2)
        transmitter.pump(into: &output)
        #expect(output.prefix(5) == [0x02, 0x01, 0x10, 27, 0])
        #expect(output[5..<32] == payload[50..<77])
        _ = transmitter.completed(handle: 1, count: 2)
        output = []
        transmitter.pump(into: &output)
        #expect(output == [0x02, 0x01, 0x00, 5, 0, 1, 0, 4, 0, 7])
        #expect(!transmitter.isStalled)
    }

    @Test func aFrameWaitsItsTurnBehindOtherLinks() {
        var transmitter = ACLTransmitter()
        transmitter.configure(fragmentLength: 27, bufferCount: 1)
        let (first, second) = (transmitter.open(handle: 1), transmitter.open(handle: 2))
        var output: [UInt8] = []
        for value in 0..<2 as Range<UInt8> { _ = send([value], on: first, of: &transmitter, into: &output) }
        _ = transmitter.completed(handle: 1, count: 1)
        // The controller has room again, but the second frame of the first link waits longer than this one.
        _ = send([9], on: second, of: &transmitter, into: &output)
        #expect(output.count == 10)
        transmitter.pump(into: &output)
        #expect(transmitter.outstanding == 1)
        #expect(transmitter.queuedOctets(first) + transmitter.queuedOctets(second) == 5)
    }

    /// Random calls on four links: fragments shorter than a header, few buffers, small marks, both lanes, links that close
    /// and open. The output and the state are equal after each call.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func sendEqualsEnqueueAndPump(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var direct = ACLTransmitter(fullMark: 150, limit: 400)
        var queueing = direct
        let (length, buffers) = ([3, 10, 27, 251][Int(seed % 4)], 1 + Int(random.next() % 12))
        direct.configure(fragmentLength: length, bufferCount: buffers)
        queueing.configure(fragmentLength: length, bufferCount: buffers)
        var slots = (1...4).map { direct.open(handle: $0) }
        for handle in 1...4 as ClosedRange<UInt16> { #expect(queueing.open(handle: handle) == slots[Int(handle) - 1]) }
        var skipped = 0
        for _ in 0..<400 {
            let index = Int(random.next() % 4)
            let payload = [UInt8](repeating: UInt8(random.next() % 256), count: Int(random.next() % 200))
            var (sent, pumped): ([UInt8], [UInt8]) = ([], [])
            // Frames may still wait when `send` is called, although the controller has room.
            let postpones = random.next() % 2 == 0
            let call = random.next() % 10
            let isSend = call < 4
            switch call {
            case 0...3:
                let taken = direct.send(payload.span, channel: .attribute, on: slots[index], into: &sent)
                if !sent.isEmpty { skipped += 1 }
                #expect(queueing.enqueue(payload.span, channel: .attribute, on: slots[index]) == taken)
            case 4:
                let channel = L2CAP.ChannelIdentifier(rawValue: 0x40)
                let taken = direct.enqueue(payload.span, channel: channel, on: slots[index], lane: .bulk)
                #expect(
                    queueing.enqueue(payload.span, channel: channel, on: slots[index], lane: .bulk) == taken)
            case 5 where random.next() % 8 == 0:
                direct.close(slots[index])
                queueing.close(slots[index])
                slots[index] = direct.open(handle: UInt16(index + 1))
                #expect(queueing.open(handle: UInt16(index + 1)) == slots[index])
            case 6 where random.next() % 2 == 0:
                // The controller completes everything until nothing waits.
                while direct.outstanding > 0 {
                    for (index, slot) in slots.enumerated() {
                        let count = direct.outstanding(slot)
                        _ = direct.completed(handle: UInt16(index + 1), count: count)
                        _ = queueing.completed(handle: UInt16(index + 1), count: count)
                    }
                    direct.pump(into: &sent)
                    queueing.pump(into: &pumped)
                }
            default:
                let count = Int(random.next() % 6)
                let fault = direct.completed(handle: UInt16(index + 1), count: count)
                #expect(queueing.completed(handle: UInt16(index + 1), count: count) == fault)
            }
            if isSend || !postpones {
                direct.pump(into: &sent)
                queueing.pump(into: &pumped)
            }
            #expect(sent == pumped)
            #expect(direct.isStalled == queueing.isStalled)
            #expect(direct.outstanding == queueing.outstanding)
            #expect(direct.drained == queueing.drained)
            for slot in slots {
                #expect(direct.queuedOctets(slot) == queueing.queuedOctets(slot))
                #expect(direct.queuedOctets(slot, lane: .bulk) == queueing.queuedOctets(slot, lane: .bulk))
                #expect(direct.outstanding(slot) == queueing.outstanding(slot))
                #expect(direct.isFull(slot) == queueing.isFull(slot))
            }
        }
        #expect((skipped > 0) == (length >= 4))
    }

    private func send(
        _ payload: [UInt8], on slot: ACLTransmitter.Slot, of transmitter: inout ACLTransmitter,
        into output: inout [UInt8]
    ) -> Bool {
        transmitter.send(payload.span, channel: .attribute, on: slot, into: &output)
    }
}
