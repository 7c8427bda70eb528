import BLEWire

/// Enhanced bearers: each is a credit-based channel of the enhanced mode (Vol 3, Part F, 3.2.11, and Part G, 5.3).
///
/// Reads and discoveries use any free bearer, and indications too. Write commands and notifications stay on the unenhanced one. A write, a
/// subscription and a procedure over several attributes run alone. `EnhancedBearers` has the reasons.
extension ATTBearer {
    /// The limit of enhanced bearers of a link.
    package static var enhancedLimit: Int { 5 }
    /// The MTU that this side offers on enhanced bearers, in octets, at least 64 (Vol 3, Part G, 5.3.1).
    package var enhancedMTU: UInt16 { max(64, localMTU) }
    /// The number of enhanced bearers.
    package var enhancedCount: Int { enhanced.count }

    /// Queues the exchange of the features that both sides need before this client opens enhanced bearers.
    /// `enhancedBearersSupported` follows if the peer's server has them. Operations of the program have precedence.
    package mutating func findEnhancedBearers(at now: Instant, output: inout ATTOutput) {
        submit(.bearerSupport(EnhancedBearerSupport()), at: now, output: &output)
    }

    /// Takes an open channel as a bearer. Returns false, without effect, at the limit.
    ///
    /// - Parameter peerMTU: The longest PDU that the peer accepts. The ATT_MTU is the smaller of both sides' values.
    package mutating func openEnhanced(
        _ number: UInt32, peerMTU: Int, at now: Instant, output: inout ATTOutput
    ) -> Bool {
        guard !hasFailed, number != 0, enhanced.count < Self.enhancedLimit,
            !enhanced.contains(where: { $0.number == number })
        else { return false }
        if enhanced.isEmpty, client.order.isEmpty, let current = client.current, !current.isBackground,
            let id = current.id
        {
            client.order.begin(id)
        }
        enhanced.append(BearerState(number: number, mtu: agreedMTU(peerMTU)))
        server.usesEnhancedBearers = true
        startNext(at: now, output: &output)
        sendIndications(at: now, output: &output)
        return true
    }

    /// Takes a new limit of the peer.
    package mutating func changeEnhanced(_ number: UInt32, peerMTU: Int) {
        guard let index = enhanced.firstIndex(where: { $0.number == number }) else { return }
        enhanced[index].mtu = agreedMTU(peerMTU)
    }

    private func agreedMTU(_ peerMTU: Int) -> UInt16 { min(enhancedMTU, UInt16(clamping: max(64, peerMTU))) }

    /// Takes the end of a bearer's channel. Its running operation repeats on the unenhanced bearer.
    package mutating func endEnhanced(_ number: UInt32, at now: Instant, output: inout ATTOutput) {
        guard let index = enhanced.firstIndex(where: { $0.number == number }) else { return }
        exchange(index, output: &output)
        moveOperation()
        exchange(index, output: &output)
        enhanced.remove(at: index)
        bearersEnded([number], at: now, output: &output)
    }

    /// Takes one PDU of an enhanced bearer.
    package mutating func receive(
        _ pdu: Span<UInt8>, onEnhanced number: UInt32, database: inout AttributeDatabase, security: LinkSecurity,
        at now: Instant, output: inout ATTOutput
    ) {
        guard let index = enhanced.firstIndex(where: { $0.number == number }) else { return }
        exchange(index, output: &output)
        receive(pdu, database: &database, security: security, at: now, output: &output)
        exchange(index, output: &output)
        removeFailed(at: now, output: &output)
        startNext(at: now, output: &output)
        sendIndications(at: now, output: &output)
    }

    // MARK: Exchange

    /// Exchanges the current bearer for one of `enhanced`. The same call again exchanges it back.
    mutating func exchange(_ index: Int, output: inout ATTOutput) {
        swap(&number, &enhanced[index].number)
        swap(&mtu, &enhanced[index].mtu)
        swap(&hasFailed, &enhanced[index].hasFailed)
        swap(&client.current, &enhanced[index].current)
        swap(&client.request, &enhanced[index].request)
        swap(&client.deadline, &enhanced[index].deadline)
        swap(&server.pending, &enhanced[index].pending)
        output.bearer = number
    }

