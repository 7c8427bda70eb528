import BLEAdapter
import BLESecurity
import BLEWire
import Dispatch
import Testing

@testable import BluetoothPairing

/// An agent whose queue does not run, while a peer pairs again and again.
@Suite struct BlockedQueueTests {
    private final class Session: PairingSession {
        let cancelled = Lock(0)

        func setAgent(_ agent: PairingAgentCapability?) {}
        func setPolicy(_ policy: PairingPolicy) {}
        func pair(_ peer: PeerIdentifier, minimum: LinkSecurity.Level) {}
        func cancelPairing(with peer: PeerIdentifier) {}
        func answer(_ question: PairingQuestionNumber, _ answer: AgentAnswer) {
            if answer == .cancel { cancelled.withLock { $0 += 1 } }
        }
        func makeOutOfBandData(
            _ kind: OutOfBandBlock.Kind, completion: @escaping @Sendable (OutOfBandBlock?) -> Void
        ) {}
        func setOutOfBandData(_ block: OutOfBandBlock?, of peer: PeerIdentifier?) {}
        func unpair(_ peer: PeerIdentifier) {}
        var bonds: [BondRecord] { [] }
    }

    private final class Agent: PairingAgent {
        let capability = PairingCapability.keyboardDisplay
        let prompts = Lock(0)
        func handle(_ prompt: PairingPrompt) { prompts.withLock { $0 += 1 } }
    }

    @Test func promptsBeyondTheLimitEndTheirPairings() {
        let queue = DispatchQueue(label: "blocked")
        let session = Session()
        let agent = Agent()
        let core = PairingCore(scheduler: nil, queue: queue)
        core.connect(session)
        core.setAgent(agent)
        queue.suspend()
        let peer = PeerRecord(identifier: PeerIdentifier(high: 1, low: 2), name: nil)
        for number in 0..<2000 as Range<UInt64> {
            core.asked(.enterPasskey, number: PairingQuestionNumber(rawValue: number), by: peer)
        }
        #expect(session.cancelled.withLock { $0 } == 2000 - PairingCore.pendingLimit)
        queue.resume()
        queue.sync {}
        #expect(agent.prompts.withLock { $0 } == PairingCore.pendingLimit)
        core.asked(.enterPasskey, number: PairingQuestionNumber(rawValue: 5000), by: peer)
        queue.sync {}
        #expect(agent.prompts.withLock { $0 } == PairingCore.pendingLimit + 1)
    }

    @Test(arguments: [
        ("123456", true), ("12", true), (" 12 34 56 ", true), ("", false), ("1234567", false), ("١٢", false),
        ("-1", false),
    ])
    func aPasskeyHasOneToSixDigits(_ digits: String, isPasskey: Bool) {
        let answers = Lock<[AgentAnswer]>([])
        let record = PeerRecord(identifier: PeerIdentifier(high: 1, low: 2), name: nil)
        let reply = PairingReply(number: PairingQuestionNumber(rawValue: 1), device: PairingDevice(record)) { answer in
            answers.withLock { $0.append(answer) }
        }
        guard case .enter(let entry) = PairingPrompt(.enterPasskey, reply) else {
            Issue.record("another prompt")
            return
        }
        #expect(entry.enter(digits) == isPasskey)
        #expect(answers.withLock { $0 }.count == (isPasskey ? 1 : 0))
    }

    @Test func identifiersAreThoseOfTheFacade() {
        let identifier = PeerIdentifier(high: 0x0011_2233_4455_4677, low: 0x8899_AABB_CCDD_EEFF)
        #expect(identifier.uuid.uuidString == "00112233-4455-4677-8899-AABBCCDDEEFF")
        #expect(PeerIdentifier(identifier.uuid) == identifier)
    }
}
