import BLESecurity
import BLEWire

/// The Security Manager of a link: its pairings, and the encryption procedure of the controller under way.
struct SecurityManager: Sendable {
    /// The time that the controller has to encrypt the link. It exceeds the duration of the procedure on a working link,
    /// which loses no more than some connection events.
    static let encryptionPeriod = TimeSpan.seconds(30)

    /// The origin of the key of an encryption procedure.
    enum KeyOrigin: Hashable, Sendable {
        case pairing
        case bond
    }

    /// An encryption procedure for which this host gave the key.
    struct Procedure: Hashable, Sendable {
        let origin: KeyOrigin
        /// The security of the link after the procedure.
        let security: LinkSecurity
        let ends: Instant
    }

    /// A pairing that has succeeded, except that the peer has not acknowledged this device's keys yet.
    struct Delivery: Hashable, Sendable {
        let result: PairingResult
        /// The packets that the controller completes until then, at most.
        var packets: Int
        /// The end of the Security Manager Timer (Vol 3, Part H, 3.4).
        let ends: Instant
    }

    var pairing: Pairing
    var procedure: Procedure?
    /// The last PDU of a pairing, which the peer has not acknowledged yet. The keys are apart, so that a link without a pairing does
    /// not pay for them.
    private enum LastPDU {
        indirect case keys(Delivery)
        /// Pairing Failed, with the packets that the controller completes until then, at most.
        case refusal(packets: Int)
    }
    private var lastPDU: LastPDU?
    var delivery: Delivery? {
        get { if case .keys(let delivery)? = lastPDU { delivery } else { nil } }
        set { lastPDU = newValue.map(LastPDU.keys) }
    }
    var undeliveredRefusal: Int? {
        get { if case .refusal(let packets)? = lastPDU { packets } else { nil } }
        set { lastPDU = newValue.map(LastPDU.refusal) }
    }
    /// Whether the peer has not acknowledged the last PDU of a pairing.
    var isUndelivered: Bool { lastPDU != nil }
    /// The level that `HostStack.secure` requested and that no procedure has reached yet.
    var wanted: LinkSecurity.Level?

    init(pairing: Pairing) { self.pairing = pairing }

    /// The address under which bonds and failed attempts of the peer are stored.
    var peer: DeviceAddress { pairing.parameters.peerIdentity ?? pairing.parameters.peerAddress }

    /// Whether neither a pairing nor an encryption procedure runs.
    var isIdle: Bool { procedure == nil && delivery == nil && (pairing.isIdle || pairing.isTimedOut) }

    var deadline: Instant? {
        [procedure?.ends, delivery?.ends, pairing.deadline].compactMap { $0 }.min()
    }
}
