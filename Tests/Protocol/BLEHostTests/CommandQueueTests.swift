import BLEWire
import Testing

@testable import BLEHost

struct CommandQueueTests {
    private func entry(_ match: CommandQueue<Int>.Match) -> Int? {
        if case .command(let entry) = match { entry.purpose } else { nil }
    }

    @Test func commandsWaitForCredits() {
        var queue = CommandQueue<Int>()
        for number in 1...3 { queue.enqueue(HCI.Reset(), timeout: .seconds(2), purpose: number) }
        var output: [UInt8] = []
        queue.pump(into: &output, at: .zero)
        #expect(output == [1, 3, 0x0C, 0])
        #expect(entry(queue.answered(opcode: .reset, credits: 2)) == 1)
        output = []
        queue.pump(into: &output, at: .zero)
        #expect(output == [1, 3, 0x0C, 0, 1, 3, 0x0C, 0])
        #expect(entry(queue.answered(opcode: .reset, credits: 0)) == 2)
        #expect(entry(queue.answered(opcode: .reset, credits: 0)) == 3)
        #expect(queue.isIdle)
        queue.enqueue(HCI.Reset(), timeout: .seconds(2), purpose: 4)
        output = []
        queue.pump(into: &output, at: .zero)
        #expect(output.isEmpty)
        guard case .creditsOnly = queue.answered(opcode: .none, credits: 1) else {
            Issue.record("opcode 0 is no answer")
            return
        }
        queue.pump(into: &output, at: .zero)
        #expect(output == [1, 3, 0x0C, 0])
    }

    @Test func answersFindTheirCommandsInAnyOrder() {
        var queue = CommandQueue<Int>()
        _ = queue.answered(opcode: .none, credits: 3)
        queue.enqueue(HCI.Reset(), timeout: .seconds(2), purpose: 1)
        queue.enqueue(HCI.ReadBDADDR(), timeout: .seconds(2), purpose: 2)
        var output: [UInt8] = []
        queue.pump(into: &output, at: .zero)
        #expect(entry(queue.answered(opcode: .readBDADDR, credits: 1)) == 2)
        guard case .unexpected = queue.answered(opcode: .readBDADDR, credits: 1) else {
            Issue.record("answered twice")
            return
        }
        #expect(entry(queue.answered(opcode: .reset, credits: 1)) == 1)
    }

    @Test func theDeadlineOfACommandStartsAtItsTransmission() {
        var queue = CommandQueue<Int>()
        queue.enqueue(HCI.Reset(), timeout: .seconds(2), purpose: 1)
        queue.enqueue(HCI.Reset(), timeout: .seconds(2), purpose: 2)
        #expect(queue.deadline == nil)
        var output: [UInt8] = []
        queue.pump(into: &output, at: .zero)
        #expect(queue.deadline == .zero + .seconds(2))
        #expect(queue.expire(at: .zero + .seconds(1))?.purpose == nil)
        #expect(queue.expire(at: .zero + .seconds(2))?.purpose == 1)
        // The controller gave no credit back, but the next command goes.
        queue.pump(into: &output, at: .zero + .seconds(2))
        #expect(queue.deadline == .zero + .seconds(4))
    }
}
