import BLEWire

/// The result of phase 1.
struct PairingAgreement: Hashable, Sendable {
    let request: SMP.PairingRequest
    let response: SMP.PairingResponse
    let model: AssociationModel
    /// In octets.
    let keySize: UInt8

    private var common: SMP.AuthenticationRequirements {
        request.features.requirements.intersection(response.features.requirements)
    }
    var usesSecureConnections: Bool { common.contains(.secureConnections) }
    var usesKeypresses: Bool { model.usesPasskey && common.contains(.keypress) }
    var usesH7: Bool { common.contains(.crossTransport) }
    var isBonding: Bool {
        request.features.requirements.requestsBonding && response.features.requirements.requestsBonding
    }
    var security: LinkSecurity {
        LinkSecurity(
            keySize: keySize, isAuthenticated: model.isAuthenticated, isSecureConnections: usesSecureConnections,
            isBonded: isBonding)
    }

    /// Whether the keys must not replace those of a bond, on the link or in the store, without the user's consent.
    func mayNotReplace(_ bond: LinkSecurity, isEncrypted: Bool) -> Bool {
        security.isWeaker(than: bond) || (!model.isAuthenticated && !isEncrypted)
    }

    func features(of role: PairingRole) -> SMP.PairingFeatures {
        role == .initiator ? request.features : response.features
    }

    /// The keys that the device with this role distributes. Secure Connections distributes no LTK. Link keys are
    /// derived, never distributed (Vol 3, Part H, 3.6.1).
    func keys(of role: PairingRole) -> SMP.KeyDistribution {
        let keys = role == .initiator ? response.features.initiatorKeys : response.features.responderKeys
        let known = keys.intersection([.encryption, .identity, .signing])
        return !isBonding ? [] : usesSecureConnections ? known.subtracting(.encryption) : known
    }

    /// Whether both derive a BR/EDR link key (2.4.2.4).
    var derivesLinkKey: Bool {
        isBonding && usesSecureConnections && keySize == 16
            && response.features.initiatorKeys.intersection(response.features.responderKeys).contains(.linkKey)
    }
}

/// Phase 1: the exchange of features (Vol 3, Part H, 2.3.1 to 2.3.4).
enum FeatureExchange: Sendable {
    case initiating(SMP.AuthenticationRequirements)
    case awaitingResponse(SMP.PairingRequest)
    case awaitingRequest
    case awaitingConsent(PairingAgreement, refusal: SMP.FailureReason)
    case ended

    /// - Parameter requested: The requirements in a Security Request of the peer.
    init(role: PairingRole, requested: SMP.AuthenticationRequirements = []) {
        self = role == .initiator ? .initiating(requested) : .awaitingRequest
    }

    mutating func step(_ input: PhaseInput, _ parameters: PairingParameters) -> PhaseStep<PairingAgreement> {
        // An input that sets no other state ends the phase and drops its secrets.
        let current = self
        self = .ended
        switch (consume current, input) {
        case (.initiating(let requested), .start):
            let request = SMP.PairingRequest(features: parameters.features(requested: requested))
            self = .awaitingResponse(request)
            return .wait([.send(.pairingRequest(request))])
        case (.awaitingResponse(let request), .packet(.pairingResponse(let response))):
            let (asked, given) = (request.features, response.features)
            guard asked.initiatorKeys.isSuperset(of: given.initiatorKeys),
                asked.responderKeys.isSuperset(of: given.responderKeys)
            else { return .fail(.invalidParameters) }
            return evaluate(request, response, peer: given, parameters)
        case (.awaitingRequest, .packet(.pairingRequest(let request))):
            let response = SMP.PairingResponse(features: parameters.features(answering: request.features))
            return evaluate(request, response, peer: request.features, parameters)
        case (.awaitingConsent(let agreement, let refusal), .answer(.accept(let accepts))):
            return accepts ? agree(agreement, parameters) : .fail(refusal)
        case (let state, .answer):
            self = state
            return .wait([])
        case (.ended, _), (_, .start), (_, .packet):
            return .fail(.unspecified)
        }
    }

