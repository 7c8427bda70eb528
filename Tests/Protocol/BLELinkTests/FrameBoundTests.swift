import BLEWire
import Testing

@testable import BLELink

/// Sizes at a bound, and lengths and handles that need their second octet.
struct FrameBoundTests {
    /// A frame of 256 octets or more has a length in both octets of its header, queued or not.
    @Test func theLengthOfALongFrameIsWhole() {
        var transmitter = ACLTransmitter()
        let slot = transmitter.open(handle: 0x0E01)
        let payload = [UInt8](repeating: 7, count: 300)
        // Nothing is sent before the buffers are known, so the frame goes through the queue.
        #expect(transmitter.enqueue(payload.span, channel: .init(rawValue: 0x0140), on: slot) == true)
        transmitter.configure(fragmentLength: 512, bufferCount: 4)
        var output: [UInt8] = []
        transmitter.pump(into: &output)
        #expect(output.prefix(9) == [0x02, 0x01, 0x0E, 0x30, 0x01, 0x2C, 0x01, 0x40, 0x01])
        #expect(output.count == 9 + 300)
    }

    /// The frame has exactly the limit, and its length is known from the second fragment only.
    @Test func aFrameOfTheLimitIsReassembled() {
        var reassembler = ACLReassembler(limit: 20)
        let first: [UInt8] = [16]
        let rest: [UInt8] = [0, 4, 0] + [UInt8](repeating: 1, count: 16)
        #expect(reassembler.receive(isContinuation: false, first.span).progress == .incomplete)
        #expect(reassembler.receive(isContinuation: true, rest.span) == .init(progress: .assembled, fault: nil))
        reassembler.finish()
        let longer: [UInt8] = [17]
        #expect(reassembler.receive(isContinuation: false, longer.span).progress == .incomplete)
        #expect(reassembler.receive(isContinuation: true, rest.span).fault == .aboveLimit)
    }

    private func short(_ request: ATT.FindInformationRequest) -> [UInt8] {
        var octets: [UInt8] = []
        ATT.ShortPDU(request).withOctets { octets.append($0) }
        return octets
    }

    /// A short PDU takes the same way as a payload: the same octets, the same turn, and the queue from the mark on.
    @Test(arguments: [8, 9, 10]) func aShortPDUIsSentLikeAPayload(fullMark: Int) {
        let request = ATT.FindInformationRequest(range: HandleRange(start: 0x1234, end: 0x5678))
        let payload = short(request)
        #expect(payload == [0x04, 0x34, 0x12, 0x78, 0x56])
        var direct = ACLTransmitter(fullMark: fullMark, limit: 400)
        direct.configure(fragmentLength: 27, bufferCount: 3)
        let slots = [direct.open(handle: 0x0E01), direct.open(handle: 0x0E02)]
        var other = direct
        for slot in [slots[1], slots[0], slots[0], slots[1], slots[1]] {
            var (sent, expected): ([UInt8], [UInt8]) = ([], [])
            direct.send(ATT.ShortPDU(request), on: slot, into: &sent)
            _ = other.enqueue(payload.span, channel: .attribute, on: slot)
            direct.pump(into: &sent)
            other.pump(into: &expected)
            #expect(sent == expected)
            #expect(direct.drained == other.drained)
            #expect(direct.outstanding == other.outstanding)
        }
        // Both links wait; the turn decides which is first.
        for handle in [0x0E01, 0x0E02] as [UInt16] {
            for _ in 0..<2 {
                var (sent, expected): ([UInt8], [UInt8]) = ([], [])
                _ = direct.completed(handle: handle, count: 1)
                _ = other.completed(handle: handle, count: 1)
                direct.pump(into: &sent)
                other.pump(into: &expected)
                #expect(sent == expected)
                #expect(direct.drained == other.drained)
            }
        }
    }

    /// A value goes as one packet exactly if `send` would neither fragment it nor have to report that the queue drained.
    @Test func aValueIsSentUpToTheFragmentAndBelowTheMark() {
        for (fullMark, count) in [(20, 12), (20, 13), (8192, 20), (8192, 21)] {
            var transmitter = ACLTransmitter(fullMark: fullMark, limit: 8192)
            transmitter.configure(fragmentLength: 27, bufferCount: 3)
            let slot = transmitter.open(handle: 0x0E01)
            let value = [UInt8](repeating: 9, count: count)
            var output: [UInt8] = []
            let isSent = transmitter.send(opcode: .writeCommand, handle: 0x0403, value.span, on: slot, into: &output)
            #expect(isSent == (count == 12 || count == 20))
            let size = UInt8(count)
            let header: [UInt8] = [0x02, 0x01, 0x0E, size + 7, 0, size + 3, 0, 4, 0, 0x52, 0x03, 0x04]
            #expect(output == (isSent ? header + value : []))
        }
    }

    @Test func aMalformedCommandRejectDoesNotAnswerARequest() {
        var channel = SignallingChannel(role: .peripheral)
        var output: [UInt8] = []
        let wish = L2CAP.ConnectionParameterUpdateRequest(
            intervalMinimum: 6, intervalMaximum: 12, latency: 0, timeout: 200)
        #expect(channel.requestParameterUpdate(wish, at: .zero, output: &output) == true)
        let packet: [UInt8] = [0x01, 1, 1, 0, 0]
        #expect(channel.receive(packet.span, output: &output) == .ignored(.malformed))
        #expect(channel.deadline != nil)
    }

    @Test func theOutcomeOfAPacketAboutChannelsIsTold() {
        var end = ChannelEnd()
        let number = end.connect(0x80)
        func outcome(_ packet: [UInt8]) -> CreditBasedChannels.SignalOutcome {
            end.machine.receive(signal: packet.span, listeners: [], security: .none, at: .zero)
        }
        let request = end.frames().first?.payload ?? []
        #expect(request.count == 14)
        let identifier = request.count > 1 ? request[1] : 0
        // A Disconnection Response, a request and a credit that are cut.
        #expect(outcome([0x07, 9, 2, 0, 0, 0]) == .fault(.malformed))
        #expect(outcome([0x14, 9, 2, 0, 0, 0]) == .fault(.malformed))
        #expect(outcome([0x16, 9, 2, 0, 0, 0]) == .fault(.malformed))
        #expect(outcome([0x01, identifier &+ 1, 2, 0, 0, 0]) == .notOurs)
        #expect(outcome([0x01, identifier, 2, 0, 0, 0]) == .handled)
        end.collect()
        #expect(end.events == [.refused(number, .notUnderstood)])
        #expect(outcome([0x01, identifier, 2, 0, 0, 0]) == .notOurs)
    }
    /// A peer that knows no such channel answers the request to close it with a Command Reject.
    @Test func aCommandRejectEndsAChannelThatCloses() throws {
        var pair = ChannelPair()
        let (number, _) = pair.open()
        pair.client.close(number)
        let request = try #require(pair.client.frames().first?.payload)
        #expect(request.first == 0x06)
        let packet: [UInt8] = [0x01, request[1], 2, 0, 0, 0]
        #expect(
            pair.client.machine.receive(signal: packet.span, listeners: [], security: .none, at: .zero) == .handled)
        #expect(
            pair.client.machine.receive(signal: packet.span, listeners: [], security: .none, at: .zero) == .notOurs)
    }
}
