import BLEWire
import Testing

@testable import BLELink

/// The H4 ACL packets in `output`: handle, continuation, data.
private func packets(_ output: [UInt8]) -> [(handle: UInt16, isContinuation: Bool, data: [UInt8])] {
    var result: [(handle: UInt16, isContinuation: Bool, data: [UInt8])] = []
    var rest = output[...]
    while rest.count >= 5 {
        let octets = Array(rest)
        let field = UInt16(octets[1]) | UInt16(octets[2]) << 8
        let length = Int(octets[3]) | Int(octets[4]) << 8
        result.append((field & 0xFFF, field >> 12 & 3 == 1, Array(octets[5..<5 + length])))
        rest = rest.dropFirst(5 + length)
    }
    return result
}

/// Whether the frame was taken.
private func enqueue(_ payload: [UInt8], on slot: ACLTransmitter.Slot, of transmitter: inout ACLTransmitter) -> Bool {
    transmitter.enqueue(payload.span, channel: .attribute, on: slot)
}

struct ACLTransmitterTests {
    @Test func aLongFrameIsFragmentedByTheControllersBuffers() {
        var transmitter = ACLTransmitter()
        transmitter.configure(fragmentLength: 27, bufferCount: 2)
        let slot = transmitter.open(handle: 0x040)
        let payload = [UInt8](0..<60)
        #expect(enqueue(payload, on: slot, of: &transmitter) == true)
        var output: [UInt8] = []
        transmitter.pump(into: &output)
        var sent = packets(output)
        #expect(sent.map(\.data.count) == [27, 27])
        #expect(sent.map(\.isContinuation) == [false, true])
        #expect(sent.allSatisfy { $0.handle == 0x040 })
        #expect(transmitter.queuedOctets(slot) == 10)

        output = []
        #expect(transmitter.completed(handle: 0x040, count: 1) == nil)
        transmitter.pump(into: &output)
        sent += packets(output)
        #expect(sent.count == 3)
        #expect(sent.flatMap(\.data) == [60, 0, 4, 0] + payload)
        #expect(transmitter.queuedOctets(slot) == 0)
    }

    /// The packets until the frames of the main lane are delivered are never more than the bound, whatever the bulk lane holds.
    @Test(arguments: [0, 1, 5, 40]) func theBoundOfPacketsIsOne(bulkFrames: Int) {
        var transmitter = ACLTransmitter()
        transmitter.configure(fragmentLength: L2CAP.headerCount, bufferCount: 1)
        let slot = transmitter.open(handle: 1)
        let (urgent, bulk) = ([UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xBB, count: 20))
        for _ in 0..<bulkFrames { _ = transmitter.enqueue(bulk.span, channel: .attribute, on: slot, lane: .bulk) }
        var output: [UInt8] = []
        transmitter.pump(into: &output)
        #expect(transmitter.packetsUntilDelivered(slot) == min(bulkFrames, 1), "nothing waits in the main lane")
        #expect(enqueue(urgent, on: slot, of: &transmitter))
        let bound = transmitter.packetsUntilDelivered(slot)
        var completed = 0
        while transmitter.queuedOctets(slot) > 0 || transmitter.outstanding(slot) > 0, completed < 1_000 {
            output = []
            transmitter.pump(into: &output)
            if transmitter.queuedOctets(slot) == 0, packets(output).allSatisfy({ !$0.data.contains(0xAA) }) { break }
            #expect(transmitter.completed(handle: 1, count: 1) == nil)
            completed += 1
        }
        #expect(completed <= bound)
        #expect(bound <= 2 * completed + 10 * bulkFrames + 4)
    }

