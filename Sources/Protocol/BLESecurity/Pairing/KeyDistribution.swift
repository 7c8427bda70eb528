import BLEWire

/// The keys that one device of a pairing distributes.
struct DistributedKeys: Hashable, Sendable {
    var longTermKey: StoredKey?
    var identityKey: IdentityResolvingKey?
    var identity: DeviceAddress?
    var signatureKey: SignatureKey?
}

/// Phase 3: the responder distributes its keys, then the initiator (Vol 3, Part H, 3.6.1).
enum KeyDistribution: Sendable {
    case starting
    case receiving(Reception, local: DistributedKeys)
    case ended

    /// The keys received from the peer, and the keys still expected.
    struct Reception: Hashable, Sendable {
        var keys = DistributedKeys()
        var pending: SMP.KeyDistribution
        /// The key whose EDIV and Rand, or whose identity address, is expected next.
        var openKey: LongTermKey?
        var openIdentity: IdentityResolvingKey?

        /// Takes the next PDU. The order is fixed.
        mutating func take(_ packet: SMP.Packet, keySize: UInt8) throws(SMP.FailureReason) {
            switch packet {
            case .encryptionInformation(let pdu) where pending.contains(.encryption) && openKey == nil:
                openKey = pdu.key.shortened(to: keySize)
            case .centralIdentification(let pdu):
                guard let key = openKey else { throw .unspecified }
                keys.longTermKey = StoredKey(key: key, diversifier: pdu.diversifier, random: pdu.random)
                openKey = nil
                pending.remove(.encryption)
            case .identityInformation(let pdu)
            where pending.contains(.identity) && !pending.contains(.encryption) && openIdentity == nil:
                openIdentity = pdu.key
            case .identityAddressInformation(let pdu):
                guard let key = openIdentity else { throw .unspecified }
                guard pdu.address.isIdentity else { throw .invalidParameters }
                keys.identityKey = key
                keys.identity = pdu.address
                openIdentity = nil
                pending.remove(.identity)
            case .signingInformation(let pdu) where pending == .signing:
                keys.signatureKey = pdu.key
                pending = []
            default: throw .unspecified
            }
        }
    }

    typealias Product = (local: DistributedKeys, peer: DistributedKeys)

    mutating func step(
        _ input: PhaseInput, _ agreement: PairingAgreement, _ parameters: PairingParameters,
        _ crypto: inout some CryptoProvider
    ) -> PhaseStep<Product> {
        // An input that sets no other state ends the phase and drops its secrets.
        let current = self
        self = .ended
        switch (consume current, input) {
        case (.starting, .start):
            let local = Self.makeKeys(agreement, parameters, &crypto)
            let peerRole: PairingRole = parameters.role == .initiator ? .responder : .initiator
            let reception = Reception(pending: agreement.keys(of: peerRole))
            guard !reception.pending.isEmpty else {
                return .done((local, reception.keys), local.packets)
            }
            self = .receiving(reception, local: local)
            return .wait(parameters.role == .responder ? local.packets : [])
        case (.receiving(var reception, let local), .packet(let packet)):
            do throws(SMP.FailureReason) {
                try reception.take(packet, keySize: agreement.keySize)
                if let identity = reception.keys.identity { try Self.check(identity, agreement, parameters) }
            } catch {
                return .fail(error)
            }
            guard reception.pending.isEmpty else {
                self = .receiving(reception, local: local)
                return .wait([])
            }
            return .done((local, reception.keys), parameters.role == .initiator ? local.packets : [])
        case (let state, .answer):
            self = state
            return .wait([])
        case (_, .start), (_, .packet):
            return .fail(.unspecified)
        }
    }

    /// Refuses an identity whose bond is stronger than these keys. In phase 1 the address of the link did not yet
    /// reveal it.
    private static func check(
        _ identity: DeviceAddress, _ agreement: PairingAgreement, _ parameters: PairingParameters
    ) throws(SMP.FailureReason) {
        // The bond of the link's own peer was checked, and possibly abandoned, before the pairing. An identity beside it is not used.
        guard parameters.peerIdentity == nil, identity != parameters.peerAddress else { return }
        guard let existing = parameters.knownSecurity(of: identity) else { return }
        // The keys of this pairing encrypt the link now. They do not prove that the peer is the device of the other bond, and the
        // user has not been asked about that bond.
        guard !agreement.mayNotReplace(existing, isEncrypted: false) else { throw .keyRejected }
    }

    private static func makeKeys(
        _ agreement: PairingAgreement, _ parameters: PairingParameters, _ crypto: inout some CryptoProvider
    ) -> DistributedKeys {
        let wanted = agreement.keys(of: parameters.role)
        var keys = DistributedKeys()
        if wanted.contains(.encryption) {
            let name = crypto.random()
            keys.longTermKey = StoredKey(
                key: LongTermKey(value: crypto.random()).shortened(to: agreement.keySize),
                diversifier: UInt16(truncatingIfNeeded: name >> 64), random: UInt64(truncatingIfNeeded: name))
        }
        if wanted.contains(.identity), let identity = parameters.localIdentity {
            keys.identityKey = identity.key
            keys.identity = identity.address
        }
        if wanted.contains(.signing) { keys.signatureKey = SignatureKey(value: crypto.random()) }
        return keys
    }
}

extension DistributedKeys {
    /// The PDUs in the order of 3.6.1.
    fileprivate var packets: [PairingAction] {
        var packets: [PairingAction] = []
        if let key = longTermKey {
            packets.append(.send(.encryptionInformation(.init(key: key.key))))
            packets.append(
                .send(.centralIdentification(.init(diversifier: key.diversifier, random: key.random))))
        }
        if let identityKey, let identity {
            packets.append(.send(.identityInformation(.init(key: identityKey))))
            packets.append(.send(.identityAddressInformation(.init(address: identity))))
        }
        if let signatureKey { packets.append(.send(.signingInformation(.init(key: signatureKey)))) }
        return packets
    }
}
