import BLEAdapter
import BLESecurity
import BLEWire
import BlueZBench
import SystemBus
import TestDoubles
import Testing

@testable import BLEBlueZAdapter

@Suite struct PairingAgentTests {
    private let bench = PairingBench()
    private let session: any PairingSession
    private let log: PairingLog

    init() {
        bench.begin()
        (session, log) = bench.open()
    }

    private func calls(_ member: String) -> Int { bench.bluez.calls(of: member).count }

    private func setAgent(
        _ capability: SMP.IOCapability?, acceptsPairings: Bool = true, _ other: (any PairingSession)? = nil
    ) {
        (other ?? session).setAgent(
            capability.map { PairingAgentCapability(ioCapability: $0, acceptsPairings: acceptsPairings) })
        bench.run(.zero)
    }

    /// Asks as bluetoothd does, the default agent.
    private func ask(_ question: ScriptedQuestion, _ path: String) -> Answers {
        let answers = Answers()
        bench.bluez.ask(question, about: path) { answers.all.append($0) }
        bench.run(.zero)
        return answers
    }

    private final class Answers {
        var all: [Result<BusMessage, BusCallError>] = []
        /// "yes", a passkey, or the name of the error.
        var text: String? {
            switch all.last {
            case .success(let reply)?: reply.body.first?.number.map { "\($0)" } ?? "yes"
            case .failure(.error(let name, _))?: name.split(separator: ".").last.map { "\($0)" }
            case .failure(let error)?: "\(error)"
            case nil: nil
            }
        }
    }

    /// A program that neither pairs nor serves leaves the system as it was.
    @Test func anAgentIsThereWhenItIsNeeded() {
        #expect(bench.bluez.calls(of: "AgentManager1.RegisterAgent").isEmpty)
        let path = bench.device { $0.pairing = .never }
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run()
        #expect(bench.bluez.calls.map(\.method).suffix(2) == ["AgentManager1.RegisterAgent", "Device1.Pair"])
        #expect(Array(bench.bluez.capabilities.values) == ["NoInputNoOutput"])
        session.cancelPairing(with: bench.peer(path))
        bench.run()
        #expect(bench.bluez.capabilities.isEmpty)
        bench.role.isServing = true
        bench.run()
        #expect(Array(bench.bluez.capabilities.values) == ["NoInputNoOutput"])
        bench.role.isServing = false
        bench.run()
        #expect(bench.bluez.capabilities.isEmpty)
    }

    /// bluetoothd may refuse an agent for a moment. The next pairing needs it.
    @Test func anAgentThatWasRefusedIsRegisteredForTheNextPairing() {
        bench.bluez.script("AgentManager1.RegisterAgent", .fails(.failed("")))
        session.setAgent(PairingAgentCapability(ioCapability: .displayYesNo))
        bench.run()
        #expect(bench.bluez.capabilities.isEmpty)
        let path = bench.device()
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run()
        #expect(Array(bench.bluez.capabilities.values) == ["DisplayYesNo"])
        #expect(log.take().last == "paired unauthenticated 7")
    }

