import BLEAdapter
import BLESecurity
import BLEWire
import Dispatch
import Logging

/// The bonds of a host, in memory and, unless the host is simulated, in the file `bonds`.
///
/// A changed bond or identity key is written immediately, changed octets after one second, both on the queue of the
/// `DeviceStore`. A bond is durable when that write has synced the file and its directory; `DeviceStore.flush()` waits for that.
/// A failed write is repeated as that store's writes are.
package final class PersistentBondStore: BondStore {
    /// Changes since the last write.
    private struct Changes {
        enum IdentityKey {
            /// The first key of this host. A key that another process has written meanwhile stays.
            case initial
            case replaced
        }

        var peers: Set<DeviceAddress> = []
        var attributes: Set<BondTable.Attributes> = []
        var identityKey: IdentityKey?

        var isEmpty: Bool { peers.isEmpty && attributes.isEmpty && identityKey == nil }

        /// Takes back the changes of a failed write.
        mutating func restore(_ earlier: Changes) {
            peers.formUnion(earlier.peers)
            attributes.formUnion(earlier.attributes)
            identityKey = identityKey ?? earlier.identityKey
        }
    }

    private struct Content {
        var table: BondTable
        /// Whether changes are written.
        var hasFile: Bool
        var changes = Changes()
        var schedule = WriteSchedule()
        /// Whether the log has the warning of a full store. It is repeated after a bond is removed.
        var isFullReported = false
        var isLengthReported = false
    }

    static let file = StoredValue<BondContent>(
        name: "bonds", envelope: .bonds, loss: "bonded devices have to be paired again")

    /// The delay between a change of octets and the write.
    private static let octetsDelay = TimeSpan.seconds(1)
    private static let consequence =
        "Bluetooth works. Bonds and what this program learns of bonded devices stay in memory until a later attempt to write them succeeds."

    private let content: Lock<Content>
    private let directory: StoreDirectory?
    private let log: Logger
    private let queue: DispatchQueue?
    private let timer: DeviceStore.Timer

    /// - Parameters:
    ///   - directory: Nil for a store without a file.
    ///   - queue: Nil for a store without a file.
    ///   - isFailureReported: Whether the log has the reason already if the directory cannot be used.
    init(
        directory: StoreDirectory?, table: BondTable = BondTable(), log: Logger, queue: DispatchQueue?,
        timer: @escaping DeviceStore.Timer, isFailureReported: Bool = false
    ) {
        var content = Content(table: table, hasFile: directory != nil)
        if let directory {
            do throws(StoreError) {
                switch try Self.file.read(in: directory, log) {
                case .value(let found): content.table = found.table
                case .absent: break
                case .newer: content.hasFile = false
                }
            } catch {
                _ = content.schedule.fail()
                if !isFailureReported { log.warning("\(error) \(Self.consequence)") }
            }
        }
        self.content = Lock(content)
        self.directory = directory
        self.log = log
        self.queue = queue
        self.timer = timer
    }

    /// The present content, without the state of writes.
    var table: BondTable { content.withLock { $0.table } }

    // MARK: Bonds

    package var bonds: [Bond] { table.bonds }

    @discardableResult
    package func keep(_ bond: Bond) -> Bool {
        let (isKept, isReported) = change(immediately: true) { content in
            guard content.table[bond.peer] != bond else { return (true, true) }
            guard content.table.keep(bond) else {
                defer { content.isFullReported = true }
                return (false, content.isFullReported)
            }
            content.changes.peers.insert(bond.peer)
            return (true, true)
        }
        if !isReported { reportFull() }
        return isKept
    }

    package func remove(_ peer: DeviceAddress) {
        change(immediately: true) { content in
            content.table.remove(peer)
            content.changes.peers.insert(peer)
            for kind in BondAttributes.allCases {
                content.changes.attributes.insert(BondTable.Attributes(peer: peer, kind: kind))
            }
            content.isFullReported = false
        }
    }

    package var localIdentityKey: IdentityResolvingKey? {
        get { table.localIdentityKey }
        set {
            change(immediately: true) { content in
                guard content.table.localIdentityKey != newValue else { return }
                if content.table.localIdentityKey == nil {
                    content.changes.identityKey = content.changes.identityKey ?? .initial
                } else if content.changes.identityKey == nil {
                    content.changes.identityKey = .replaced
                }
                content.table.localIdentityKey = newValue
            }
        }
    }

    package func attributes(_ kind: BondAttributes, of peer: DeviceAddress) -> [UInt8]? {
        content.withLock { $0.table.attributes[BondTable.Attributes(peer: peer, kind: kind)] }
    }

    package func keep(_ octets: [UInt8], as kind: BondAttributes, of peer: DeviceAddress) {
        // A counter that is lost makes a signature valid once more.
        let isReported = change(immediately: kind == .signCounters) { content in
            let keeping = content.table.keep(octets, as: kind, of: peer)
            guard keeping != .unchanged else { return true }
            content.changes.attributes.insert(BondTable.Attributes(peer: peer, kind: kind))
            guard keeping == .tooLong else { return true }
            defer { content.isLengthReported = true }
            return content.isLengthReported
        }
        guard !isReported else { return }
        log.warning(
            """
            The attributes of a bonded device take \(octets.count) octets, more than the \(BondLimits.octets(kind)) that \
            the Bluetooth store keeps. They are not kept for the next connection.
            """)
    }

    private func reportFull() {
        log.warning(
            """
            The Bluetooth store has \(BondLimits.bonds) bonds, which is the maximum. The keys of a new device last as \
            long as its link. To keep them, unpair a device first.
            """)
    }

    // MARK: Writing

    /// Applies a change in memory, and schedules a write if there is a file.
    private func change<Result>(immediately: Bool, _ body: (inout Content) -> Result) -> Result {
        let (result, isNewlyDue) = content.withLock { content in
            let result = body(&content)
            guard content.hasFile else {
                content.changes = Changes()
                return (result, false)
            }
            guard !content.changes.isEmpty else { return (result, false) }
            return (result, immediately ? content.schedule.setImmediateTimer() : content.schedule.setTimer())
        }
        if isNewlyDue { startTimer(immediately ? .zero : Self.octetsDelay, immediately: immediately) }
        return result
    }

    private func startTimer(_ delay: TimeSpan, immediately: Bool) {
        guard let queue else { return }
        timer(delay, queue) { [self] in
            content.withLock { $0.schedule.timerFired(immediately: immediately) }
            write()
        }
    }

    /// Merges the changes into the file. Runs on `queue`. Bonds of other processes stay.
    func write() {
        let (table, changes) = content.withLock { content in
            defer { content.changes = Changes() }
            return (content.table, content.changes)
        }
        guard let directory, !changes.isEmpty else { return }
        do throws(StoreError) {
            let outcome = try directory.whileLocked { locked throws(StoreError) in
                try merge(table, changes, in: locked)
            }
            finish(changes, outcome)
        } catch {
            let (failures, retry, isNewlyDue) = content.withLock { content in
                content.changes.restore(changes)
                let retry = content.schedule.fail()
                return (content.schedule.failures, retry, content.schedule.setTimer())
            }
            if failures == 1 { log.warning("\(error) \(Self.consequence)") }
            if isNewlyDue { startTimer(retry, immediately: false) }
        }
    }

    private struct Outcome {
        /// Nil if the file has a later version.
        var table: BondTable?
        /// Bonds for which the file had no room, because other processes filled it.
        var isFull = false
    }

    private func merge(
        _ table: BondTable, _ changes: Changes, in locked: StoreDirectory.Locked
    ) throws(StoreError) -> Outcome {
        var current = BondContent()
        switch try Self.file.read(in: locked, log) {
        case .value(let content): current = content
        // After damage or a removal of the file, memory has all bonds.
        case .absent: current.table = table
        case .newer: return Outcome(table: nil)
        }
        var outcome = Outcome()
        var merged = current
        // In the order of the bonds, so that equal runs write equal files.
        for bond in table.bonds where changes.peers.contains(bond.peer) {
            if !merged.table.keep(bond) { outcome.isFull = true }
        }
        for peer in changes.peers where table[peer] == nil { merged.table.remove(peer) }
        for key in changes.attributes {
            var octets = table.attributes[key] ?? []
            // Another process has used the same keys: no counter goes back.
            if key.kind == .signCounters, !octets.isEmpty, let others = current.table.attributes[key],
                current.table[key.peer] == table[key.peer]
            {
                octets = SignCounters.later(octets, others)
            }
            _ = merged.table.keep(octets, as: key.kind, of: key.peer)
        }
        switch changes.identityKey {
        case .initial: merged.table.localIdentityKey = merged.table.localIdentityKey ?? table.localIdentityKey
        case .replaced: merged.table.localIdentityKey = table.localIdentityKey
        case nil: break
        }
        try Self.file.write(merged, in: locked)
        outcome.table = merged.table
        return outcome
    }

    private func finish(_ changes: Changes, _ outcome: Outcome) {
        guard let written = outcome.table else {
            content.withLock { $0.hasFile = false }
            return
        }
        let (isRecovery, isNewlyFull) = content.withLock { content in
            // Another process may have had the first key.
            if changes.identityKey == .initial, content.changes.identityKey == nil {
                content.table.localIdentityKey = written.localIdentityKey
            }
            let isNewlyFull = outcome.isFull && !content.isFullReported
            content.isFullReported = content.isFullReported || outcome.isFull
            return (content.schedule.succeed(), isNewlyFull)
        }
        if isNewlyFull { reportFull() }
        // Logs at the level of the warning that it ends.
        if isRecovery {
            log.warning("The Bluetooth store can be written again; the bonds changed meanwhile are saved.")
        }
    }
}

extension PersistentBondStore: CustomReflectable {
    /// Hides the content.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
