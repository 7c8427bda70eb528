internal import BLEAdapter
internal import BLESecurity
internal import BLEWire
import Dispatch

/// Receives the events of a pairing session and passes them to the agent and to completion handlers, on the manager's queue.
final class PairingCore: PairingObserver {
    private struct Waiting {
        let minimum: PairingSecurity.Level
        var isCancelled = false
        let completion: @Sendable (Result<PairingSecurity, PairingError>) -> Void
    }

    private struct Content {
        weak var session: (any PairingSession)?
        var agent: (any PairingAgent)?
        /// Prompts without an answer, and displayed passkeys. Each link has at most one.
        var prompts: [PairingQuestionNumber: PairingPrompt] = [:]
        var waiting: [PeerIdentifier: [Waiting]] = [:]
        var removals: [PeerIdentifier: [@Sendable (Bool) -> Void]] = [:]
        /// The number of calls of the agent that wait for the queue.
        var pendingCalls = 0
    }

    /// The maximum of `pendingCalls`. Only a queue that does not run reaches it.
    static let pendingLimit = 1024

    private let content = Lock(Content())
    private let scheduler: (any CallbackScheduling)?
    private let queue: DispatchQueue

    init(scheduler: (any CallbackScheduling)?, queue: DispatchQueue) {
        self.scheduler = scheduler
        self.queue = queue
    }

    func connect(_ session: any PairingSession) { content.withLock { $0.session = session } }

    /// Runs `body` on the manager's queue. Virtual time stands still until it returns.
    func post(_ body: @escaping @Sendable () -> Void) {
        if let scheduler { scheduler.scheduleCallback(body, on: queue) } else { queue.async(execute: body) }
    }

    // MARK: Calls of the manager

    func setAgent(_ agent: (any PairingAgent)?) {
        // The last reference to the former agent is released outside the lock.
        let former = content.withLock { content in
            let former = content.agent
            content.agent = agent
            return former
        }
        withExtendedLifetime(former) {}
    }

    func await(
        _ peer: PeerIdentifier, minimum: PairingSecurity.Level,
        _ completion: @escaping @Sendable (Result<PairingSecurity, PairingError>) -> Void
    ) {
        let waiting = Waiting(minimum: minimum, completion: completion)
        content.withLock { $0.waiting[peer, default: []].append(waiting) }
    }

    func cancel(_ peer: PeerIdentifier) {
        content.withLock { content in
            for index in content.waiting[peer, default: []].indices { content.waiting[peer]?[index].isCancelled = true }
        }
    }

    func awaitRemoval(of peer: PeerIdentifier, _ completion: @escaping @Sendable (Bool) -> Void) {
        content.withLock { $0.removals[peer, default: []].append(completion) }
    }

    /// Answers the calls that wait. The session ends with the manager, so no event follows.
    func close() {
        let (waiting, removals) = content.withLock { content in
            defer {
                content.waiting = [:]
                content.removals = [:]
            }
            return (content.waiting.values.flatMap { $0 }, content.removals.values.flatMap { $0 })
        }
        for waiting in waiting { post { waiting.completion(.failure(PairingError(.cancelled))) } }
        for completion in removals { post { completion(false) } }
    }

    // MARK: Events of the session

    func asked(_ request: AgentRequest, number: PairingQuestionNumber, by peer: PeerRecord) {
        let reply = PairingReply(number: number, device: PairingDevice(peer)) { [weak self] answer in
            self?.answer(number, answer)
        }
        let prompt = PairingPrompt(request, reply)
        content.withLock { $0.prompts[number] = prompt }
        if !call({ $0.handle(prompt) }) { answer(number, .cancel) }
    }

    private func answer(_ number: PairingQuestionNumber, _ answer: AgentAnswer) {
        let session = content.withLock { content in
            // A displayed passkey stays until it is dismissed; a pressed key is no answer.
            switch (content.prompts[number], answer) {
            case (.display, _), (_, .keypress): break
            default: content.prompts[number] = nil
            }
            return content.session
        }
        session?.answer(number, answer)
    }

    func dismissed(_ number: PairingQuestionNumber) {
        guard let prompt = content.withLock({ $0.prompts.removeValue(forKey: number) }) else { return }
        call { $0.dismiss(prompt) }
    }

    func keyPressed(_ kind: SMP.KeypressNotification.Kind, by peer: PeerIdentifier) {
        guard let key = PairingKeypress(kind) else { return }
        let device = content.withLock { content in
            content.prompts.values.first { $0.device.identifier == peer.uuid }?.device
        }
        let known = device ?? PairingDevice(PeerRecord(identifier: peer, name: nil))
        call { $0.userPressed(key, on: known) }
    }

    func pairingCompleted(_ peer: PeerRecord, _ result: Result<LinkSecurity, PairingProcedureError>) {
        let result = result.map { PairingSecurity($0) }.mapError { PairingError($0) }
        let device = PairingDevice(peer)
        call { $0.pairingEnded(with: device, result) }
        for waiting in content.withLock({ $0.waiting.removeValue(forKey: peer.identifier) }) ?? [] {
            let answer: Result<PairingSecurity, PairingError> =
                switch result {
                case .success(let security) where security.level < waiting.minimum:
                    .failure(PairingError(.insufficientSecurity))
                case .failure where waiting.isCancelled: .failure(PairingError(.cancelled))
                default: result
                }
            post { waiting.completion(answer) }
        }
    }

    func bondRemoved(_ peer: PeerIdentifier) {
        for completion in content.withLock({ $0.removals.removeValue(forKey: peer) }) ?? [] {
            post { completion(true) }
        }
    }

    /// Calls the agent on the manager's queue. Returns false if there is none, or if the queue does not run.
    @discardableResult
    private func call(_ body: @escaping @Sendable (any PairingAgent) -> Void) -> Bool {
        let agent = content.withLock { content -> (any PairingAgent)? in
            guard let agent = content.agent, content.pendingCalls < Self.pendingLimit else { return nil }
            content.pendingCalls += 1
            return agent
        }
        guard let agent else { return false }
        post { [self] in
            content.withLock { $0.pendingCalls -= 1 }
            body(agent)
        }
        return true
    }
}
