import BLEAdapter
import BLEWire

/// A call of Pair of this program that has no answer.
struct PairingAttempt: Hashable {
    /// The identifier under which the program asked.
    let peer: PeerIdentifier
    /// No other attempt has this number.
    let number: Int
    var tries = 0
    var isCancelled = false
    /// Pair is called when bluetoothd has the agent.
    var waitsForAgent = false
    /// Pair was called, and has not been answered.
    var isRunning = false
    /// The preference to restore.
    var formerBearer: String?
}

/// The pairings of this program, and what is known of the keys of devices, by the paths of the devices.
struct PairingRecords {
    /// How the users authenticated a pairing. A later question of the same pairing replaces the earlier one.
    enum Evidence: Hashable {
        case passkey
        /// LE has no comparison without Secure Connections (Vol 3, Part H, 2.3.5.1).
        case comparison
    }

    /// The devices whose evidence is kept. Without it a bond counts as not authenticated.
    static let limit = 1024
    /// How often Pair is called again while bluetoothd is busy with the device, and the time between.
    static let mostTries = 5
    static let pause = TimeSpan.seconds(1)
    /// bluetoothd ends a pairing after 120 s (BONDING_TIMEOUT in src/adapter.c), and looks for services before its answer.
    static let timeout = TimeSpan.seconds(180)

    private(set) var attempts: [String: PairingAttempt] = [:]
    private var lastNumber = 0
    /// The reason with which the user of this device ended a pairing.
    private var refusals: [String: SMP.FailureReason] = [:]
    private var candidates: [String: Evidence] = [:]
    private var known: [String: Evidence] = [:]

    subscript(device: String) -> PairingAttempt? {
        get { attempts[device] }
        set { attempts[device] = newValue }
    }

    /// The devices whose pairing waits for the agent.
    var waitingForAgent: [String] { attempts.filter { $0.value.waitsForAgent }.keys.sorted() }

    mutating func begin(_ device: String, _ peer: PeerIdentifier) {
        lastNumber += 1
        attempts[device] = PairingAttempt(peer: peer, number: lastNumber)
        (refusals[device], candidates[device], known[device]) = (nil, nil, nil)
    }

    /// The user answered or sees a question of a pairing.
    mutating func note(_ evidence: Evidence, of device: String) {
        guard candidates.count < Self.limit || candidates[device] != nil else { return }
        candidates[device] = evidence
    }

    mutating func refuse(_ device: String, _ reason: SMP.FailureReason) {
        guard refusals.count < Self.limit || refusals[device] != nil else { return }
        refusals[device] = reason
    }

    /// The pairing succeeded.
    mutating func confirm(_ device: String) {
        guard let evidence = candidates.removeValue(forKey: device) else { return }
        if known.count < Self.limit || known[device] != nil { known[device] = evidence }
    }

    /// Takes the end of a pairing. Returns the attempt of this program, and the reason if its user ended it.
    mutating func end(_ device: String) -> (attempt: PairingAttempt?, refusal: SMP.FailureReason?) {
        candidates[device] = nil
        return (attempts.removeValue(forKey: device), refusals.removeValue(forKey: device))
    }

    /// The device has no keys any more, or gets others.
    mutating func forget(_ device: String) { (candidates[device], known[device]) = (nil, nil) }

    /// bluetoothd is gone, and what is known of its devices.
    mutating func removeAll() -> [PairingAttempt] {
        defer { (attempts, refusals, candidates, known) = ([:], [:], [:], [:]) }
        return attempts.values.sorted { $0.number < $1.number }
    }

    /// The protection of the link with a paired device, as far as it is known.
    ///
    /// bluetoothd tells neither the level nor the size of the key. A bond of an earlier run, or of another program's agent, counts as not
    /// authenticated. Without a sign that the keys are those of LE, the link counts as not encrypted.
    func security(of path: String, _ device: PairingDevice) -> LinkSecurity {
        guard device.isLEPaired ?? (device.bearers == .le) else { return .none }
        return LinkSecurity(
            keySize: LinkSecurity.untoldKeySize, isAuthenticated: known[path] != nil,
            isSecureConnections: known[path] == .comparison,
            isBonded: device.isBonded)
    }
}
