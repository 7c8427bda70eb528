import BLEAdapter
import BLEHost
import BLESecurity
import BLEWire

/// Pairing sessions: agents, requests to pair, and bonds.
extension HostSessions {
    // MARK: Calls

    /// Makes a session the agent, or ends that. The session that called this last is asked.
    package mutating func setAgent(_ capability: PairingAgentCapability?, session: Int, at now: Instant) {
        pairings.setAgent(capability, session: session)
        if capability == nil { cancelPairings(askedBy: session, at: now) }
        applyPairingSettings()
    }

    package mutating func closePairing(_ session: Int, at now: Instant) {
        setAgent(nil, session: session, at: now)
    }

    package mutating func setPairingPolicy(_ policy: PairingPolicy) {
        pairings.policy = policy
        applyPairingSettings()
    }

    private mutating func applyPairingSettings() {
        host.pairingSettings = pairings.settings(identityKey: host.pairingSettings.identityKey)
    }

    /// Brings the link with a peer to a security level. `completed` follows.
    package mutating func pair(_ peer: PeerIdentifier, minimum: LinkSecurity.Level, at now: Instant) {
        guard let index = linkToPair(peer) else {
            return emit(.pairing(.completed(knownRecord(of: peer), .failure(.disconnected))))
        }
        links[index].isPairingRequested = true
        host.secure(links[index].identifier, minimum: minimum, at: now)
    }

    package mutating func cancelPairing(with peer: PeerIdentifier, at now: Instant) {
        for role in [LinkRole.central, .peripheral] {
            if let index = linkIndex(to: peer, role: role) {
                host.cancelPairing(links[index].identifier, at: now)
            }
        }
    }

    /// Passes an answer to the pairing that asked. Has no effect if the question is answered or dismissed, or another
    /// session has it.
    package mutating func answer(
        _ number: PairingQuestionNumber, _ answer: AgentAnswer, session: Int, at now: Instant
    ) {
        guard let question = pairings.question(number, session: session) else { return }
        switch answer {
        case .accept, .passkey: if !question.isDisplay { pairings.remove(question) }
        // The host dismisses the question if the answer ends the pairing.
        case .keypress, .cancel: break
        }
        host.answerPairing(question.link, answer, at: now)
    }

    package mutating func makeOutOfBandData(_ kind: OutOfBandBlock.Kind) -> OutOfBandBlock? {
        host.makeOutOfBandData(kind)
    }

    /// Sets the out-of-band data of a peer. Has no effect for an identifier that this host did not create.
    package mutating func setOutOfBandData(_ block: OutOfBandBlock?, of peer: PeerIdentifier?) {
        guard let peer else { return host.setOutOfBandData(block, of: nil) }
        if let address = peers.key(of: peer).map({ peers[$0].address }) ?? peers.address(of: peer) {
            host.setOutOfBandData(block, of: address)
        }
    }

    /// Forgets the keys of a peer and ends its links, as the keys of a removed bond must not protect them any longer.
    package mutating func unpair(_ peer: PeerIdentifier, at now: Instant) {
        for bond in host.bonds.bonds where peers.identifier(for: bond.peer) == peer {
            host.removeBond(bond.peer)
            bondStore.remove(bond.peer)
            emit(.pairing(.bondRemoved(peer)))
        }
        for index in links.indices where peers[links[index].peer].identifier == peer {
            links[index].phase = .ending
            host.disconnect(links[index].identifier, at: now)
        }
    }

    /// The bonds, oldest first.
    package var bondRecords: [BondRecord] { host.bonds.bonds.map { record(of: $0) } }

    // MARK: Events of the host

    /// Encrypts a new link to a bonded peer at once, as the central. Its sessions get the link after that, so that no
    /// value crosses the air in the clear that the peer protects, and no request is refused and repeated.
    mutating func encryptIfBonded(_ index: Int, at now: Instant) {
        // A bond without the peer's key serves the other role alone. A pairing in its place would need a request.
        guard host.bond(of: links[index].identifier)?.peerKey != nil else { return }
        links[index].awaitsEncryption = true
        host.secure(links[index].identifier, minimum: .unauthenticated, at: now)
    }

