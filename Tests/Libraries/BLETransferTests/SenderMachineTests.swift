import Testing

@testable import BLETransfer

struct SenderMachineTests {
    static let size = 1000
    // check-tests: trap: the arguments are constants or made by the test, and valid.
    static let offer = try! TransferOffer(name: "f", size: size, digest: Array(repeating: 1, count: 32))
    static let prefix = [UInt8](repeating: 2, count: 32)

    /// The states, each reached by messages alone.
    enum Situation: String, CaseIterable {
        case unlinked, offering, restarting, checking, sending, allSent, ended

        var machine: SenderMachine {
            var machine = SenderMachine(SenderMachineTests.offer, at: .zero)
            if self == .unlinked { return machine }
            machine.linkOpened(at: .zero)
            switch self {
            case .unlinked, .offering: break
            case .checking, .restarting:
                machine.receive(.accept(offset: 300, window: 500, digest: SenderMachineTests.prefix), at: .zero)
                if self == .restarting { machine.prefixChecked(isEqual: false, at: .zero) }
            case .sending, .allSent:
                machine.receive(.accept(offset: 0, window: 2000, digest: SenderMachineTests.prefix), at: .zero)
                while let piece = machine.nextPiece(limit: self == .sending ? 400 : 1000) {
                    machine.sent(piece, at: .zero)
                    if self == .sending { break }
                }
                machine.receive(.acknowledge(offset: 200), at: .zero)
            case .ended: machine.stop(.cancelled)
            }
            machine.outgoing = []
            machine.events = []
            return machine
        }
    }

    static let messages: [(String, TransferMessage)] = [
        ("offer", .offer(version: 1, offer)),
        ("accept 0", .accept(offset: 0, window: 100, digest: prefix)),
        ("accept 300", .accept(offset: 300, window: 100, digest: prefix)),
        ("accept beyond", .accept(offset: 1001, window: 100, digest: prefix)),
        ("accept without window", .accept(offset: 0, window: 0, digest: prefix)),
        ("restart", .restart),
        ("ack 300", .acknowledge(offset: 300)),
        ("ack back", .acknowledge(offset: 199)),
        ("ack beyond", .acknowledge(offset: 1001)),
        ("resend 300", .resend(offset: 300)),
        ("resend beyond", .resend(offset: 1001)),
        ("check", .check(offset: 0)),
        ("end complete", .end(.complete)),
        ("end no space", .end(.noSpace)),
    ]

    /// What a message does, in a word.
    static func result(_ situation: Situation, _ message: TransferMessage) -> String {
        var machine = situation.machine
        let before = machine.state
        machine.receive(message, at: .seconds(1))
        // check-tests: exit: without an end the result is another word, which the test compares.
        if case .ended(let error)? = machine.events.last {
            #expect(machine.state == .ended && machine.deadline == nil)
            switch error {
            case nil: return "complete"
            case .endedByPeer?: return "peer"
            case .ended(let reason)?:
                #expect(machine.outgoing == [.end(reason)])
                return reason == .wrongRole ? "role" : "error"
            default: return "?"
            }
        }
        if machine.state == before, machine.events.isEmpty, machine.outgoing.isEmpty { return "-" }
        switch machine.state {
        case .checkingPrefix: return "checks"
        case .sending: return "sends"
        default: return "?"
        }
    }

    @Test func everyMessageInEveryState() {
        // In the order of the situations: unlinked, offering, restarting, checking, sending, allSent, ended.
        let table: [String: [String]] = [
            "offer": ["-", "role", "role", "role", "role", "role", "-"],
            "accept 0": ["-", "sends", "sends", "error", "error", "error", "-"],
            "accept 300": ["-", "checks", "error", "error", "error", "error", "-"],
            "accept beyond": ["-", "error", "error", "error", "error", "error", "-"],
            "accept without window": ["-", "error", "error", "error", "error", "error", "-"],
            "restart": ["-", "error", "error", "error", "error", "error", "-"],
            "ack 300": ["-", "error", "error", "error", "sends", "sends", "-"],
            "ack back": ["-", "error", "error", "error", "error", "error", "-"],
            "ack beyond": ["-", "error", "error", "error", "error", "error", "-"],
            "resend 300": ["-", "error", "error", "error", "sends", "sends", "-"],
            "resend beyond": ["-", "error", "error", "error", "error", "error", "-"],
            "check": ["-", "error", "error", "error", "error", "error", "-"],
            "end complete": ["-", "error", "error", "error", "error", "complete", "-"],
            "end no space": ["-", "peer", "peer", "peer", "peer", "peer", "-"],
        ]
        #expect(table.count == Self.messages.count)
        for (name, message) in Self.messages {
            #expect(Situation.allCases.map { Self.result($0, message) } == table[name], "\(name)")
        }
    }

