import BLEController
import BLEWire
import Testing

/// Generated from `ClaimedCommand.all`: each command that is claimed, and each that is not.
struct ConformanceTests {
    /// What the controller says to one packet at once; the events without their type octet.
    private func answers(_ bench: Bench, _ host: RawHost, _ packet: [UInt8]) -> [[UInt8]] {
        bench.deliver()
        let before = host.events.count
        host.send(raw: packet)
        bench.deliver()
        return Array(host.events[before...])
    }

    /// A controller that may get the command: with a link, except for commands of extended advertising, because the link is made by legacy ones.
    private func bench(for command: ClaimedCommand) throws -> (Bench, RawHost, handle: UInt16) {
        guard command.isExtended else { return try linked() }
        let bench = Bench()
        return (bench, bench.addHost { $0.publicAddress = DeviceAddress(kind: .public, value: 0xA1) }, 0)
    }

    private func linked() throws -> (Bench, RawHost, handle: UInt16) {
        let bench = Bench()
        // Commands that start a role use the public address, which is the default.
        let central = bench.addHost { $0.publicAddress = DeviceAddress(kind: .public, value: 0xA1) }
        let peripheral = bench.addHost()
        let link = try #require(bench.connect(central, peripheral))
        // Until the link is established and what its start brings is over.
        bench.run(for: .milliseconds(300))
        return (bench, central, link.central)
    }