    /// Handles an operation that the peer refused: encrypts the link or pairs, and then repeats the operation once. If
    /// that fails, the operation ends with the peer's error (Vol 3, Part C, 10.3.2).
    mutating func securityRequired(_ link: LinkIdentifier, _ error: ATT.ErrorCode, at now: Instant) {
        let shortfall: LinkSecurity.Shortfall? =
            switch error {
            case .insufficientAuthentication: .authentication
            case .insufficientEncryption: .encryption
            default: nil
            }
        switch remedy(for: shortfall, of: link) {
        case .repeating(let repeats): host.resumeOperation(repeating: repeats, on: link, at: now)
        case .secure(let index, let minimum):
            links[index].hasSuspendedOperation = true
            host.secure(link, minimum: minimum, at: now)
        }
    }

    /// Handles a channel that the peer refused, in the same way.
    mutating func securityRequired(
        forChannel number: UInt32, of link: LinkIdentifier, _ result: L2CAP.CreditBasedConnectionResponse.Result,
        at now: Instant
    ) {
        let shortfall: LinkSecurity.Shortfall? =
            switch result {
            case .insufficientAuthentication: .authentication
            case .insufficientEncryption: .encryption
            default: nil
            }
        switch remedy(for: shortfall, of: link) {
        case .repeating(let repeats): host.resumeChannel(number, repeating: repeats, of: link, at: now)
        case .secure(let index, let minimum):
            links[index].suspendedChannels.append(number)
            host.secure(link, minimum: minimum, at: now)
        }
    }

    private enum Remedy {
        /// Repeat the request at once, or give up.
        case repeating(Bool)
        /// Bring the link with this index to a level first.
        case secure(Int, LinkSecurity.Level)
    }

    private func remedy(for shortfall: LinkSecurity.Shortfall?, of link: LinkIdentifier) -> Remedy {
        guard let index = linkIndex(link), let security = host.security(of: link) else { return .repeating(false) }
        // The link's security may have changed since the refusal.
        if security.level > links[index].security.level { return .repeating(true) }
        switch shortfall {
        case .authentication,
            .encryption where !security.isEncrypted:
            return .secure(index, .unauthenticated)
        case .authentication where security.level < .authenticated: return .secure(index, .authenticated)
        // Another pairing results in no longer key.
        default: return .repeating(false)
        }
    }

    mutating func handle(_ event: PairingEvent, of link: LinkIdentifier, at now: Instant) {
        switch event {
        case .asked(let request): asked(request, on: link, at: now)
        case .dismissed:
            guard let question = pairings.question(on: link) else { return }
            pairings.remove(question)
            emit(.pairing(.dismissed(question.number, session: question.session)))
        case .keypress(let kind):
            if let index = linkIndex(link) {
                emit(.pairing(.keyPressed(kind, peers[links[index].peer].identifier)))
            }
        case .securityChanged(let security):
            if let index = linkIndex(link) { links[index].security = security }
        case .secured(let security):
            // Keys of a pairing without bonding do not prove that the peer is the device of the bond.
            if security.isBonded, let bond = host.bond(of: link) {
                restoreAttributes(of: bond.peer, isNew: false, on: link, at: now)
            }
            ended(.success(security), isPairing: false, on: link, at: now)
        case .completed(let result):
            if let bond = result.bond {
                bondAdded(bond, link)
                restoreAttributes(of: bond.peer, isNew: true, on: link, at: now)
            }
            ended(.success(result.security), isPairing: true, on: link, at: now)
        case .failed(let failure):
            ended(.failure(failure), isPairing: true, on: link, at: now)
        }
    }