    @Test(arguments: Situation.allCases) func aLostLinkBringsTheOfferAgain(_ situation: Situation) {
        var machine = situation.machine
        machine.linkClosed(at: .seconds(3))
        #expect(machine.nextPiece(limit: 10) == nil)
        machine.linkOpened(at: .seconds(4))
        #expect(machine.outgoing == (situation == .ended ? [] : [.offer(version: 1, Self.offer)]))
    }

    @Test func thePrefixDecidesWhereTheOctetsBegin() {
        var machine = Situation.checking.machine
        machine.prefixChecked(isEqual: true, at: .zero)
        #expect(machine.events == [.started(offset: 300)])
        #expect(machine.nextPiece(limit: 100) == 300..<400)
        machine = Situation.checking.machine
        machine.prefixChecked(isEqual: false, at: .zero)
        #expect(machine.outgoing == [.restart])
        machine.receive(.accept(offset: 0, window: 100, digest: Self.prefix), at: .zero)
        #expect(machine.nextPiece(limit: 100) == 0..<100)
    }

    @Test func theWindowBoundsWhatIsUnderWay() {
        var machine = Situation.offering.machine
        machine.receive(.accept(offset: 0, window: 250, digest: Self.prefix), at: .zero)
        var sent: [Range<Int>] = []
        while let piece = machine.nextPiece(limit: 100) {
            machine.sent(piece, at: .zero)
            sent.append(piece)
        }
        #expect(sent == [0..<100, 100..<200], "a short piece waits for the acknowledgement")
        machine.receive(.acknowledge(offset: 200), at: .zero)
        #expect(machine.nextPiece(limit: 100) == 200..<300)
        #expect(machine.nextPiece(limit: 1000) == 200..<450, "nothing is under way")
    }

    @Test func aSilentReceiverIsAskedAndThenGivenUp() {
        var machine = Situation.sending.machine
        #expect(machine.deadline == .seconds(2))
        machine.handleTimeout(at: .seconds(1))
        #expect(machine.outgoing.isEmpty)
        machine.handleTimeout(at: .seconds(2))
        #expect(machine.outgoing == [.check(offset: 400)])
        #expect(machine.deadline == .seconds(32))
        machine.receive(.resend(offset: 200), at: .seconds(3))
        #expect(machine.nextPiece(limit: 100) == 200..<300)
        machine.outgoing = []
        machine.handleTimeout(at: machine.deadline!)
        machine.handleTimeout(at: machine.deadline!)
        #expect(machine.outgoing == [.check(offset: 200), .end(.timeout)])
        #expect(machine.events.last == .ended(.ended(.timeout)))
    }

    @Test(arguments: [Situation.offering, .restarting, .checking]) func aReceiverThatNeverAnswersIsGivenUp(
        _ it: Situation
    ) {
        var machine = it.machine
        #expect(machine.deadline == .seconds(30))
        machine.handleTimeout(at: .seconds(30))
        #expect(machine.outgoing == [.end(.timeout)])
    }

    @Test func aLinkThatDoesNotComeBackEndsTheTransfer() {
        var machine = Situation.sending.machine
        machine.linkClosed(at: .seconds(5))
        #expect(machine.deadline == .seconds(65))
        machine.handleTimeout(at: .seconds(65))
        #expect(machine.events.last == .ended(.noLink))
        #expect(machine.outgoing.isEmpty)
    }

    @Test func repetitionsWithoutProgressEnd() {
        var machine = Situation.allSent.machine
        for _ in 0..<SenderMachine.repetitionLimit {
            machine.receive(.resend(offset: 200), at: .zero)
            #expect(!machine.isEnded)
        }
        machine.receive(.resend(offset: 200), at: .zero)
        #expect(machine.events.last == .ended(.ended(.protocolError)))
    }

    @Test func anAcknowledgementOfRepeatedOctetsSkipsThem() {
        var machine = Situation.allSent.machine
        machine.receive(.resend(offset: 200), at: .zero)
        machine.receive(.acknowledge(offset: 700), at: .zero)
        #expect(machine.nextPiece(limit: 1000) == 700..<1000)
    }
}