    /// A link is full from its mark on, whichever function queued the octets.
    @Test func aQueuedValueFillsTheLaneAtItsMark() {
        var transmitter = ACLTransmitter(fullMark: 64)
        let slot = transmitter.open(handle: 1)
        // Each is a frame of 4 octets, an opcode, a handle and the value.
        let value = [UInt8](repeating: 1, count: 24)
        let isTaken = transmitter.enqueue(opcode: .handleValueNotification, handle: 3, value.span, on: slot)
        #expect(isTaken && !transmitter.isFull(slot) && transmitter.queuedOctets(slot) == 31)
        let last = [UInt8](repeating: 1, count: 26)
        let isLastTaken = transmitter.enqueue(opcode: .handleValueNotification, handle: 3, last.span, on: slot)
        #expect(isLastTaken && transmitter.isFull(slot) && transmitter.queuedOctets(slot) == 64)
    }

    @Test func nothingIsSentBeforeTheBuffersAreKnown() {
        var transmitter = ACLTransmitter()
        let slot = transmitter.open(handle: 1)
        let payload: [UInt8] = [1]
        _ = transmitter.enqueue(payload.span, channel: .attribute, on: slot)
        var output: [UInt8] = []
        transmitter.pump(into: &output)
        #expect(output.isEmpty)
    }

    @Test func aSlowLinkDoesNotFillAllBuffers() {
        var transmitter = ACLTransmitter()
        transmitter.configure(fragmentLength: 27, bufferCount: 8)
        let slow = transmitter.open(handle: 1)
        let fast = transmitter.open(handle: 2)
        let payload = [UInt8](repeating: 0, count: 20)
        for _ in 0..<100 {
            _ = transmitter.enqueue(payload.span, channel: .attribute, on: slow)
            _ = transmitter.enqueue(payload.span, channel: .attribute, on: fast)
        }
        var output: [UInt8] = []
        transmitter.pump(into: &output)
        var fastSent = packets(output).filter { $0.handle == 2 }.count
        #expect(transmitter.outstanding(slow) == 4)
        for _ in 0..<20 {
            output = []
            _ = transmitter.completed(handle: 2, count: 1)
            transmitter.pump(into: &output)
            fastSent += packets(output).filter { $0.handle == 2 }.count
        }
        #expect(fastSent == 24)
        #expect(transmitter.outstanding(slow) == 4)
    }

    @Test func backloggedLinksTakeTurns() {
        var transmitter = ACLTransmitter()
        transmitter.configure(fragmentLength: 27, bufferCount: 1)
        let slots = (1...4).map { transmitter.open(handle: UInt16($0)) }
        let payload: [UInt8] = [0]
        for slot in slots { for _ in 0..<3 { _ = transmitter.enqueue(payload.span, channel: .attribute, on: slot) } }
        var order: [UInt16] = []
        for _ in 0..<12 {
            var output: [UInt8] = []
            transmitter.pump(into: &output)
            guard let sent = packets(output).first else { break }
            order.append(sent.handle)
            _ = transmitter.completed(handle: sent.handle, count: 1)
        }
        #expect(order == [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4])
    }

    /// A link whose data waits for the buffers that another link has is not idle.
    @Test func aLinkIsIdleOnceItsDataIsDelivered() {
        var transmitter = ACLTransmitter()
        transmitter.configure(fragmentLength: 27, bufferCount: 1)
        let (first, second) = (transmitter.open(handle: 1), transmitter.open(handle: 2))
        #expect(enqueue([1], on: first, of: &transmitter) && !transmitter.isIdle(first))
        var output: [UInt8] = []
        transmitter.pump(into: &output)
        #expect(enqueue([2], on: second, of: &transmitter))
        #expect(transmitter.outstanding(first) == 1 && !transmitter.isIdle(first))
        #expect(transmitter.outstanding(second) == 0 && !transmitter.isIdle(second))
        #expect(transmitter.completed(handle: 1, count: 1) == nil)
        transmitter.pump(into: &output)
        #expect(transmitter.isIdle(first) && !transmitter.isIdle(second))
        #expect(transmitter.completed(handle: 2, count: 1) == nil)
        #expect(transmitter.isIdle(second))
    }

