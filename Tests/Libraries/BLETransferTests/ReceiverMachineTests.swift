import Crypto
import Foundation
import Testing

@testable import BLETransfer

struct ReceiverMachineTests {
    static let file = pattern(1000)
    // check-tests: trap: the arguments are constants or made by the test, and valid.
    static let offer = try! TransferOffer(name: "f", size: 1000, digest: Array(SHA256.hash(data: file)))

    enum Situation: String, CaseIterable {
        case idle, deciding, discarding, receiving, committing

        var machine: ReceiverMachine {
            var machine = ReceiverMachine(window: 800)
            if self == .idle { return machine }
            machine.receive(.offer(version: 1, ReceiverMachineTests.offer), at: .zero)
            if self != .deciding { machine.accept(received: 0, hash: SHA256()) }
            switch self {
            case .discarding: machine.receive(.restart, at: .zero)
            case .committing: _ = ReceiverMachineTests.take(&machine, 0..<1000)
            default: break
            }
            machine.outgoing = []
            machine.events = []
            return machine
        }
    }

    /// Passes octets of the file to a machine, and stores those that it wants. Returns their number.
    @discardableResult
    static func take(_ machine: inout ReceiverMachine, _ range: Range<Int>) -> Int {
        guard let wanted = machine.receiveData(at: range.lowerBound, count: range.count, at: .zero) else { return 0 }
        machine.stored(file[range.lowerBound + wanted.lowerBound..<range.lowerBound + wanted.upperBound])
        return wanted.count
    }

    static let messages: [(String, TransferMessage)] = [
        ("offer", .offer(version: 1, offer)), ("offer 2", .offer(version: 2, offer)),
        ("accept", .accept(offset: 0, window: 1, digest: offer.digest)), ("restart", .restart),
        ("ack", .acknowledge(offset: 0)), ("resend", .resend(offset: 0)), ("check 0", .check(offset: 0)),
        ("check 400", .check(offset: 400)), ("end complete", .end(.complete)), ("end cancelled", .end(.cancelled)),
    ]

    static func result(_ situation: Situation, _ message: TransferMessage) -> String {
        var machine = situation.machine
        machine.receive(message, at: .seconds(1))
        let events = machine.events.map { event in
            switch event {
            case .offered: "offered"
            case .discard: "discard"
            case .progress: ""
            case .commit: "commit"
            case .suspended: "suspended"
            case .ended(.ended(let reason)?): reason == .unsupportedVersion ? "version" : "error"
            case .ended(.endedByPeer?): "peer"
            case .ended: "complete"
            }
        }
        let messages = machine.outgoing.map { message in
            switch message {
            case .acknowledge: "ack"
            case .resend: "resend"
            case .end: ""
            default: "?"
            }
        }
        let text = (events + messages).filter { !$0.isEmpty }.joined(separator: " ")
        return text.isEmpty ? "-" : text
    }

    @Test func everyMessageInEveryState() {
        // In the order of the situations: idle, deciding, discarding, receiving, committing.
        let again = "suspended offered"
        let table: [String: [String]] = [
            "offer": ["offered", again, again, again, again],
            "offer 2": ["version"] + Array(repeating: "suspended version", count: 4),
            "accept": ["-", "error", "error", "error", "error"],
            "restart": ["-", "error", "error", "discard", "error"],
            "ack": ["-", "error", "error", "error", "error"],
            "resend": ["-", "error", "error", "error", "error"],
            "check 0": ["-", "error", "error", "ack", "error"],
            "check 400": ["-", "error", "error", "resend", "error"],
            "end complete": ["-", "peer", "peer", "peer", "peer"],
            "end cancelled": ["-", "peer", "peer", "peer", "peer"],
        ]
        #expect(table.count == Self.messages.count)
        for (name, message) in Self.messages {
            #expect(Situation.allCases.map { Self.result($0, message) } == table[name], "\(name)")
        }
    }

    @Test(arguments: Situation.allCases) func octetsAreTakenOnlyWhileReceiving(_ situation: Situation) {
        var machine = situation.machine
        #expect(Self.take(&machine, 0..<10) == (situation == .receiving ? 10 : 0))
    }