    private mutating func asked(_ request: AgentRequest, on link: LinkIdentifier, at now: Instant) {
        if let earlier = pairings.question(on: link) {
            pairings.remove(earlier)
            emit(.pairing(.dismissed(earlier.number, session: earlier.session)))
        }
        // Consent requires an agent, so the pairing ends without one.
        guard let index = linkIndex(link), let question = pairings.ask(request, on: link) else {
            return host.answerPairing(link, .cancel, at: now)
        }
        emit(
            .pairing(
                .asked(request, question.number, record(of: links[index].peer), session: question.session)))
    }

    private mutating func bondAdded(_ bond: Bond, _ link: LinkIdentifier) {
        identityLearned(bond.peer, of: link)
        bondStore.keep(bond)
        emit(.pairing(.bondAdded(record(of: bond))))
    }

    /// Handles the end of a pairing or of an encryption with the keys of the bond.
    private mutating func ended(
        _ result: Result<LinkSecurity, PairingProcedureError>, isPairing: Bool, on link: LinkIdentifier, at now: Instant
    ) {
        guard let index = linkIndex(link) else { return }
        if isPairing || links[index].isPairingRequested {
            emit(.pairing(.completed(record(of: links[index].peer), result)))
        }
        links[index].isPairingRequested = false
        let isSecure = if case .success = result { true } else { false }
        if links[index].hasSuspendedOperation {
            links[index].hasSuspendedOperation = false
            host.resumeOperation(repeating: isSecure, on: link, at: now)
        }
        let channels = links[index].suspendedChannels
        links[index].suspendedChannels = []
        for number in channels { host.resumeChannel(number, repeating: isSecure, of: link, at: now) }
        if links[index].awaitsEncryption, !host.isEnding(link) {
            links[index].awaitsEncryption = false
            if links[index].hasMTU { linkIsReady(link, at: now) }
        }
    }

    // MARK: Attributes of bonded peers

    /// Gives the host what the store keeps of a bonded peer, once for each link, as soon as the link is encrypted. A new
    /// bond begins with nothing.
    private mutating func restoreAttributes(
        of bond: DeviceAddress, isNew: Bool, on link: LinkIdentifier, at now: Instant
    ) {
        guard let index = linkIndex(link) else { return }
        let isRestored = links[index].bond != nil
        links[index].bond = bond
        guard !isRestored else { return }
        if isNew { for kind in BondAttributes.allCases { bondStore.keep([], as: kind, of: bond) } }
        switch links[index].role {
        case .peripheral:
            let octets = isNew ? nil : bondStore.attributes(.clientState, of: bond)
            host.restoreClientState(octets, on: link, at: now)
        case .central:
            let octets = isNew ? nil : bondStore.attributes(.attributeCache, of: bond)
            host.useAttributeCache(octets, on: link, at: now)
        }
    }

    /// Keeps octets with the bond of a link's peer.
    mutating func keep(_ octets: [UInt8], as kind: BondAttributes, of link: LinkIdentifier) {
        guard let index = linkIndex(link), let bond = links[index].bond else { return }
        bondStore.keep(octets, as: kind, of: bond)
    }

    // MARK: Records

    private mutating func cancelPairings(askedBy session: Int, at now: Instant) {
        for question in pairings.questions where question.session == session {
            pairings.remove(question)
            host.answerPairing(question.link, .cancel, at: now)
        }
    }

    /// The link on which a peer is paired: as the central if there is one, because the central starts pairings.
    private func linkToPair(_ peer: PeerIdentifier) -> Int? {
        let index = linkIndex(to: peer, role: .central) ?? linkIndex(to: peer, role: .peripheral)
        return index.flatMap { links[$0].phase == .ending ? nil : $0 }
    }

    private func knownRecord(of peer: PeerIdentifier) -> PeerRecord {
        if let key = peers.key(of: peer) { return record(of: key) }
        let names = peers.names[peer]
        return PeerRecord(identifier: peer, name: names?.deviceName ?? names?.advertisedName)
    }

    private func record(of bond: Bond) -> BondRecord {
        BondRecord(
            peer: knownRecord(of: peers.identifier(for: bond.peer)), address: bond.peer, security: bond.security,
            usesDebugKeys: bond.usesDebugKeys)
    }
}
