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
    // The delivery is apart, so that a link without a pairing does not pay for its keys.
    private indirect enum PendingDelivery {
        case pending(Delivery)
    }
    private var pendingDelivery: PendingDelivery?
    var delivery: Delivery? {
        get { if case .pending(let delivery)? = pendingDelivery { delivery } else { nil } }
        set { pendingDelivery = newValue.map(PendingDelivery.pending) }
    }
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