    @Test(arguments: Situation.allCases) func theEndOfALinkSuspends(_ situation: Situation) {
        var machine = situation.machine
        machine.linkClosed()
        #expect(machine.events == (situation == .idle ? [] : [.suspended]))
        #expect(machine.isIdle && machine.deadline == nil)
    }

    @Test func aGapIsReportedOnceUntilTheRepetitionHasOne() {
        var machine = Situation.receiving.machine
        Self.take(&machine, 0..<50)
        #expect(Self.take(&machine, 100..<150) == 0)
        #expect(machine.outgoing == [.resend(offset: 50)])
        Self.take(&machine, 150..<200)
        #expect(machine.outgoing.count == 1)
        // The repetition loses its first value again.
        Self.take(&machine, 100..<150)
        #expect(machine.outgoing == [.resend(offset: 50), .resend(offset: 50)])
        #expect(Self.take(&machine, 50..<100) == 50)
    }

    @Test func repeatedOctetsAreStoredOnce() {
        var machine = Situation.receiving.machine
        #expect(Self.take(&machine, 0..<100) == 100)
        #expect(Self.take(&machine, 0..<100) == 0)
        #expect(Self.take(&machine, 50..<150) == 50)
        #expect(machine.received == 150)
    }

    @Test func octetsBeyondTheFileEndTheTransfer() {
        for (offset, count) in [(0, 1001), (999, 2), (1000, 1), (Int(UInt32.max), 1)] {
            var machine = Situation.receiving.machine
            #expect(machine.receiveData(at: offset, count: count, at: .zero) == nil)
            #expect(machine.outgoing == [.end(.protocolError)])
        }
    }

    @Test func acknowledgementsComeAfterAnEighthOfTheWindow() {
        var machine = Situation.receiving.machine
        for start in stride(from: 0, to: 250, by: 50) { Self.take(&machine, start..<start + 50) }
        #expect(machine.outgoing == [.acknowledge(offset: 100), .acknowledge(offset: 200)])
    }

    @Test func theDigestDecides() {
        var machine = Situation.receiving.machine
        Self.take(&machine, 0..<1000)
        #expect(machine.events.last == .commit)
        machine.committed()
        #expect(machine.outgoing.last == .end(.complete))
        #expect(machine.events.last == .ended(nil))

        machine = Situation.receiving.machine
        _ = machine.receiveData(at: 0, count: 1000, at: .zero)
        machine.stored(Data(count: 1000))
        #expect(machine.outgoing.last == .end(.digestMismatch))
    }

    @Test func aCompletePartialFileIsCommittedAtOnce() {
        var machine = Situation.deciding.machine
        var hash = SHA256()
        hash.update(data: Self.file)
        machine.accept(received: 1000, hash: hash)
        #expect(machine.events == [.commit])
        machine.committed()
        #expect(machine.outgoing == [.accept(offset: 1000, window: 800, digest: Self.offer.digest), .end(.complete)])
    }

    @Test func aSilentSenderIsGivenUp() {
        var machine = Situation.receiving.machine
        machine.receive(.check(offset: 0), at: .seconds(10))
        #expect(machine.deadline == .seconds(40))
        machine.handleTimeout(at: .seconds(39))
        #expect(!machine.isIdle)
        machine.handleTimeout(at: .seconds(40))
        #expect(machine.outgoing.last == .end(.timeout))
        #expect(machine.events.last == .ended(.ended(.timeout)))
    }

    @Test func offersOnOneLinkAreBounded() {
        var machine = ReceiverMachine()
        for _ in 0..<ReceiverMachine.offerLimit { machine.receive(.offer(version: 1, Self.offer), at: .zero) }
        #expect(machine.events.count { $0 == .offered(Self.offer) } == ReceiverMachine.offerLimit)
        machine.events = []
        machine.receive(.offer(version: 1, Self.offer), at: .zero)
        #expect(machine.outgoing.last == .end(.protocolError))
        #expect(machine.isIdle && !machine.events.contains(.offered(Self.offer)))
        // A new link begins to count again.
        machine.linkClosed()
        machine.receive(.offer(version: 1, Self.offer), at: .zero)
        #expect(machine.events.contains(.offered(Self.offer)))
    }
}
