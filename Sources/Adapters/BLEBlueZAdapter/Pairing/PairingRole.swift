import BLEAdapter
import BLESecurity
import BLETransport
import BLEWire
import Logging
import SystemBus

/// Pairing over bluetoothd: Device1.Pair, the bonds of the system, and an agent.
///
/// bluetoothd asks the agent of the program that called Pair, and the default agent about every other pairing (src/agent.c). The first
/// agent that registers is the default one, and the next one follows it when it goes. This role never asks to become the default agent,
/// which would take the place of the desktop's.
///
/// Without any agent, bluetoothd refuses pairings (new_auth in src/device.c), and the adapter keeps no keys (adapter_set_io_capability in
/// src/adapter.c, AlwaysPairable in main.conf). The role therefore has an agent also without one of a session, if the program needs it:
/// while it pairs, and while `isServing` is set. That agent is one of a device without input and output. A program that only scans leaves
/// the system as it was.
///
/// Threads: everything runs on the scheduler, apart from `bonds`. `@unchecked Sendable` for that reason: the sessions submit their calls
/// to it, and `bondList` has a lock.
final class PairingRole: BlueZRole, @unchecked Sendable {
    static let agentPath = "/opencorebluetooth/agent"
    /// Lines may quote bluetoothd.
    private static let lineLimit = 32

    private struct Session { weak var observer: (any PairingObserver)? }

    /// What exists while the adapter is powered on.
    private struct Connection {
        let bus: any Bus
        let agent: BusCancellable
        let owner: BusCancellable
    }

    let scheduler: any SerialScheduler
    let snapshot: RemoteSnapshot
    let logger: Logger
    let bondList = Lock<[BondRecord]>([])
    private let sessionNumbers = Lock(0)
    private var sessions: [Int: Session] = [:]
    private var connection: Connection?
    /// The unique name of bluetoothd. Calls of others are refused.
    private var service: String?
    private var agents = AgentTable()
    private var registration = AgentRegistration()
    /// The calls of bluetoothd that wait for answers of an agent.
    private var calls: [PairingQuestionNumber: BusCall] = [:]
    var devices = PairingDevices()
    var records = PairingRecords()
    private var said: Set<String> = []
    /// Whether the program has links or serves attributes, so that devices may begin pairings with it. They are accepted without an
    /// agent, if they are not of BR/EDR.
    var isServing = false { didSet { register() } }

    init(_ scheduler: any SerialScheduler, _ snapshot: RemoteSnapshot, _ logger: Logger) {
        (self.scheduler, self.snapshot, self.logger) = (scheduler, snapshot, logger)
    }

    var bus: (any Bus)? { connection?.bus }

    /// Any thread.
    func open(observer: any PairingObserver) -> any PairingSession {
        let number = sessionNumbers.withLock { number in
            number += 1
            return number
        }
        scheduler.submit { [weak observer] in self.sessions[number] = Session(observer: observer) }
        return BlueZPairingSession(self, number)
    }

    func close(_ session: Int) {
        sessions[session] = nil
        setAgent(nil, session: session)
    }

    /// Calls the observers of all sessions, in the order of their opening.
    func report(_ body: (any PairingObserver) -> Void) {
        for number in sessions.keys.sorted() { if let observer = sessions[number]?.observer { body(observer) } }
    }

    /// Logs a line once.
    func say(_ line: String) {
        guard said.count < Self.lineLimit, said.insert(line).inserted else { return }
        logger.warning("\(line)")
    }

    // MARK: The adapter

    func begin(on bus: any Bus, adapter: String, _ objects: BlueZObjects) {
        end(.unknown)
        devices.begin(adapter, objects)
        updateBonds()
        let owner = bus.watchName(BlueZ.service) { [weak self] in self?.service = $0 }
        let agent = bus.export(Self.agentPath, [BlueZ.agent: AgentCall.methods]) { [weak self] in self?.handle($0) }
        connection = Connection(bus: bus, agent: agent, owner: owner)
        register()
    }

