import BLEWire
import Testing

@testable import BLELink

/// New limits of open channels (Vol 3, Part A, 4.27 and 4.28).
struct ReconfigurationTests {
    /// A server with two channels of a client whose ends are 0041 and 0042, MTU and MPS 100.
    private func open() -> ChannelEnd {
        var end = ChannelEnd()
        end.listeners = [CreditBasedListener(spsm: 0x80, requiresEncryption: false)]
        #expect(end.answer(enhancedRequest([0x41, 0x42], credits: 20)).count == 1)
        end.clear()
        return end
    }

    @Test("L2CAP/ECFC/BV-23-C, BV-25-C: a peer changes its limits")
    func aPeerChangesItsLimits() {
        var end = open()
        for (mtu, mps) in [(200, 120), (200, 70), (201, 80)] as [(UInt8, UInt8)] {
            end.clear()
            #expect(end.reconfigureAnswer(mtu: mtu, mps: mps, [0x41]) == 0)
            #expect(end.events == [.reconfigured(1, sendMTU: Int(mtu))])
            #expect(end.send(.pattern(Int(mtu)), on: 1) == .queued)
            #expect(end.send(.pattern(Int(mtu) + 1), on: 1) == .invalidLength)
            let frames = end.frames().filter { $0.channel == 0x41 }
            #expect(frames.first?.payload.count == Int(mps))
            #expect(frames.reduce(0) { $0 + $1.payload.count } == Int(mtu) + 2)
        }
        #expect(end.send(.pattern(101), on: 2) == .invalidLength, "the other channel has its old limits")
        #expect(end.reconfigureAnswer(mtu: 210, mps: 100, [0x41, 0x42]) == 0)
        #expect(end.send(.pattern(210), on: 2) == .queued)
    }

    @Test("L2CAP/ECFC/BI-03-C to BI-07-C: changes that are not allowed are refused, and the channels stay")
    func changesThatAreNotAllowedAreRefused() {
        var end = open()
        #expect(end.reconfigureAnswer(mtu: 99, mps: 100, [0x41]) == 1)
        #expect(end.reconfigureAnswer(mtu: 100, mps: 99, [0x41, 0x42]) == 2)
        #expect(end.reconfigureAnswer(mtu: 100, mps: 100, [0x43]) == 3)
        #expect(end.reconfigureAnswer(mtu: 100, mps: 100, [0x41, 0x41]) == 3)
        #expect(end.reconfigureAnswer(mtu: 100, mps: 63, [0x41]) == 4)
        #expect(end.reconfigureAnswer(mtu: 63, mps: 100, [0x41]) == 4)
        #expect(end.events.isEmpty && end.machine.count == 2)
        // An MPS between those of the two channels.
        #expect(end.reconfigureAnswer(mtu: 100, mps: 120, [0x41]) == 0)
        #expect(end.reconfigureAnswer(mtu: 100, mps: 110, [0x41, 0x42]) == 2)
        // Channels of the basic mode have fixed limits.
        #expect(end.answer([0x14, 2, 10, 0, 0x80, 0, 0x50, 0, 100, 0, 100, 0, 1, 0]).first?[12] == 0)
        #expect(end.reconfigureAnswer(mtu: 100, mps: 100, [0x50]) == 3)
    }

    @Test func anAnswerWithoutARequestIsAFault() {
        var end = open()
        for answer: [UInt8] in [[0x1A, 9, 2, 0, 0, 0], [0x1A, 9, 1, 0, 0]] {
            let outcome = end.machine.receive(signal: answer.span, listeners: [], security: .none, at: .zero)
            #expect(outcome != .handled && outcome != .notOurs)
        }
        #expect(end.events.isEmpty && end.frames().isEmpty && end.machine.count == 2)
    }
}