    @Test func pairWaitsForTheAgent() {
        let path = bench.device()
        setAgent(.keyboardDisplay)
        // The agent of the session goes, and that of the pairing comes.
        session.setAgent(nil)
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run(.zero)
        #expect(
            bench.bluez.calls.map(\.method).suffix(3) == [
                "AgentManager1.UnregisterAgent", "AgentManager1.RegisterAgent", "Device1.Pair",
            ])
        bench.run()
        #expect(log.take().last == "paired unauthenticated 7")
    }

    @Test func theAgentOfASessionIsRegistered() {
        bench.role.isServing = true
        for (capability, name): (SMP.IOCapability?, String) in [
            (.displayOnly, "DisplayOnly"), (.displayYesNo, "DisplayYesNo"), (.keyboardOnly, "KeyboardOnly"),
            (.keyboardDisplay, "KeyboardDisplay"), (SMP.IOCapability(rawValue: 9), "NoInputNoOutput"),
            (nil, "NoInputNoOutput"),
        ] {
            setAgent(capability)
            #expect(Array(bench.bluez.capabilities.values) == [name])
        }
        #expect(calls("AgentManager1.RequestDefaultAgent") == 0)
    }

    @Test func theCapabilityOfAnAgentFollowsQuickChanges() {
        for capability: SMP.IOCapability? in [.displayOnly, .keyboardOnly, nil, .displayYesNo] {
            session.setAgent(capability.map { PairingAgentCapability(ioCapability: $0) })
        }
        bench.run()
        #expect(Array(bench.bluez.capabilities.values) == ["DisplayYesNo"])
    }

    @Test func aComparisonIsAskedAndAnswered() {
        setAgent(.displayYesNo)
        let path = bench.device { $0.pairing = .asks(.confirmation(42)) }
        session.pair(bench.peer(path), minimum: .authenticated)
        bench.run()
        #expect(log.take() == ["compare 000042? lamp"])
        session.answer(log.questions[0], .passkey(Passkey(value: 1)))
        bench.run()
        #expect(log.take() == [])
        session.answer(log.questions[0], .accept(true))
        bench.run()
        #expect(log.take() == ["bond authenticated", "paired authenticated 7 SC"])
        session.answer(log.questions[0], .accept(false))
        bench.run()
        #expect(log.take() == [])
        // The evidence goes with the bond.
        bench.bluez.setPaired(path, false)
        bench.run()
        bench.bluez.change(path) { $0.pairing = .succeeds }
        session.pair(bench.peer(path), minimum: .authenticated)
        bench.run()
        #expect(log.take() == ["no bond", "bond unauthenticated", "paired unauthenticated 7"])
    }

    @Test(arguments: [
        (ScriptedQuestion.confirmation(7), AgentAnswer.accept(false), "failed local(Numeric Comparison Failed)"),
        (.confirmation(7), .cancel, "failed local(Numeric Comparison Failed)"),
        (.passkey, .cancel, "failed local(Passkey Entry Failed)"),
    ])
    func aRefusalIsTheReason(question: ScriptedQuestion, answer: AgentAnswer, line: String) {
        setAgent(.keyboardDisplay)
        let path = bench.device { $0.pairing = .asks(question) }
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run()
        session.answer(log.questions[0], answer)
        bench.run()
        #expect(log.take().last == line)
        // The same in a pairing that the peer begins.
        let answers = ask(question, path)
        session.answer(log.questions[1], answer)
        bench.run()
        #expect(log.take().last == line)
        #expect(answers.text == (answer == .cancel ? "Canceled" : "Rejected"))
    }

    @Test func aPasskeyIsEntered() {
        setAgent(.keyboardOnly)
        let path = bench.device { $0.pairing = .asks(.passkey) }
        session.pair(bench.peer(path), minimum: .authenticated)
        bench.run()
        session.answer(log.questions[0], .keypress(.digitEntered))
        session.answer(log.questions[0], .passkey(Passkey(value: 123_456)))
        bench.run()
        #expect(log.take() == ["passkey?", "bond authenticated", "paired authenticated 7"])
        let answers = ask(.passkey, path)
        session.answer(log.questions[1], .passkey(Passkey(value: 7)))
        bench.run()
        #expect(answers.text == "7")
    }

    @Test func aDisplayLastsUntilTheEndOfThePairing() {
        setAgent(.displayOnly)
        let path = bench.device { $0.pairing = .never }
        session.pair(bench.peer(path), minimum: .authenticated)
        bench.run()
        for entered: UInt16 in [0, 1, 2, 1, 1] {
            #expect(ask(.displayPasskey(5, entered: entered), path).text == "yes")
        }
        #expect(log.take() == ["display 000005", "key 1", "key 1", "key 2"])
        session.answer(log.questions[0], .cancel)
        bench.run()
        #expect(
            log.take() == ["dismissed 0", "failed local(Passkey Entry Failed)"] && calls("Device1.CancelPairing") == 1)
    }

    @Test func aDisplayOfAnotherPairingEndsWithTheLinkOrTheBond() {
        setAgent(.displayOnly)
        let path = bench.device()
        _ = ask(.displayPasskey(5, entered: 0), path)
        bench.bluez.dropLink(path, .authentication)
        bench.run()
        #expect(log.take() == ["display 000005", "dismissed 0", "failed disconnected"])
        bench.bluez.connectIncoming(path)
        _ = ask(.displayPasskey(6, entered: 0), path)
        session.answer(log.questions[1], .cancel)
        bench.run(.seconds(3))
        #expect(calls("Device1.Disconnect") == 1 && calls("Device1.CancelPairing") == 0)
        #expect(log.take() == ["display 000006", "dismissed 1", "failed local(Passkey Entry Failed)"])
        bench.bluez.connectIncoming(path)
        _ = ask(.displayPasskey(7, entered: 0), path)
        bench.bluez.setPaired(path)
        bench.run()
        #expect(log.take() == ["display 000007", "bond authenticated", "dismissed 2", "paired authenticated 7"])
    }

    /// A comparison whose pairing fails later proves nothing about the next pairing.
    @Test func evidenceOfAFailedPairingIsForgotten() {
        setAgent(.displayYesNo)
        let path = bench.device()
        _ = ask(.confirmation(1), path)
        session.answer(log.questions[0], .accept(true))
        bench.run()
        _ = ask(.authorization, path)
        session.answer(log.questions[1], .accept(true))
        bench.run()
        bench.bluez.setPaired(path)
        bench.run()
        #expect(log.take().last == "paired unauthenticated 7")
        let other = bench.device("C0:00:00:00:00:02")
        _ = ask(.confirmation(1), other)
        session.answer(log.questions[2], .accept(true))
        bench.run()
        bench.bluez.dropLink(other, .remote)
        bench.run()
        bench.bluez.connectIncoming(other)
        bench.bluez.setPaired(other)
        bench.run()
        #expect(log.take().last == "paired unauthenticated 7")
    }

    @Test func bluetoothdCancelsAQuestion() {
        setAgent(.keyboardDisplay)
        let path = bench.device()
        let answers = ask(.confirmation(1), path)
        bench.bluez.cancelQuestion()
        bench.run()
        #expect(log.take() == ["compare 000001? lamp", "dismissed 0", "failed remote(Unspecified Reason)"])
        #expect(answers.text == "Canceled")
        session.answer(log.questions[0], .accept(true))
        bench.run()
        // Nothing waits.
        bench.bluez.cancelQuestion()
        bench.run()
        #expect(log.take() == [])
    }

    @Test func theLastAgentIsAsked() {
        let path = bench.device()
        let (other, otherLog) = bench.open()
        setAgent(.keyboardOnly)
        setAgent(.displayYesNo, other)
        #expect(Array(bench.bluez.capabilities.values) == ["DisplayYesNo"])
        let answers = ask(.confirmation(1), path)
        #expect(otherLog.take() == ["compare 000001? lamp"] && log.take() == [])
        // The question belongs to the other session.
        session.answer(otherLog.questions[0], .accept(true))
        bench.run()
        #expect(answers.all.isEmpty)
        setAgent(nil, other)
        #expect(answers.text == "Canceled")
        #expect(Array(bench.bluez.capabilities.values) == ["KeyboardOnly"])
        _ = ask(.confirmation(2), path)
        #expect(log.lines.last == "compare 000002? lamp")
    }

    @Test func theQuestionsOfASessionEndWithIt() {
        let path = bench.device()
        var other: (any PairingSession)?
        let otherLog: PairingLog
        (other, otherLog) = bench.open()
        setAgent(.displayYesNo, other)
        let answers = ask(.confirmation(1), path)
        #expect(otherLog.lines.count == 1 && answers.all.isEmpty)
        other = nil
        bench.run()
        #expect(answers.text == "Canceled" && log.take() == ["failed local(Numeric Comparison Failed)"])
        #expect(bench.bluez.capabilities.isEmpty)
    }

    @Test func pairingsThatAPeerBegins() {
        let path = bench.device()
        #expect(ask(.authorization, path).text == "AgentNotAvailable")
        setAgent(.displayYesNo, acceptsPairings: false)
        #expect(ask(.authorization, path).text == "yes")
        setAgent(nil)
        bench.role.isServing = true
        bench.run(.zero)
        #expect(ask(.authorization, path).text == "yes")
        #expect(log.take() == [])
        setAgent(.displayYesNo)
        var answers = ask(.authorization, path)
        #expect(log.take() == ["accept justWorks -?"] && answers.all.isEmpty)
        session.answer(log.questions[0], .accept(true))
        bench.run()
        #expect(answers.text == "yes")
        bench.bluez.setPaired(path)
        bench.run()
        #expect(log.take() == ["bond unauthenticated", "paired unauthenticated 7"])
        answers = ask(.authorization, path)
        #expect(log.take() == ["accept justWorks unauthenticated?"])
        session.answer(log.questions[1], .accept(false))
        bench.run()
        #expect(answers.text == "Rejected" && log.take() == ["failed local(Pairing Not Supported)"])
    }

    @Test func whatIsNotOfLEIsRefused() {
        let path = bench.device()
        let headset = bench.device("00:00:00:00:00:05") {
            $0.addressType = "public"
            $0.properties = ["Class": .uint32(0x240404)]
        }
        bench.role.isServing = true
        bench.run(.zero)
        #expect(ask(.authorization, headset).text == "Rejected")
        setAgent(.keyboardDisplay)
        #expect(ask(.pinCode, path).text == "Rejected")
        #expect(ask(.displayPinCode("123456"), path).text == "Rejected")
        #expect(ask(.authorizeService("00001124-0000-1000-8000-00805f9b34fb"), path).text == "Rejected")
        for question: ScriptedQuestion in [.authorization, .passkey, .confirmation(1), .displayPasskey(1, entered: 0)] {
            #expect(ask(question, "/org/bluez/hci1/dev_C0_00_00_00_00_01").text == "Rejected")
        }
        #expect(ask(.confirmation(1_000_000), path).text == "Rejected")
        #expect(log.take() == [])
    }

    @Test func otherProgramsKeepTheirAgents() {
        let bench = PairingBench()
        let desktop = bench.broker.connect()
        var desktopQuestions = 0
        desktop.export("/desktop", ["org.bluez.Agent1": ["RequestAuthorization", "RequestConfirmation"]]) { call in
            desktopQuestions += 1
            call.reply()
        }
        desktop.call(
            "org.bluez", "/org/bluez", BlueZ.agentManager, "RegisterAgent",
            [.path("/desktop"), .string("DisplayYesNo")]
        ) { _ in }
        bench.run(.zero)
        bench.begin()
        let (session, log) = bench.open()
        session.setAgent(PairingAgentCapability(ioCapability: .keyboardDisplay))
        bench.run(.zero)
        let path = bench.device { $0.pairing = .asks(.confirmation(1)) }
        bench.bluez.ask(.authorization, about: path) { _ in }
        bench.run(.zero)
        #expect(desktopQuestions == 1 && log.lines.isEmpty)
        // The pairing of this program has its own.
        session.pair(bench.peer(path), minimum: .unauthenticated)
        bench.run()
        #expect(desktopQuestions == 1 && log.take() == ["compare 000001? lamp"])
    }

    @Test func onlyBluetoothdAsks() {
        setAgent(.keyboardDisplay)
        let path = bench.device()
        let stranger = bench.broker.connect()
        var error: BusCallError?
        stranger.call(
            bench.bus.uniqueName ?? "", PairingRole.agentPath, BlueZ.agent, "RequestConfirmation",
            [.path(path), .uint32(1)]
        ) { if case .failure(let failure) = $0 { error = failure } }
        bench.run()
        guard case .error("org.freedesktop.DBus.Error.AccessDenied", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(log.take() == [])
    }

    @Test func aReleasedAgentIsRegisteredWithTheNextStart() {
        setAgent(.keyboardDisplay)
        let path = bench.device()
        let answers = ask(.confirmation(1), path)
        bench.bluez.releaseAgent()
        bench.run()
        #expect(log.take().contains("dismissed 0") && answers.text == "Canceled" && bench.bluez.capabilities.isEmpty)
        bench.begin()
        #expect(Array(bench.bluez.capabilities.values) == ["KeyboardDisplay"])
    }

    @Test func anAgentThatIsNotTakenIsLogged() {
        bench.bluez.always("AgentManager1.RegisterAgent", .fails(ScriptedFailure("AlreadyExists", "Already Exists")))
        setAgent(.displayOnly)
        setAgent(.keyboardOnly)
        #expect(bench.logger.lines.count == 1)
    }
}