    @Test func surplusCompletionsDoNotExceedTheBuffers() {
        var transmitter = ACLTransmitter()
        transmitter.configure(fragmentLength: 27, bufferCount: 2)
        let slot = transmitter.open(handle: 1)
        let payload: [UInt8] = [0]
        for _ in 0..<10 { _ = transmitter.enqueue(payload.span, channel: .attribute, on: slot) }
        var output: [UInt8] = []
        transmitter.pump(into: &output)
        #expect(transmitter.completed(handle: 1, count: 60_000) == .moreThanSent)
        #expect(transmitter.completed(handle: 9, count: 1) == .unknownHandle)
        output = []
        transmitter.pump(into: &output)
        #expect(packets(output).count == 2)
        #expect(transmitter.outstanding == 2)
    }

    @Test func aClosedLinkReleasesItsBuffersAndItsHandle() {
        var transmitter = ACLTransmitter()
        transmitter.configure(fragmentLength: 27, bufferCount: 2)
        let first = transmitter.open(handle: 1)
        let other = transmitter.open(handle: 2)
        let payload: [UInt8] = [7]
        for _ in 0..<5 { _ = transmitter.enqueue(payload.span, channel: .attribute, on: first) }
        var output: [UInt8] = []
        transmitter.pump(into: &output)
        transmitter.close(first)
        #expect(transmitter.outstanding == 0)
        #expect(transmitter.completed(handle: 1, count: 2) == .unknownHandle)
        let again = transmitter.open(handle: 1)
        #expect(transmitter.queuedOctets(again) == 0)
        _ = transmitter.enqueue(payload.span, channel: .attribute, on: again)
        _ = transmitter.enqueue(payload.span, channel: .attribute, on: other)
        output = []
        transmitter.pump(into: &output)
        #expect(packets(output).map(\.handle).sorted() == [1, 2])
    }

    @Test func aFullQueueReportsThatItDrained() {
        var transmitter = ACLTransmitter(fullMark: 200, limit: 400)
        transmitter.configure(fragmentLength: 50, bufferCount: 1)
        let slot = transmitter.open(handle: 1)
        let payload = [UInt8](repeating: 0, count: 46)
        for _ in 0..<4 { #expect(enqueue(payload, on: slot, of: &transmitter) == true) }
        #expect(transmitter.isFull(slot))
        for _ in 0..<4 { #expect(enqueue(payload, on: slot, of: &transmitter) == true) }
        #expect(enqueue(payload, on: slot, of: &transmitter) == false)
        var output: [UInt8] = []
        for count in 1...6 {
            transmitter.pump(into: &output)
            #expect(transmitter.drained.isEmpty == (count < 6))
            _ = transmitter.completed(handle: 1, count: 1)
        }
        #expect(transmitter.drained == [slot])
        #expect(!transmitter.isFull(slot))
    }

    @Test func theLanesOfALinkAlternateFrameByFrame() {
        var transmitter = ACLTransmitter()
        transmitter.configure(fragmentLength: 10, bufferCount: 100)
        let slot = transmitter.open(handle: 1)
        let (attribute, bulk) = ([UInt8](repeating: 4, count: 12), [UInt8](repeating: 0x40, count: 12))
        for _ in 0..<3 { _ = transmitter.enqueue(attribute.span, channel: .attribute, on: slot) }
        for _ in 0..<2 { _ = transmitter.enqueue(bulk.span, channel: .init(rawValue: 0x40), on: slot, lane: .bulk) }
        #expect(transmitter.queuedOctets(slot) == 48)
        #expect(transmitter.queuedOctets(slot, lane: .bulk) == 32)
        var output: [UInt8] = []
        transmitter.pump(into: &output)
        let sent = packets(output)
        // Fragments of one frame stay together.
        #expect(sent.map(\.isContinuation) == [false, true, false, true, false, true, false, true, false, true])
        #expect(sent.map { $0.data.last } == [4, 4, 0x40, 0x40, 4, 4, 0x40, 0x40, 4, 4])
        #expect(transmitter.queuedOctets(slot, lane: .bulk) == 0)
    }
}