    /// The answer to a command has the event, the length and the status that it should have.
    private func expect(
        _ events: [[UInt8]], _ command: ClaimedCommand, status: UInt8, handle: UInt16?,
        _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (low, high) = (UInt8(command.opcode & 0xFF), UInt8(command.opcode >> 8))
        guard let event = events.first else {
            Issue.record("no answer \(comment ?? "")", sourceLocation: sourceLocation)
            return
        }
        switch command.answer {
        case .status:
            #expect(event == [0x0F, 4, status, 1, low, high], comment, sourceLocation: sourceLocation)
        case .complete(let count):
            guard event.count >= 6 else {
                Issue.record("\(event) \(comment ?? "")", sourceLocation: sourceLocation)
                return
            }
            #expect(
                event[0] == 0x0E && event[2] == 1 && event[3] == low && event[4] == high, comment,
                sourceLocation: sourceLocation)
            #expect(event[5] == status, comment, sourceLocation: sourceLocation)
            if status == 0 { #expect(event.count == 5 + count, comment, sourceLocation: sourceLocation) }
            // Right after the status, also with an error (4.5).
            if let handle, command.isAboutLink {
                #expect(
                    event.count >= 8 && event[6] == UInt8(handle & 0xFF) && event[7] == UInt8(handle >> 8), comment,
                    sourceLocation: sourceLocation)
            }
        }
        // Nothing else is an answer.
        let others = events.dropFirst().filter { $0[0] == 0x0E || $0[0] == 0x0F }
        #expect(others.isEmpty, comment, sourceLocation: sourceLocation)
    }

    @Test func supportedCommandsMatchTheTable() {
        let bench = Bench()
        let host = bench.addHost()
        let answer = answers(bench, host, [1, 0x02, 0x10, 0])
        var expected = [UInt8](repeating: 0, count: 64)
        for command in ClaimedCommand.all {
            if let bit = command.bit { expected[bit.octet] |= 1 << UInt8(bit.bit) }
        }
        #expect(Array(answer[0][6...]) == expected)
    }

    @Test func otherOpcodesAreUnknownCommands() {
        let bench = Bench()
        let host = bench.addHost()
        let claimed = Set(ClaimedCommand.all.map(\.opcode))
        host.events.removeAll()
        for opcode in UInt16(1)...UInt16.max where !claimed.contains(opcode) {
            let (low, high) = (UInt8(opcode & 0xFF), UInt8(opcode >> 8))
            // Whatever the parameters are.
            let length = UInt8(opcode % 3)
            host.send(raw: [1, low, high, length] + [UInt8](repeating: 0xFF, count: Int(length)))
            bench.deliver()
            if host.events != [[0x0F, 4, 0x01, 1, low, high]] {
                Issue.record("\(HCI.Opcode(rawValue: opcode)): \(host.events)")
            }
            host.events.removeAll(keepingCapacity: true)
        }
    }

    @Test(arguments: ClaimedCommand.all) func aValidCommandIsAnsweredAsSpecified(command: ClaimedCommand) throws {
        let (bench, host, handle) = try bench(for: command)
        let events = answers(bench, host, command.packet(command.parameters(of: handle)))
        expect(events, command, status: command.status, handle: handle)
    }

    @Test(arguments: ClaimedCommand.all) func aWrongLengthIsAnInvalidParameter(command: ClaimedCommand) throws {
        let (bench, host, handle) = try bench(for: command)
        let valid = command.parameters(of: handle)
        for length in 0..<valid.count {
            let events = answers(bench, host, command.packet(Array(valid[..<length])))
            expect(events, command, status: 0x12, handle: length >= 2 ? handle : nil, "\(length) octets")
        }
        for length in [valid.count + 1, valid.count + 2, 255] where length > valid.count {
            let parameters = valid + [UInt8](repeating: 0, count: length - valid.count)
            let events = answers(bench, host, command.packet(parameters))
            expect(events, command, status: 0x12, handle: handle, "\(length) octets")
        }
        // And none of that did anything: the link is still there.
        bench.run(for: .milliseconds(100))
        #expect(host.disconnections.isEmpty)
    }

    @Test(arguments: ClaimedCommand.all.filter(\.isAboutLink))
    func anUnknownHandleIsAnUnknownConnection(command: ClaimedCommand) throws {
        let (bench, host, handle) = try linked()
        for wrong in [handle + 1, 0x0000, 0x0EFF] {
            let events = answers(bench, host, command.packet(command.parameters(of: wrong)))
            expect(events, command, status: 0x02, handle: wrong, "handle \(wrong)")
        }
        bench.run(for: .milliseconds(100))
        #expect(host.disconnections.isEmpty)
    }

    /// What a command does not get in the wrong state (Vol 4, Part E, 7.8).
    @Test func theWrongStateIsDisallowed() throws {
        let bench = Bench()
        let host = bench.addHost()
        func status(_ opcode: UInt16) -> UInt8 {
            guard let command = ClaimedCommand.all.first(where: { $0.opcode == opcode }) else { return 0xFF }
            let events = answers(bench, host, command.packet(command.parameters))
            return events.first.map { $0[0] == 0x0E ? $0[5] : $0[2] } ?? 0xFE
        }
        // Scanning: neither its parameters nor the random address may change.
        #expect(status(0x200B) == 0 && status(0x200C) == 0)
        #expect(status(0x200B) == 0x0C && status(0x2005) == 0x0C)
        #expect(answers(bench, host, [1, 0x0C, 0x20, 2, 0, 0])[0][5] == 0)
        // Advertising: the same. What a wrong parameter gets first is for the controller to choose; it says no in any case.
        #expect(status(0x2006) == 0 && status(0x200A) == 0)
        #expect(status(0x2006) == 0x0C && status(0x2005) == 0x0C)
        #expect(status(0x200A) == 0)
        #expect(answers(bench, host, [1, 0x0A, 0x20, 1, 0])[0][5] == 0)
        // Initiating: no second time, and not another address.
        #expect(status(0x200D) == 0)
        #expect(status(0x200D) == 0x0C && status(0x2005) == 0x0C)
        #expect(status(0x200E) == 0)
        #expect(status(0x200E) == 0x0C)
        // Initiating by the accept list: the list is in use.
        #expect(status(0x2011) == 0)
        var create = ClaimedCommand.all.first { $0.opcode == 0x200D }!.parameters
        create[4] = 1
        #expect(answers(bench, host, [1, 0x0D, 0x20, 25] + create)[0][2] == 0)
        #expect(status(0x2010) == 0x0C && status(0x2011) == 0x0C && status(0x2012) == 0x0C)
        #expect(status(0x200F) == 0)
        #expect(status(0x0C03) == 0)
        #expect(status(0x2010) == 0)
    }

    /// Of several errors: a command that is not there is unknown whatever its state; one that cannot be read is invalid before
    /// its handle or state counts; a link that is not there comes before what the command wants of it.
    @Test func theMostSpecificErrorIsReturned() throws {
        let (bench, host, _) = try linked()
        #expect(answers(bench, host, [1, 0x1D, 0x20, 1, 0]) == [[0x0F, 4, 0x01, 1, 0x1D, 0x20]])
        // Disconnect of an unknown link with a forbidden reason; the same, cut.
        #expect(answers(bench, host, [1, 0x06, 0x04, 3, 0xFF, 0x0E, 0x00]) == [[0x0F, 4, 0x02, 1, 0x06, 0x04]])
        #expect(answers(bench, host, [1, 0x06, 0x04, 2, 0xFF, 0x0E]) == [[0x0F, 4, 0x12, 1, 0x06, 0x04]])
        host.scan()
        bench.deliver()
        #expect(answers(bench, host, [1, 0x0B, 0x20, 1, 0]) == [[0x0E, 4, 1, 0x0B, 0x20, 0x12]])
    }

    @Test func anUnknownChannelIsAnInvalidParameter() {
        let bench = Bench()
        let host = bench.addHost()
        #expect(answers(bench, host, [1, 0x14, 0x20, 5, 0, 0, 0, 0, 0])[0][5] == 0x12)
        #expect(answers(bench, host, [1, 0x14, 0x20, 5, 1, 0, 0, 0, 0])[0][5] == 0x00)
        #expect(answers(bench, host, [1, 0x14, 0x20, 5, 0, 0, 0, 0, 0xE0])[0][5] == 0x12)
    }

    @Test func aPowerLevelIsTheCurrentOrTheMaximum() throws {
        let (bench, host, handle) = try linked()
        let octets = [UInt8(handle & 0xFF), UInt8(handle >> 8)]
        #expect(answers(bench, host, [1, 0x2D, 0x0C, 3] + octets + [1])[0][5] == 0x00)
        #expect(
            answers(bench, host, [1, 0x2D, 0x0C, 3] + octets + [2]) == [[0x0E, 7, 1, 0x2D, 0x0C, 0x12] + octets + [0]])
    }
}
