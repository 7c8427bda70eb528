import BLEAdapter
import BLEHost
import BLEWire

/// The trains of which sessions tell connected peers, and the sessions that wait for the trains of which peers tell (Vol 4, Part E, 7.8.89 to
/// 7.8.91).
struct PeriodicTransfers {
    /// A call without an answer.
    private struct Call {
        let number: Int
        let token: Int
        let session: Int
    }

    struct Acceptance {
        let number: Int
        let link: LinkIdentifier
        let token: Int
        let session: Int
    }

    /// The most calls, and the most acceptances, that wait.
    static let limit = 64

    /// Numbers the calls and the acceptances for the host.
    private var lastNumber = 0
    private var calls: [Call] = []
    private var acceptances: [Acceptance] = []

    // MARK: Telling

    /// - Parameter transfer: Nil if there is no such train.
    mutating func tell(
        _ transfer: PeriodicTransfer?, serviceData: UInt16, to peer: PeerIdentifier, token: Int, session: Int,
        _ context: inout SessionContext, at now: Instant
    ) {
        let link = Self.link(to: peer, context)
        guard let transfer, let link, calls.count < Self.limit else {
            let failure: PeriodicFailure = transfer == nil ? .noTrain : link == nil ? .notConnected : .limit
            return context.emit(.periodic(.transferEnded(failure, token: token, session: session)))
        }
        lastNumber += 1
        calls.append(Call(number: lastNumber, token: token, session: session))
        switch transfer {
        case .train(let train):
            context.host.transfer(train, serviceData: serviceData, over: link, token: lastNumber, at: now)
        case .set(let set):
            context.host.transfer(set, serviceData: serviceData, over: link, token: lastNumber, at: now)
        case .acceptance: break
        }
    }

    /// The link to a peer, of two the one of which this device is the central.
    private static func link(to peer: PeerIdentifier, _ context: borrowing SessionContext) -> LinkIdentifier? {
        for role in [LinkRole.central, .peripheral] {
            if let index = context.links.index(to: peer, role: role), context.links[index].phase == .ready {
                return context.links[index].identifier
            }
        }
        return nil
    }

    // MARK: Accepting

    mutating func accept(
        _ parameters: PeriodicSyncParameters, from peer: PeerIdentifier, token: Int, session: Int,
        _ context: inout SessionContext, at now: Instant
    ) {
        let link = Self.link(to: peer, context)
        guard let link, acceptances.count < Self.limit else {
            let failure: PeriodicFailure = link == nil ? .notConnected : .limit
            return context.emit(.periodic(.ended(failure, token: token, session: session)))
        }
        lastNumber += 1
        acceptances.append(Acceptance(number: lastNumber, link: link, token: token, session: session))
        context.host.acceptTransfers(parameters, from: link, token: lastNumber, at: now)
    }

    /// Ends the waits of a session.
    ///
    /// - Parameter token: Nil ends all.
    mutating func endAcceptances(token: Int?, session: Int, _ context: inout SessionContext, at now: Instant) {
        let ended = acceptances.filter { $0.session == session && (token ?? $0.token) == $0.token }
        acceptances.removeAll { $0.session == session && (token ?? $0.token) == $0.token }
        // The commands have the order of the calls, so that a run repeats.
        var links: [LinkIdentifier] = []
        for each in ended where !links.contains(each.link) { links.append(each.link) }
        for link in links { ignoreUnlessAwaited(link, &context, at: now) }
    }

    /// Returns the waits for a train of a link's peer, which are over.
    mutating func takeAcceptances(
        of link: LinkIdentifier, _ context: inout SessionContext, at now: Instant
    ) -> [Acceptance] {
        let taken = acceptances.filter { $0.link == link }
        acceptances.removeAll { $0.link == link }
        if !taken.isEmpty { ignoreUnlessAwaited(link, &context, at: now) }
        return taken
    }

    /// Lets the controller ignore the trains of a link's peer, unless a session waits for one.
    private func ignoreUnlessAwaited(_ link: LinkIdentifier, _ context: inout SessionContext, at now: Instant) {
        guard !acceptances.contains(where: { $0.link == link }) else { return }
        context.host.acceptTransfers(nil, from: link, at: now)
    }

    // MARK: Ends

    /// Takes an answer of the host. The commands that end acceptances have no number.
    mutating func ended(_ number: Int, _ failure: PeriodicFailure?, _ context: inout SessionContext) {
        if let failure { endAcceptances(failure, &context) { $0.number == number } }
        guard let index = calls.firstIndex(where: { $0.number == number }) else { return }
        let call = calls.remove(at: index)
        context.emit(.periodic(.transferEnded(failure, token: call.token, session: call.session)))
    }

    /// The host answers the calls itself.
    mutating func linkEnded(_ link: LinkIdentifier, _ context: inout SessionContext) {
        endAcceptances(.notConnected, &context) { $0.link == link }
    }

    mutating func forgetAll(_ context: inout SessionContext) {
        for call in calls {
            context.emit(.periodic(.transferEnded(.notPoweredOn, token: call.token, session: call.session)))
        }
        calls = []
        endAcceptances(.notPoweredOn, &context) { _ in true }
    }

    private mutating func endAcceptances(
        _ failure: PeriodicFailure, _ context: inout SessionContext, where isMeant: (Acceptance) -> Bool
    ) {
        for each in acceptances where isMeant(each) {
            context.emit(.periodic(.ended(failure, token: each.token, session: each.session)))
        }
        acceptances.removeAll(where: isMeant)
    }
}
