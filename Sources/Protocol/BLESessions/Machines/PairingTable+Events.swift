import BLEAdapter
import BLEHost
import BLESecurity
import BLEWire

/// Pairings that sessions and the host start, and the security of links.
extension PairingTable {
    // MARK: Calls

    /// Makes a session the agent, or ends that. The session that called this last is asked.
    mutating func setAgent(
        _ capability: PairingAgentCapability?, session: Int, _ context: inout SessionContext, at now: Instant
    ) {
        setAgent(capability, session: session)
        if capability == nil {
            for question in questions where question.session == session {
                remove(question)
                context.host.answerPairing(question.link, .cancel, at: now)
            }
        }
        applySettings(&context)
    }

    mutating func setPolicy(_ policy: PairingPolicy, _ context: inout SessionContext) {
        self.policy = policy
        applySettings(&context)
    }

    private func applySettings(_ context: inout SessionContext) {
        context.host.pairingSettings = settings(identityKey: context.host.pairingSettings.identityKey)
    }

    /// Brings the link with a peer to a security level. `completed` follows.
    func pair(
        _ peer: PeerIdentifier, minimum: LinkSecurity.Level, _ context: inout SessionContext, at now: Instant
    ) {
        // As the central if there is such a link, because the central starts pairings.
        let index =
            context.links.index(to: peer, role: .central) ?? context.links.index(to: peer, role: .peripheral)
        guard let index, context.links[index].phase != .ending else {
            return context.emit(.pairing(.completed(context.record(of: peer), .failure(.disconnected))))
        }
        context.links[index].isPairingRequested = true
        context.host.secure(context.links[index].identifier, minimum: minimum, at: now)
    }

    func cancel(with peer: PeerIdentifier, _ context: inout SessionContext, at now: Instant) {
        for role in [LinkRole.central, .peripheral] {
            if let index = context.links.index(to: peer, role: role) {
                context.host.cancelPairing(context.links[index].identifier, at: now)
            }
        }
    }

    /// Passes an answer to the pairing that asked. Has no effect if the question is answered or dismissed, or another
    /// session has it.
    mutating func answer(
        _ number: PairingQuestionNumber, _ answer: AgentAnswer, session: Int, _ context: inout SessionContext,
        at now: Instant
    ) {
        guard let question = question(number, session: session) else { return }
        switch answer {
        case .accept, .passkey: if !question.isDisplay { remove(question) }
        // The host dismisses the question if the answer ends the pairing.
        case .keypress, .cancel: break
        }
        context.host.answerPairing(question.link, answer, at: now)
    }

    /// Sets the out-of-band data of a peer. Has no effect for an identifier that this host did not create.
    func setOutOfBandData(_ block: OutOfBandBlock?, of peer: PeerIdentifier?, _ context: inout SessionContext) {
        guard let peer else { return context.host.setOutOfBandData(block, of: nil) }
        let known = context.peers.key(of: peer)
        if let address = known.map({ context.peers[$0].address }) ?? context.peers.address(of: peer) {
            context.host.setOutOfBandData(block, of: address)
        }
    }

    /// Forgets the keys of a peer and ends its links, as the keys of a removed bond must not protect them any longer.
    func unpair(_ peer: PeerIdentifier, _ context: inout SessionContext, at now: Instant) {
        for bond in context.host.bonds.bonds where context.peers.identifier(for: bond.peer) == peer {
            context.host.removeBond(bond.peer)
            bondStore.remove(bond.peer)
            context.emit(.pairing(.bondRemoved(peer)))
        }
        for index in context.links.indices where context.links[index].peerIdentifier == peer {
            context.links[index].phase = .ending
            context.host.disconnect(context.links[index].identifier, at: now)
        }
    }

    func record(of bond: Bond, _ context: borrowing SessionContext) -> BondRecord {
        BondRecord(
            peer: context.record(of: context.peers.identifier(for: bond.peer)), address: bond.peer,
            security: bond.security, usesDebugKeys: bond.usesDebugKeys)
    }

    // MARK: The security of links