    /// Checks the features against the policy, and asks the agent if the policy requires it.
    private mutating func evaluate(
        _ request: SMP.PairingRequest, _ response: SMP.PairingResponse, peer: SMP.PairingFeatures,
        _ parameters: PairingParameters
    ) -> PhaseStep<PairingAgreement> {
        let policy = parameters.policy
        guard peer.ioCapability.isDefined, (7...16).contains(peer.maximumKeySize) else {
            return .fail(.invalidParameters)
        }
        let agreement = PairingAgreement(
            request: request, response: response,
            model: AssociationModel(initiator: request.features, responder: response.features),
            keySize: min(request.features.maximumKeySize, response.features.maximumKeySize))
        guard agreement.keySize >= (policy.secureConnectionsOnly ? 16 : policy.minimumKeySize) else {
            return .fail(.encryptionKeySize)
        }
        let isAllowed =
            (agreement.usesSecureConnections || (policy.allowsLegacy && !policy.secureConnectionsOnly))
            && (agreement.model.isAuthenticated
                || (policy.allowsJustWorks && !policy.requiresManInTheMiddle && !policy.secureConnectionsOnly))
        guard isAllowed else { return .fail(.authenticationRequirements) }
        if let reason = outOfBandProblem(agreement, parameters) { return .fail(reason) }

        let existing = parameters.knownSecurity()
        let proposal = PairingProposal(
            peer: parameters.peerIdentity ?? parameters.peerAddress, model: agreement.model,
            security: agreement.security, replaces: existing)
        // A pairing without bonding replaces no keys, but it encrypts a link under the identity of the bonded device.
        if let existing, agreement.mayNotReplace(existing, isEncrypted: parameters.isEncrypted) {
            guard policy.weakerBonds == .ask else { return .fail(.authenticationRequirements) }
            self = .awaitingConsent(agreement, refusal: .authenticationRequirements)
            return .wait([.ask(.accept(proposal))])
        }
        if policy.asksBeforePairing, parameters.role == .responder {
            self = .awaitingConsent(agreement, refusal: .pairingNotSupported)
            return .wait([.ask(.accept(proposal))])
        }
        return agree(agreement, parameters)
    }

    /// Returns a failure if this device lacks the data that the out-of-band model requires.
    private func outOfBandProblem(
        _ agreement: PairingAgreement, _ parameters: PairingParameters
    ) -> SMP.FailureReason? {
        guard agreement.model == .outOfBand else { return nil }
        let data = parameters.outOfBand
        guard agreement.usesSecureConnections else { return data.legacyKey == nil ? .outOfBandNotAvailable : nil }
        let peerRole: PairingRole = parameters.role == .initiator ? .responder : .initiator
        if agreement.features(of: parameters.role).hasOutOfBandData, data.peer == nil { return .outOfBandNotAvailable }
        if agreement.features(of: peerRole).hasOutOfBandData, data.local == nil { return .outOfBandNotAvailable }
        return nil
    }

    private mutating func agree(
        _ agreement: PairingAgreement, _ parameters: PairingParameters
    ) -> PhaseStep<PairingAgreement> {
        self = .ended
        return .done(
            agreement, parameters.role == .responder ? [.send(.pairingResponse(agreement.response))] : [])
    }
}

extension PairingParameters {
    /// The features of Pairing Request.
    func features(requested: SMP.AuthenticationRequirements = []) -> SMP.PairingFeatures {
        var local = policy.bonding ? policy.localKeys : []
        var peer = policy.bonding ? policy.peerKeys : []
        if localIdentity == nil { local.remove(.identity) }
        if policy.bonding, policy.derivesLinkKey {
            local.insert(.linkKey)
            peer.insert(.linkKey)
        }
        var requirements = policy.requirements.union(requested.intersection(.manInTheMiddle))
        let data = outOfBand
        // A TK serves legacy pairing only (2.3.5.4), so a device that has nothing else of the peer does not offer Secure
        // Connections.
        if data.legacyKey != nil, data.peer == nil, policy.allowsLegacy, !policy.secureConnectionsOnly {
            requirements.remove(.secureConnections)
        }
        // The OOB data flag (3.5.1).
        let hasData =
            data.peer != nil || (data.legacyKey != nil && !requirements.contains(.secureConnections))
        return SMP.PairingFeatures(
            ioCapability: ioCapability, hasOutOfBandData: hasData, requirements: requirements,
            maximumKeySize: policy.maximumKeySize, initiatorKeys: role == .initiator ? local : peer,
            responderKeys: role == .responder ? local : peer)
    }

    /// The features of Pairing Response. They contain no key that the initiator did not offer.
    func features(answering request: SMP.PairingFeatures) -> SMP.PairingFeatures {
        var features = features()
        let bonding = request.requirements.requestsBonding && policy.bonding
        features.initiatorKeys = bonding ? features.initiatorKeys.intersection(request.initiatorKeys) : []
        features.responderKeys = bonding ? features.responderKeys.intersection(request.responderKeys) : []
        return features
    }
}