    func end(_ state: AdapterState) {
        guard let connection else { return }
        self.connection = nil
        registration.lost()
        dismiss(agents.removeAll())
        // By its unique name: a call of the service would start a bluetoothd that was stopped.
        if let service {
            let agent = BusValue.path(Self.agentPath)
            connection.bus.call(service, BlueZ.root, BlueZ.agentManager, "UnregisterAgent", [agent]) { _ in }
        }
        service = nil
        connection.agent.cancel()
        connection.owner.cancel()
        for attempt in records.removeAll() { complete(attempt.peer, .failure(.disconnected)) }
        devices.end()
        updateBonds()
    }

    func apply(_ change: BlueZObjects.Change, _ objects: BlueZObjects) {
        let bonds = devices.bonds
        guard connection != nil, let (path, before) = devices.apply(change, objects) else { return }
        let after = devices[path]
        let (wasBonded, isBonded) = (bonds.contains(path), devices.bonds.contains(path))
        let isNew = after?.isPaired == true && before?.isPaired == false
        if isNew { records.confirm(path) }
        if wasBonded, !isBonded { records.forget(path) }
        if wasBonded || isBonded { updateBonds() }
        if wasBonded, !isBonded, let before { report { $0.bondRemoved(self.identifier(before.address)) } }
        if isBonded, !wasBonded, let after { report { $0.bondAdded(self.bond(path, after)) } }
        // The answer to Pair reports a pairing of this program.
        guard records[path] == nil else { return }
        if isNew, let after { othersPaired(path, after) }
        if before?.isConnected == true, after?.isConnected != true { linkEnded(path, before) }
    }

    /// A pairing that this program did not begin has succeeded.
    private func othersPaired(_ path: String, _ device: PairingDevice) {
        _ = records.end(path)
        dismiss(agents.end(path))
        complete(identifier(device.address), .success(records.security(of: path, device)))
    }

    /// The link ended, and with it a pairing that this program did not begin and whose agent it is. bluetoothd tells its agent nothing of
    /// the end of a display, and ends the link after a pairing that failed.
    private func linkEnded(_ path: String, _ device: PairingDevice?) {
        let void = agents.end(path)
        let refusal = records.end(path).refusal
        guard !void.isEmpty, let device else { return }
        dismiss(void)
        complete(identifier(device.address), .failure(refusal.map { .local($0) } ?? .disconnected))
    }

    // MARK: The agent

    func setAgent(_ agent: PairingAgentCapability?, session: Int) {
        guard agent == nil || sessions[session] != nil else { return }
        for question in agents.setAgent(agent, session: session) { refuse(question, .cancel) }
        register()
    }

    func retryRegistration() { registration.retry() }

    /// Brings the registration with bluetoothd to the capability of the present agent.
    func register() {
        guard let bus else { return }
        registration.want(agents.capability ?? (isServing || !records.attempts.isEmpty ? .noInputNoOutput : nil))
        guard let call = registration.next() else { return }
        let (member, arguments): (String, [BusValue]) =
            switch call {
            case .register(let capability): ("RegisterAgent", [.path(Self.agentPath), .string(capability)])
            case .unregister: ("UnregisterAgent", [.path(Self.agentPath)])
            }
        bus.call(BlueZ.service, BlueZ.root, BlueZ.agentManager, member, arguments) { [weak self] result in
            guard let self, self.bus === bus else { return }
            var isRefused = false
            if case .failure(let error) = result, case .register = call {
                isRefused = true
                self.say("bluetoothd does not take the agent for pairings: \(error)")
            }
            self.registration.finished(isRefused: isRefused)
            self.register()
            if self.registration.isSettled { for path in self.records.waitingForAgent { self.call(path) } }
        }
    }

    var hasAgent: Bool { registration.isSettled }