    /// Encrypts a new link to a bonded peer at once, as the central. Its sessions get the link after that, so that no
    /// value crosses the air in the clear that the peer protects, and no request is refused and repeated.
    func encryptIfBonded(_ index: Int, _ context: inout SessionContext, at now: Instant) {
        // A bond without the peer's key serves the other role alone. A pairing in its place would need a request.
        guard context.host.bond(of: context.links[index].identifier)?.peerKey != nil else { return }
        context.links[index].awaitsEncryption = true
        context.host.secure(context.links[index].identifier, minimum: .unauthenticated, at: now)
    }

    /// Handles an operation that the peer refused: encrypts the link or pairs, and then repeats the operation once. If
    /// that fails, the operation ends with the peer's error (Vol 3, Part C, 10.3.2).
    func securityRequired(
        _ link: LinkIdentifier, _ error: ATT.ErrorCode, _ context: inout SessionContext, at now: Instant
    ) {
        let shortfall: LinkSecurity.Shortfall? =
            switch error {
            case .insufficientAuthentication: .authentication
            case .insufficientEncryption: .encryption
            default: nil
            }
        switch remedy(for: shortfall, of: link, context) {
        case .repeating(let repeats): context.host.resumeOperation(repeating: repeats, on: link, at: now)
        case .secure(let index, let minimum):
            context.links[index].hasSuspendedOperation = true
            context.host.secure(link, minimum: minimum, at: now)
        }
    }

    /// Handles a channel that the peer refused, in the same way.
    func securityRequired(
        forChannel number: UInt32, of link: LinkIdentifier, _ result: L2CAP.CreditBasedConnectionResponse.Result,
        _ context: inout SessionContext, at now: Instant
    ) {
        let shortfall: LinkSecurity.Shortfall? =
            switch result {
            case .insufficientAuthentication: .authentication
            case .insufficientEncryption: .encryption
            default: nil
            }
        switch remedy(for: shortfall, of: link, context) {
        case .repeating(let repeats): context.host.resumeChannel(number, repeating: repeats, of: link, at: now)
        case .secure(let index, let minimum):
            context.links[index].suspendedChannels.append(number)
            context.host.secure(link, minimum: minimum, at: now)
        }
    }

    private enum Remedy {
        /// Repeat the request at once, or give up.
        case repeating(Bool)
        /// Bring the link with this index to a level first.
        case secure(Int, LinkSecurity.Level)
    }

    private func remedy(
        for shortfall: LinkSecurity.Shortfall?, of link: LinkIdentifier, _ context: borrowing SessionContext
    ) -> Remedy {
        guard let index = context.links.index(of: link), let security = context.host.security(of: link) else {
            return .repeating(false)
        }
        // The link's security may have changed since the refusal.
        if security.level > context.links[index].security.level { return .repeating(true) }
        switch shortfall {
        case .authentication,
            .encryption where !security.isEncrypted:
            return .secure(index, .unauthenticated)
        case .authentication where security.level < .authenticated: return .secure(index, .authenticated)
        // Another pairing results in no longer key.
        default: return .repeating(false)
        }
    }

    // MARK: Events of the host

    /// Handles an event of a pairing. Returns true if the link needs no further encryption before its sessions get it.
    mutating func handle(
        _ event: PairingEvent, of link: LinkIdentifier, _ context: inout SessionContext, at now: Instant
    ) -> Bool {
        switch event {
        case .asked(let request): asked(request, on: link, &context, at: now)
        case .dismissed:
            guard let question = question(on: link) else { return false }
            remove(question)
            context.emit(.pairing(.dismissed(question.number, session: question.session)))
        case .keypress(let kind):
            if let index = context.links.index(of: link) {
                context.emit(.pairing(.keyPressed(kind, context.links[index].peerIdentifier)))
            }
        case .securityChanged(let security):
            if let index = context.links.index(of: link) { context.links[index].security = security }
        case .secured(let security):
            // Keys of a pairing without bonding do not prove that the peer is the device of the bond.
            if security.isBonded, let bond = context.host.bond(of: link) {
                restoreAttributes(of: bond.peer, isNew: false, on: link, &context, at: now)
            }
            return ended(.success(security), isPairing: false, on: link, &context, at: now)
        case .completed(let result):
            if let bond = result.bond {
                context.identityLearned(bond.peer, of: link)
                bondStore.keep(bond)
                context.emit(.pairing(.bondAdded(record(of: bond, context))))
                restoreAttributes(of: bond.peer, isNew: true, on: link, &context, at: now)
                // The counters of new keys begin with 0, also if this is the second bond on this link.
                bondStore.keep([], as: .signCounters, of: bond.peer)
            }
            return ended(.success(result.security), isPairing: true, on: link, &context, at: now)
        case .failed(let failure):
            return ended(.failure(failure), isPairing: true, on: link, &context, at: now)
        }
        return false
    }