    /// Makes the bearer with this request of the peer the current one. Returns nil if it already is.
    mutating func exchange(forRequest request: UInt32, output: inout ATTOutput) -> Int? {
        guard let index = enhanced.firstIndex(where: { $0.pending?.id == request }) else { return nil }
        exchange(index, output: &output)
        return index
    }

    // MARK: Operations

    /// Whether a task may start on the current bearer beside those of the others.
    func admits(isShareable: Bool) -> Bool {
        guard isShareable else { return number == 0 && enhanced.allSatisfy { $0.current == nil } }
        return (number == 0 || !client.order.isFull)
            && enhanced.allSatisfy { $0.current.map { $0.isShareable && $0.suspension == nil } ?? true }
    }

    /// Whether the next task may start on the current bearer.
    func admitsNext(at now: Instant) -> Bool { admits(isShareable: client.isNextShareable(at: now)) }

    /// Starts queued tasks on the enhanced bearers that are idle. Has no effect in a call for one of them.
    mutating func startOnOthers(at now: Instant, output: inout ATTOutput) {
        guard number == 0, !hasFailed else { return }
        for index in enhanced.indices where enhanced[index].current == nil && !client.waiting.isEmpty {
            exchange(index, output: &output)
            startOnBearer(at: now, output: &output)
            exchange(index, output: &output)
        }
    }

    /// Puts the running operation of the current, enhanced bearer back to the front of the queue, for the unenhanced bearer.
    mutating func moveOperation() {
        guard let current = client.takeCurrent(), let operation = current.movable else { return }
        let submission = ClientState.Submission(
            id: current.id, task: ClientTask(operation), canSuspend: client.suspendsForSecurity,
            cacheUse: client.cache == nil ? nil : ClientState.CacheUse(operation))
        client.waiting.prepend(.task(submission))
        client.recycle(current)
    }

    /// An operation was withdrawn: others no longer wait for it.
    mutating func withdrawn(_ id: UInt32, at now: Instant, output: inout ATTOutput) {
        client.order.remove(id, output: &output)
        if !enhanced.isEmpty { startNext(at: now, output: &output) }
    }

    // MARK: Indications

    /// Sends waiting indications on all bearers that have none.
    mutating func sendIndications(at now: Instant, output: inout ATTOutput) {
        guard number == 0, !hasFailed, !enhanced.isEmpty, !server.queuedIndications.isEmpty else { return }
        server.sendQueuedIndication(Int(mtu), at: now, output: &output)
        for index in enhanced.indices {
            exchange(index, output: &output)
            server.sendQueuedIndication(Int(mtu), at: now, output: &output)
            exchange(index, output: &output)
        }
    }

    // MARK: Failures

    /// Fails the current, enhanced bearer. An operation without an answer fails; after a violation it repeats on the unenhanced
    /// bearer.
    mutating func enhancedFailed(_ failure: BearerFailure, output: inout ATTOutput) {
        output.emit(.enhancedBearerFailed(number, failure))
        switch failure {
        case .timeout:
            if let current = client.takeCurrent() { client.end(current, .failure(.bearerLost), output: &output) }
        case .violation: moveOperation()
        }
    }

    /// Fails the enhanced bearers on which an answer is overdue.
    mutating func enhancedTimedOut(at now: Instant, output: inout ATTOutput) {
        guard !enhanced.isEmpty else { return }
        for index in enhanced.indices {
            exchange(index, output: &output)
            if let answerDeadline, answerDeadline <= now { fail(.timeout, output: &output) }
            exchange(index, output: &output)
        }
        removeFailed(at: now, output: &output)
    }

    private mutating func removeFailed(at now: Instant, output: inout ATTOutput) {
        guard enhanced.contains(where: \.hasFailed) else { return }
        let failed = enhanced.filter(\.hasFailed).map(\.number)
        enhanced.removeAll(where: \.hasFailed)
        bearersEnded(failed, at: now, output: &output)
    }

    private mutating func bearersEnded(_ numbers: [UInt32], at now: Instant, output: inout ATTOutput) {
        for number in numbers { server.bearerEnded(number, output: &output) }
        server.usesEnhancedBearers = !enhanced.isEmpty
        startNext(at: now, output: &output)
        sendIndications(at: now, output: &output)
    }
}
