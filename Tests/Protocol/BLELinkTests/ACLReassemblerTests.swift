import BLEWire
import Testing

@testable import BLELink

struct ACLReassemblerTests {
    private func outcome(
        _ reassembler: inout ACLReassembler, _ fragment: [UInt8], continuing: Bool = false
    ) -> ACLReassembler.Outcome {
        reassembler.receive(isContinuation: continuing, fragment.span)
    }

    @Test func aFrameInOneFragmentIsUsedInPlace() {
        var reassembler = ACLReassembler(limit: 100)
        #expect(outcome(&reassembler, [2, 0, 4, 0, 1, 2]) == .init(progress: .whole, fault: nil))
        #expect(reassembler.buffer.isEmpty)
    }

    @Test func fragmentsAreReassembledEvenWithinTheHeader() {
        var reassembler = ACLReassembler(limit: 100)
        #expect(outcome(&reassembler, [3]) == .init(progress: .incomplete, fault: nil))
        #expect(outcome(&reassembler, [0, 4, 0, 9], continuing: true) == .init(progress: .incomplete, fault: nil))
        #expect(outcome(&reassembler, [8, 7], continuing: true) == .init(progress: .assembled, fault: nil))
        #expect(reassembler.buffer == [3, 0, 4, 0, 9, 8, 7])
        reassembler.finish()
        #expect(outcome(&reassembler, [1], continuing: true).fault == .missingStart)
    }

    @Test func invalidFragmentsAreDroppedAndTheNextFrameIsReceived() {
        var reassembler = ACLReassembler(limit: 20)
        #expect(outcome(&reassembler, [1, 0, 4, 0, 1, 2]).fault == .tooLong)
        #expect(outcome(&reassembler, [4, 0, 4, 0, 1]).fault == nil)
        #expect(outcome(&reassembler, [1, 2, 3, 4], continuing: true).fault == .tooLong)
        #expect(outcome(&reassembler, [17, 0, 4, 0, 1]).fault == .aboveLimit)
        #expect(outcome(&reassembler, [0xFF, 0xFF, 4, 0]).fault == .aboveLimit)
        #expect(outcome(&reassembler, [4, 0, 4, 0, 1]).fault == nil)
        #expect(outcome(&reassembler, [1, 0, 4, 0, 5]) == .init(progress: .whole, fault: .unfinished))
        #expect(outcome(&reassembler, [0, 0, 4, 0]) == .init(progress: .whole, fault: nil))
    }

    @Test func randomFragmentsNeverTrapNorGrow() {
        var random = SeededRandom(seed: 3)
        var reassembler = ACLReassembler(limit: 64)
        for _ in 0..<50_000 {
            let count = Int(random.next() % 40)
            var fragment = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() % 48) }
            if count > 1, random.next() & 1 == 0 { fragment[1] = 0 }
            let result = outcome(&reassembler, fragment, continuing: random.next() & 1 == 0)
            if result.progress == .assembled { reassembler.finish() }
            #expect(reassembler.buffer.count <= 64)
        }
    }
}
