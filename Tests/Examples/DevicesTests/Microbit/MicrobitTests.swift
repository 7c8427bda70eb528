import Devices
import Testing

/// A board whose clients may be hostile.
struct MicrobitBoardTests {
    private typealias Characteristic = MicrobitBoard.Characteristic
    private typealias Event = MicrobitBoard.Event

    @Test func valuesHaveTheirFormats() {
        var board = MicrobitBoard()
        board.acceleration = (1, -2, 1000)
        board.temperature = -5
        board.boardRequirements = [Event(source: 0x0102, value: 3)]
        #expect(board.value(of: .acceleration) == [1, 0, 0xFE, 0xFF, 0xE8, 0x03])
        #expect(board.value(of: .temperature) == [0xFB])
        #expect(board.value(of: .accelerationPeriod) == [20, 0])
        #expect(board.value(of: .boardRequirements) == [2, 1, 3, 0])
        #expect(board.value(of: .text) == nil)
    }

    @Test func writesChangeTheBoard() throws {
        var board = MicrobitBoard()
        var actions = try board.write([0xFF, 0, 1, 2, 0x1F], to: .lights)
        #expect(actions == [.lights([0x1F, 0, 1, 2, 0x1F])], "five lights a row")
        #expect(board.value(of: .lights) == [0x1F, 0, 1, 2, 0x1F])
        actions = try board.write(Array("hi".utf8), to: .text)
        #expect(actions == [.text("hi")])
        actions = try board.write([0x80, 2], to: .accelerationPeriod)
        #expect(actions.isEmpty)
        #expect(board.accelerationPeriod == 640)
        actions = try board.write([0x58, 4, 1, 0, 0x58, 4, 2, 0], to: .clientEvent)
        #expect(actions == [.event(Event(source: 1112, value: 1)), .event(Event(source: 1112, value: 2))])
    }

    @Test(
        arguments: [
            ([1, 2, 3, 4], Characteristic.lights, MicrobitBoard.Refusal.wrongLength), ([], .lights, .wrongLength),
            ([UInt8](repeating: 65, count: 21), .text, .wrongLength), ([3, 0], .accelerationPeriod, .wrongValue),
            ([1], .accelerationPeriod, .wrongLength), ([0, 0], .temperaturePeriod, .wrongValue),
            ([1, 2, 3], .clientEvent, .wrongLength), ([], .clientRequirements, .wrongLength),
            ([1], .buttonA, .notWritable),
            ([1, 2, 3, 4, 5, 6], .acceleration, .notWritable),
        ] as [([UInt8], MicrobitBoard.Characteristic, MicrobitBoard.Refusal)])
    func writesThatAreWrongAreRefused(
        value: [UInt8], characteristic: MicrobitBoard.Characteristic, refusal: MicrobitBoard.Refusal
    ) {
        var board = MicrobitBoard()
        #expect(throws: refusal) { try board.write(value, to: characteristic) }
    }

    @Test func requirementsHaveALimitAndEndWithTheClient() throws {
        var board = MicrobitBoard()
        _ = try board.write([1, 0, 0, 0], to: .clientRequirements)
        #expect(board.clientWants(Event(source: 1, value: 77)), "0 is any value")
        #expect(!board.clientWants(Event(source: 2, value: 77)))
        for value: UInt8 in 1..<16 { _ = try board.write([2, 0, value, 0], to: .clientRequirements) }
        _ = try board.write([2, 0, 15, 0], to: .clientRequirements)
        #expect(throws: MicrobitBoard.Refusal.wrongValue) { try board.write([2, 0, 16, 0], to: .clientRequirements) }
        #expect(!board.clientWants(Event(source: 2, value: 16)))
        board.disconnected()
        #expect(!board.clientWants(Event(source: 1, value: 77)))
    }
}