    private mutating func asked(
        _ request: AgentRequest, on link: LinkIdentifier, _ context: inout SessionContext, at now: Instant
    ) {
        if let earlier = question(on: link) {
            remove(earlier)
            context.emit(.pairing(.dismissed(earlier.number, session: earlier.session)))
        }
        // Consent requires an agent, so the pairing ends without one.
        guard let index = context.links.index(of: link), let question = ask(request, on: link) else {
            return context.host.answerPairing(link, .cancel, at: now)
        }
        let record = context.record(of: context.links[index].peer)
        context.emit(.pairing(.asked(request, question.number, record, session: question.session)))
    }

    /// Handles the end of a pairing or of an encryption with the keys of the bond. Returns as `handle` does.
    private func ended(
        _ result: Result<LinkSecurity, PairingProcedureError>, isPairing: Bool, on link: LinkIdentifier,
        _ context: inout SessionContext, at now: Instant
    ) -> Bool {
        guard let index = context.links.index(of: link) else { return false }
        if isPairing || context.links[index].isPairingRequested {
            context.emit(.pairing(.completed(context.record(of: context.links[index].peer), result)))
        }
        context.links[index].isPairingRequested = false
        let isSecure = if case .success = result { true } else { false }
        if context.links[index].hasSuspendedOperation {
            context.links[index].hasSuspendedOperation = false
            context.host.resumeOperation(repeating: isSecure, on: link, at: now)
        }
        let channels = context.links[index].suspendedChannels
        context.links[index].suspendedChannels = []
        for number in channels { context.host.resumeChannel(number, repeating: isSecure, of: link, at: now) }
        guard context.links[index].awaitsEncryption, !context.host.isEnding(link) else { return false }
        context.links[index].awaitsEncryption = false
        return true
    }

    // MARK: Attributes of bonded peers

    /// Gives the host what the store keeps of a bonded peer, once for each link, as soon as the link is encrypted. A new
    /// bond begins with nothing.
    private func restoreAttributes(
        of bond: DeviceAddress, isNew: Bool, on link: LinkIdentifier, _ context: inout SessionContext, at now: Instant
    ) {
        guard let index = context.links.index(of: link) else { return }
        let isRestored = context.links[index].bond != nil
        context.links[index].bond = bond
        guard !isRestored else { return }
        if isNew { for kind in BondAttributes.allCases { bondStore.keep([], as: kind, of: bond) } }
        switch context.links[index].role {
        case .peripheral:
            let octets = isNew ? nil : bondStore.attributes(.clientState, of: bond)
            context.host.restoreClientState(octets, on: link, at: now)
        case .central:
            let octets = isNew ? nil : bondStore.attributes(.attributeCache, of: bond)
            context.host.useAttributeCache(octets, on: link, at: now)
        }
    }

    /// Keeps octets with the bond of a link's peer.
    func keep(
        _ octets: [UInt8], as kind: BondAttributes, of link: LinkIdentifier, _ context: borrowing SessionContext
    ) {
        guard let index = context.links.index(of: link), let bond = context.links[index].bond else { return }
        bondStore.keep(octets, as: kind, of: bond)
    }
}
