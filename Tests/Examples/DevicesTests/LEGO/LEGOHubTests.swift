import Devices
import TestConditions
import Testing

struct LEGOHubMachineTests {
    private func answers(_ machine: inout LEGOHubMachine, _ type: LEGOHubMachine.MessageType, _ payload: [UInt8])
        -> [[UInt8]]
    {
        machine.receive(LEGOHubMachine.message(type, payload))
    }

    @Test func theClientIsToldWhatIsAttached() {
        var machine = LEGOHubMachine(name: "Hub")
        let messages = machine.connected()
        #expect(
            messages.map { Array($0[..<7]) } == [
                [15, 0, 4, 0x00, 1, 0x02, 0], [15, 0, 4, 0x32, 1, 0x17, 0], [15, 0, 4, 0x3B, 1, 0x15, 0],
                [15, 0, 4, 0x3C, 1, 0x14, 0],
            ])
        #expect(messages.allSatisfy { $0.count == 15 })
    }

    @Test func propertiesAreReadSetAndWatched() {
        var machine = LEGOHubMachine(name: "Hub")
        var sent = answers(&machine, .properties, [0x01, 5])
        #expect(sent == [[8, 0, 1, 1, 6] + Array("Hub".utf8)])
        sent = answers(&machine, .properties, [0x01, 1] + Array("Express".utf8))
        #expect(sent.isEmpty)
        #expect(machine.action == .renamed("Express"))
        #expect(machine.name == "Express")
        sent = answers(&machine, .properties, [0x0A, 5])
        #expect(sent == [[7, 0, 1, 0x0A, 6, 0, 3]])
        sent = machine.charge(to: 90)
        #expect(sent.isEmpty)
        sent = answers(&machine, .properties, [0x06, 2])
        #expect(sent == [[6, 0, 1, 6, 6, 90]])
        sent = machine.charge(to: 80)
        #expect(sent == [[6, 0, 1, 6, 6, 80]])
        sent = answers(&machine, .properties, [0x06, 3]) + machine.charge(to: 70)
        #expect(sent.isEmpty)
        sent = answers(&machine, .properties, [0x02, 2]) + machine.press(true)
        #expect(sent == [[6, 0, 1, 2, 6, 0], [6, 0, 1, 2, 6, 1]])
    }

    /// LEGO Wireless Protocol 3.0, 3.5.1: the name has updates like the button, and a reset.
    @Test func theNameIsWatchedAndReset() {
        var machine = LEGOHubMachine(name: "Hub")
        var sent = answers(&machine, .properties, [0x01, 2, 0])
        #expect(sent == [[8, 0, 1, 1, 6] + Array("Hub".utf8)])
        sent = answers(&machine, .properties, [0x01, 1] + Array("Express".utf8))
        #expect(sent == [[12, 0, 1, 1, 6] + Array("Express".utf8)])
        sent = answers(&machine, .properties, [0x01, 4, 0])
        #expect(sent == [[8, 0, 1, 1, 6] + Array("Hub".utf8)])
        #expect(machine.action == .renamed("Hub"))
        _ = answers(&machine, .properties, [0x01, 1] + Array("Express".utf8))
        sent = answers(&machine, .properties, [0x01, 3, 0]) + answers(&machine, .properties, [0x01, 4, 0])
        #expect(sent.isEmpty)
        #expect(machine.name == "Hub")
        sent = answers(&machine, .properties, [0x06, 4, 0])
        #expect(sent == [[5, 0, 5, 1, 6]], "the battery has no reset")
    }

    @Test func outputCommandsDriveTheMotorAndTheLight() {
        var machine = LEGOHubMachine(name: "Hub")
        var sent = answers(&machine, .output, [0x00, 0x11, 0x51, 0, 50])
        #expect(machine.action == .power(port: 0, 50))
        #expect(sent == [[5, 0, 0x82, 0, 0x0A]])
        sent = answers(&machine, .output, [0x00, 0x10, 0x01, UInt8(bitPattern: -100)])
        #expect(machine.action == .power(port: 0, -100))
        #expect(sent.isEmpty, "no feedback was wanted")
        sent = answers(&machine, .output, [0x00, 0x11, 0x51, 0, 127])
        #expect(machine.action == .power(port: 0, 0), "brake")
        _ = answers(&machine, .output, [0x32, 0x11, 0x51, 0, 9])
        #expect(machine.action == .colour(9))
        #expect(machine.ports.map(\.value) == [0, 9, 0, 7500])
    }

    @Test func aSensorSendsWhenItsValueChangesEnough() {
        var machine = LEGOHubMachine(name: "Hub")
        var sent = machine.measure(8000, port: LEGOHubMachine.voltagePort)
        #expect(sent.isEmpty)
        let setup: [UInt8] = [0x3C, 0, 100, 0, 0, 0, 1]
        sent = answers(&machine, .inputFormatSetup, setup)
        #expect(sent == [[10, 0, 0x47] + setup, [6, 0, 0x45, 0x3C, 0x40, 0x1F]])
        sent = machine.measure(8099, port: LEGOHubMachine.voltagePort)
        #expect(sent.isEmpty)
        sent = machine.measure(7900, port: LEGOHubMachine.voltagePort)
        #expect(sent == [[6, 0, 0x45, 0x3C, 0xDC, 0x1E]])
        sent = answers(&machine, .inputFormatSetup, [0x3C, 0, 100, 0, 0, 0, 0]) + machine.measure(0, port: 0x3C)
        #expect(sent == [[10, 0, 0x47, 0x3C, 0, 100, 0, 0, 0, 0]])
        _ = answers(&machine, .inputFormatSetup, setup)
        _ = machine.connected()
        sent = machine.measure(5000, port: 0x3C)
        #expect(sent.isEmpty, "another client has not asked")
        sent =
            answers(&machine, .portInformationRequest, [0x3C, 0])
            + answers(&machine, .portInformationRequest, [0x00, 1])
        #expect(sent == [[6, 0, 0x45, 0x3C, 0x88, 0x13], [11, 0, 0x43, 0, 1, 1, 1, 0, 0, 1, 0]])
    }

    @Test(
        arguments: [
            ([5, 0, 0x21, 0x07], 0x21, 6), ([5, 0, 0x21, 0x07, 0], 0x21, 6), ([4, 1, 0x02, 1], 0x02, 6),
            ([4, 0, 0x02, 9], 0x02, 6),
            ([4, 0, 0x66, 0], 0x66, 5), ([3, 0, 0x81], 0x81, 6), ([8, 0, 0x81, 0, 0x11, 0x51, 0, 101], 0x81, 6),
            ([8, 0, 0x81, 0x32, 0x11, 0x51, 0, 11], 0x81, 6), ([5, 0, 0x01, 0x77, 5], 0x01, 6),
            ([5, 0, 0x01, 0x01, 1], 0x01, 6),
            ([20, 0, 0x01, 0x01, 1] + [UInt8](repeating: 65, count: 15), 0x01, 6), ([5, 0, 0x01, 0x0A, 2], 0x01, 6),
            ([6, 0, 0x01, 0x01, 1, 0xFF], 0x01, 6), ([10, 0, 0x41, 0x3C, 1, 1, 0, 0, 0, 1], 0x41, 6),
            ([0x84, 0, 0, 0x02], 0x02, 6),
        ] as [([UInt8], UInt8, UInt8)])
    func messagesThatAreWrongAreErrors(message: [UInt8], type: UInt8, code: UInt8) {
        var machine = LEGOHubMachine(name: "Hub")
        let sent = machine.receive(message)
        #expect(sent == [[5, 0, 0x05, type, code]])
        #expect(machine.action == nil)
        #expect(machine.name == "Hub")
    }

    @Test func messagesWithoutATypeAreDropped() {
        var machine = LEGOHubMachine(name: "Hub")
        let sent = [[], [3], [3, 0], [0x83, 0, 0]].flatMap { machine.receive($0) }
        #expect(sent.isEmpty)
        let long = LEGOHubMachine.message(.error, [UInt8](repeating: 1, count: 300))
        #expect(Array(long[..<4]) == [0xB0, 0x02, 0, 5])
        #expect(long.count == 304)
        var random = Seeded(11)
        for _ in 0..<5000 {
            let message = (0..<random.next(12)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            _ = machine.receive([UInt8(message.count + 2), 0] + message)
        }
    }
}