    private func handle(_ call: BusCall) {
        guard let service, call.message.sender == service else {
            return call.fail(BusCallError.Name.accessDenied, "The agent is that of bluetoothd.")
        }
        let message = AgentCall(call.message)
        let decision = agents.decide(
            message, proposal: { self.proposal($0) },
            isServing: isServing,
            isLE: { self.devices[$0]?.bearers != .classic })
        switch decision {
        case .reply(let reply):
            // The new keys of such a pairing are not authenticated.
            if reply == .accept, case .requestAuthorization(let path) = message { records.forget(path) }
            reply.send(call)
        case .progress(let kind):
            call.reply()
            if let kind, case .displayPasskey(let path, _, _) = message, let device = devices[path] {
                report { $0.keyPressed(kind, by: self.identifier(path, device)) }
            }
        case .void(let questions):
            call.reply()
            if message == .release { registration.lost() }
            for question in questions { failed(question) }
        case .ask(let question, let request, let void):
            dismiss(void)
            ask(question, request, call)
        }
    }

    private func ask(_ question: AgentTable.Question, _ request: AgentRequest, _ call: BusCall) {
        guard let device = devices[question.device], let observer = sessions[question.session]?.observer else {
            _ = agents.end(question.device)
            return call.fail(BlueZ.Failure.rejected, "The device is unknown.")
        }
        if question.isDisplay {
            records.note(.passkey, of: question.device)
            call.reply()
        } else {
            calls[question.number] = call
        }
        observer.asked(request, number: question.number, by: record(identifier(question.device, device), device))
    }

    private func proposal(_ path: String) -> PairingProposal? {
        devices[path].map { device in
            PairingProposal(
                peer: device.address, model: .justWorks,
                security: LinkSecurity(
                    keySize: LinkSecurity.untoldKeySize, isAuthenticated: false, isSecureConnections: false,
                    isBonded: true),
                replaces: device.isLEBond ? records.security(of: path, device) : nil)
        }
    }

    func answer(_ number: PairingQuestionNumber, _ answer: AgentAnswer, session: Int) {
        switch agents.answer(number, answer, session: session) {
        case .nothing: break
        case .end(let question):
            records.refuse(question.device, question.refusal)
            endPairing(question.device)
        case .reply(let reply, let question):
            switch reply {
            case .accept where question.kind == .compare: records.note(.comparison, of: question.device)
            case .passkey: records.note(.passkey, of: question.device)
            case .accept: records.forget(question.device)
            default: break
            }
            guard reply == .reject || reply == .cancel else {
                return calls.removeValue(forKey: number).map { reply.send($0) } ?? ()
            }
            refuse(question, reply)
        }
    }

    /// Answers a question with a refusal, which ends the pairing.
    private func refuse(_ question: AgentTable.Question, _ reply: AgentReply) {
        records.refuse(question.device, question.refusal)
        guard let call = calls.removeValue(forKey: question.number) else { return endPairing(question.device) }
        reply.send(call)
        guard records[question.device] == nil, let device = devices[question.device] else { return }
        // No answer to Pair will come.
        let refusal = records.end(question.device).refusal
        complete(identifier(device.address), .failure(.local(refusal ?? .unspecified)))
    }

    /// bluetoothd ended the pairing of a question.
    private func failed(_ question: AgentTable.Question) {
        dismiss([question])
        guard records[question.device] == nil, let device = devices[question.device] else { return }
        _ = records.end(question.device)
        // bluetoothd does not tell the reason.
        complete(
            identifier(device.address), .failure(device.isConnected ? .remote(.unspecified) : .disconnected))
    }

    /// Tells the sessions that questions are void, and answers their calls.
    func dismiss(_ questions: [AgentTable.Question]) {
        for question in questions {
            if let call = calls.removeValue(forKey: question.number) { AgentReply.cancel.send(call) }
            sessions[question.session]?.observer?.dismissed(question.number)
        }
    }

    func dismissQuestions(about device: String) { dismiss(agents.end(device)) }

    /// Cancels the question about a device. Returns false if there is none.
    func cancelQuestion(about device: String) -> Bool {
        let void = agents.end(device)
        for question in void {
            sessions[question.session]?.observer?.dismissed(question.number)
            refuse(question, .cancel)
        }
        return !void.isEmpty
    }
}

extension AgentTable.Question {
    /// The reason that a refusal has for the peer, as the library's own host tells it.
    fileprivate var refusal: SMP.FailureReason {
        switch kind {
        case .accept: .pairingNotSupported
        case .compare: .numericComparisonFailed
        case .enterPasskey, .display: .passkeyEntryFailed
        }
    }
}
