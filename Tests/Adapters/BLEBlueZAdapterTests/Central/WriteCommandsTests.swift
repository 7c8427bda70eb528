import Testing

@testable import BLEBlueZAdapter

struct WriteCommandsTests {
    private var commands = WriteCommands()

    init() { for value in [[1], [2, 3]] as [[UInt8]] { commands.add(value) } }

    @Test mutating func valuesLeaveThroughTheSocketInTheirOrder() {
        #expect(commands.next() == .acquire && commands.next() == nil)
        commands.acquired(true)
        #expect(commands.next() == .write([1]) && commands.next() == nil)
        #expect(commands.wrote(.sent) == 1 && commands.count == 2)
        #expect(commands.next() == .write([2, 3]))
        #expect(commands.wrote(.sent) == 2 && commands.isEmpty && commands.next() == nil)
    }

    @Test mutating func aFullSocketTakesTheValueLater() {
        _ = commands.next()
        commands.acquired(true)
        #expect(commands.next() == .write([1]) && commands.wrote(.full) == nil && commands.next() == nil)
        commands.hasRoom()
        #expect(commands.next() == .write([1]))
    }

    /// bluetoothd gives another socket to the same program.
    @Test mutating func aFullSocketThatEndsIsAskedForAgain() {
        _ = commands.next()
        commands.acquired(true)
        #expect(commands.next() == .write([1]) && commands.wrote(.full) == nil)
        commands.released()
        #expect(commands.next() == .acquire)
    }

    @Test mutating func withoutASocketEachValueIsACall() {
        _ = commands.next()
        commands.acquired(false)
        #expect(commands.next() == .call([1]) && commands.next() == nil)
        #expect(commands.called() == 1)
        #expect(commands.next() == .call([2, 3]) && commands.called() == 2 && commands.next() == nil)
    }

    @Test mutating func aSocketThatEndsDuringAWriteLeadsToCalls() {
        _ = commands.next()
        commands.acquired(true)
        #expect(commands.next() == .write([1]) && commands.wrote(.ended) == nil)
        #expect(commands.next() == .call([1]))
    }

    /// An empty packet looks like the end of the socket.
    @Test mutating func anEmptyValueIsACallAfterTheSocketIsClosed() {
        commands = WriteCommands()
        commands.add([])
        #expect(commands.next() == .call([]) && commands.called() == 0)
        commands.add([1])
        _ = commands.next()
        commands.acquired(true)
        _ = commands.next()
        #expect(commands.wrote(.sent) == 1)
        commands.add([])
        #expect(commands.next() == .release && commands.next() == nil)
        commands.released()
        #expect(commands.next() == .call([]))
    }

    @Test mutating func nothingLeavesWhileTheSocketIsClosedForARequest() {
        commands = WriteCommands()
        commands.release()
        commands.add([1])
        #expect(commands.next() == nil)
        commands.released()
        #expect(commands.next() == .acquire)
    }

    /// Such as after a change of the services.
    @Test mutating func lateAnswersHaveNoEffect() {
        commands = WriteCommands()
        #expect(commands.called() == nil && commands.wrote(.sent) == nil)
        commands.acquired(true)
        commands.hasRoom()
        commands.add([1])
        #expect(commands.next() == .acquire && commands.called() == nil && commands.next() == nil)
    }
}
