import BLEAdapter
import BLESecurity
import BLEWire
import Dispatch
import Logging

/// The persistent data of a host: the identities and names of devices, the state of managers with a restore identifier,
/// and bonds. The store is in memory and, unless the host is simulated, also in files.
///
/// Identifiers are computed from a key, so the discovery of a device writes nothing. A name is stored from the first
/// connection on, restoration state from the call that changes it. Changes are written after 50 ms, many in one write,
/// on a queue of the store. A failed write is repeated after 0.25 s, 0.5 s, 1 s and so on up to 60 s. Until it
/// succeeds, changes stay in memory.
package final class DeviceStore: IdentityStore, RestorationStore {
    typealias Peer = StoreContent.Peer
    typealias ManagerKey = StoreContent.ManagerKey

    /// Changes since the last write.
    private struct Changes {
        var peers: Set<DeviceAddress> = []
        /// The changed devices whose identifier replaces the one in the file: their identity address became known.
        var identifiedPeers: Set<DeviceAddress> = []
        var managers: Set<ManagerKey> = []

        var isEmpty: Bool { peers.isEmpty && managers.isEmpty }

        /// Takes back the changes of a failed write.
        mutating func restore(_ earlier: Changes) {
            peers.formUnion(earlier.peers)
            identifiedPeers.formUnion(earlier.identifiedPeers)
            managers.formUnion(earlier.managers)
        }
    }

    private struct Content {
        var store: StoreContent
        /// The identifiers of the devices in `store`. They have precedence over computed ones: if the key is lost,
        /// devices with an earlier connection keep theirs.
        var addresses: [PeerIdentifier: DeviceAddress] = [:]
        var changes = Changes()
        /// The managers of this process.
        var ownManagers: Set<ManagerKey> = []
        var schedule = WriteSchedule()
        /// The key if it has not been written.
        var unwrittenKey: StoreKey?

        init(_ store: StoreContent) {
            self.store = store
            // A device that also connected under its identity address is found under that address.
            for peer in store.peersByMeeting { addresses[peer.identifier] = peer.address }
        }

        /// Nil before its first use: the hosts of most devices of a crowd need none.
        private var cipher: IdentifierCipher?

        mutating func cipher(_ key: StoreKey) -> IdentifierCipher {
            if let cipher { return cipher }
            let new = IdentifierCipher(key: key)
            cipher = new
            return new
        }

        mutating func forget(_ peers: [Peer]) {
            for peer in peers {
                if addresses[peer.identifier] == peer.address { addresses[peer.identifier] = nil }
                changes.peers.remove(peer.address)
                changes.identifiedPeers.remove(peer.address)
            }
        }
    }

    /// The delay between the first change and the write.
    private static let writeDelay = TimeSpan.milliseconds(50)

    /// A function that runs a write later, on `queue`.
    package typealias Timer =
        @Sendable (_ delay: TimeSpan, _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> Void

    private let key: StoreKey
    private let content: Lock<Content>
    /// The logger of the store, which its host uses as well.
    package let log: Logger
    /// The bonds of the host, which have a file of their own.
    package let bonds: PersistentBondStore
    /// Nil for a store that writes nothing.
    private let file: Lock<StoreFile?>
    /// Nil for a store that never writes.
    private let queue: DispatchQueue?
    private let timer: Timer

    private static let realTime: Timer = { delay, queue, body in
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.nanoseconds)), execute: body)
    }

    /// Fills the tables that the first connection fills, which makes their types. The Swift runtime searches all conformances of the process for
    /// the first table with a type of key, which takes 550,000 instructions. At the start of a program that is a part of much more.
    private static let tables: Void = {
        let address = DeviceAddress(kind: .public, value: 0)
        let identifier = PeerIdentifier(high: 0, low: 0)
        var store = StoreContent()
        store.insert(
            Peer(address: address, identifier: identifier, deviceName: nil, advertisedName: nil, lastMeeting: 0))
        var content = Content(store)
        content.changes.peers.formUnion(store.peers.keys)
        withExtendedLifetime(content) {}
    }()

    private init(
        key: StoreKey, content: StoreContent, file: StoreFile?, bonds: BondTable = BondTable(),
        bondDirectory: StoreDirectory? = nil, isFailureReported: Bool = false, log: Logger,
        timer: @escaping Timer = DeviceStore.realTime
    ) {
        _ = DeviceStore.tables
        self.key = key
        self.content = Lock(Content(content))
        self.file = Lock(file)
        self.log = log
        self.timer = timer
        queue =
            file == nil && bondDirectory == nil ? nil : DispatchQueue(label: "bluetooth.store", qos: .utility)
        self.bonds = PersistentBondStore(
            directory: bondDirectory, table: bonds, log: log, queue: queue, timer: timer,
            isFailureReported: isFailureReported)
    }

    /// Creates a store without files.
    package convenience init(key: StoreKey) {
        self.init(key: key, content: StoreContent(), file: nil, log: LibraryLog.logger())
    }

    /// Creates a store with files in a directory, which the first write creates. A file that cannot be read or written
    /// is reported in the log once, and the adapter works without it. A key that cannot be written is written again
    /// later, like changes. A file of a later version is not changed, and the store then has no files.
    package convenience init(directory: StoreDirectory) { self.init(directory: directory, timer: nil) }

    /// - Parameter timer: Runs delayed writes; nil uses real time.
    package convenience init(directory: StoreDirectory, log: Logger = LibraryLog.logger(), timer: Timer? = nil) {
        let file = StoreFile(directory: directory, log: log)
        var failure: StoreError?
        var key: StoreKey?
        var unwrittenKey: StoreKey?
        do throws(StoreError) {
            key = try file.key()
        } catch {
            failure = error
            unwrittenKey = .random
        }
        var content = StoreContent()
        var isNewer = false
        do throws(StoreError) {
            switch try file.state() {
            case .value(let found): content = found
            case .absent: break
            case .newer: isNewer = true
            }
        } catch {
            failure = failure ?? error
        }
        let isFailed = failure != nil && !isNewer
        if let failure, isFailed { log.warning("\(failure) \(Self.consequence)") }
        self.init(
            key: key ?? unwrittenKey ?? .random, content: content, file: isNewer ? nil : file,
            bondDirectory: directory, isFailureReported: isFailed, log: log, timer: timer ?? Self.realTime)
        guard isFailed else { return }
        let retry: TimeSpan? = self.content.withLock { content in
            let retry = content.schedule.fail()
            content.unwrittenKey = unwrittenKey
            return unwrittenKey != nil && content.schedule.setTimer() ? retry : nil
        }
        // Identifiers depend on the key, so it must be in the file even if nothing else ever changes.
        if let retry { writeLater(retry) }
    }

    private static let consequence =
        "Bluetooth works. What this program learns of devices stays in memory until a later attempt to write the store succeeds."

    /// Creates a store without files and with the present content of this store.
    package func copy() -> DeviceStore {
        DeviceStore(key: key, content: content.withLock { $0.store }, file: nil, bonds: bonds.table, log: log)
    }

    /// A number that differs between hosts and is equal in every run of one host.
    package func seed(for purpose: String) -> UInt64 { key.derived(for: "seed").hash(purpose.utf8) }

    /// The number of stored identifiers: one for each device.
    var knownIdentifierCount: Int { content.withLock { $0.addresses.count } }

    /// The number of devices that changed since the last write.
    var changedPeerCount: Int { content.withLock { $0.changes.peers.count } }

    // MARK: Identities

    package func identifier(for address: DeviceAddress) -> PeerIdentifier {
        content.withLock { content in
            content.store.peers[address]?.identifier ?? content.cipher(key).identifier(for: address)
        }
    }

    package func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        content.withLock { content in content.addresses[identifier] ?? content.cipher(key).address(of: identifier) }
    }

    package func identity(for address: DeviceAddress) -> AdvertiserIdentity {
        content.withLock { content in
            guard let stored = content.store.peers[address] else { return AdvertiserIdentity(computedFrom: address) }
            return content.cipher(key).identity(of: stored.identifier)
        }
    }

    package func identity(of identifier: PeerIdentifier) -> AdvertiserIdentity {
        content.withLock { $0.cipher(key) }.identity(of: identifier)
    }

    package func computedIdentifier(for address: DeviceAddress) -> PeerIdentifier {
        content.withLock { $0.cipher(key) }.identifier(for: address)
    }

    package func remember(_ address: DeviceAddress, _ names: PeerNames) {
        let identifier = self.identifier(for: address)
        change { content in
            let known = content.store.peers[address]
            let forgotten = content.store.meet(
                Peer(
                    address: address, identifier: identifier, deviceName: names.deviceName ?? known?.deviceName,
                    advertisedName: names.advertisedName ?? known?.advertisedName, lastMeeting: 0))
            content.forget(forgotten)
            content.addresses[identifier] = address
            content.changes.peers.insert(address)
        }
    }

    package func learn(_ identity: DeviceAddress, of identifier: PeerIdentifier) {
        change { content in
            let known = content.addresses[identifier].flatMap { content.store.peers[$0] }
            // A device has one identifier: the one before is forgotten.
            if let former = content.store.peers[identity] { content.forget([former]) }
            let forgotten = content.store.meet(
                Peer(
                    address: identity, identifier: identifier, deviceName: known?.deviceName,
                    advertisedName: known?.advertisedName, lastMeeting: 0))
            content.forget(forgotten)
            content.addresses[identifier] = identity
            content.changes.peers.insert(identity)
            content.changes.identifiedPeers.insert(identity)
        }
    }

    package var knownNames: [PeerIdentifier: PeerNames] {
        content.withLock { content in
            var names: [PeerIdentifier: PeerNames] = [:]
            for peer in content.store.peers.values {
                names[peer.identifier] = PeerNames(deviceName: peer.deviceName, advertisedName: peer.advertisedName)
            }
            return names
        }
    }

    // MARK: Restoration

    package func central(_ identifier: String) -> CentralRestoration? {
        restored(ManagerKey(role: .central, identifier: identifier))
    }

    package func peripheral(_ identifier: String) -> PeripheralRestoration? {
        restored(ManagerKey(role: .peripheral, identifier: identifier))
    }

    package func keep(_ state: CentralRestoration?, of identifier: String) {
        keep(state?.encoded, ManagerKey(role: .central, identifier: identifier))
    }

    package func keep(_ state: PeripheralRestoration?, of identifier: String) {
        keep(state?.encoded, ManagerKey(role: .peripheral, identifier: identifier))
    }

    package func record(of peer: PeerIdentifier) -> PeerRecord {
        let known = content.withLock { content in content.addresses[peer].flatMap { content.store.peers[$0] } }
        return PeerRecord(identifier: peer, name: known?.deviceName ?? known?.advertisedName)
    }

    private func restored<State: StoreCodable>(_ key: ManagerKey) -> State? {
        guard let octets = content.withLock({ $0.store.managers[key] }) else { return nil }
        do throws(DecodeError) {
            return try State(decoding: octets[...])
        } catch {
            log.warning("The restoration state of \"\(key.identifier)\" cannot be decoded and is not used.")
            return nil
        }
    }

    private func keep(_ octets: [UInt8]?, _ key: ManagerKey) {
        change { content in
            content.ownManagers.insert(key)
            guard content.store.managers[key] != octets else { return }
            content.store.managers[key] = octets
            content.changes.managers.insert(key)
        }
    }

    // MARK: Writing

    /// Applies a change in memory, and schedules a write if there are files.
    private func change(_ body: (inout Content) -> Void) {
        let hasFile = file.withLock { $0 != nil }
        let isNewlyDue = content.withLock { content in
            body(&content)
            guard hasFile else {
                content.changes = Changes()
                return false
            }
            return !content.changes.isEmpty && content.schedule.setTimer()
        }
        if isNewlyDue { writeLater(Self.writeDelay) }
    }

    private func writeLater(_ delay: TimeSpan) {
        guard let queue else { return }
        timer(delay, queue) { [self] in
            content.withLock { $0.schedule.timerFired(immediately: false) }
            write()
        }
    }

    /// Writes all changes now. Blocks until they are on the disk or the write has failed.
    package func flush() {
        queue?.sync {
            write()
            bonds.write()
        }
    }

    /// Merges the changes into the file. Entries of other processes for other devices and managers stay.
    private func write() {
        guard let file = file.withLock({ $0 }) else { return }
        let (store, changes, own, isKeyUnwritten) = content.withLock { content in
            defer { content.changes = Changes() }
            return (content.store, content.changes, content.ownManagers, content.unwrittenKey != nil)
        }
        guard !changes.isEmpty || isKeyUnwritten else { return }
        do throws(StoreError) {
            let isWritten = try file.update(key, isKeyUnwritten: isKeyUnwritten) { current in
                var merged = current ?? store
                for peer in store.peersByMeeting where changes.peers.contains(peer.address) {
                    // A program may hold the identifier in the file. A run that could not read the key must not replace
                    // it. A pairing replaces it, because programs see the identifier of the paired device from then on.
                    var peer = peer
                    if !changes.identifiedPeers.contains(peer.address), let known = merged.peers[peer.address] {
                        peer.identifier = known.identifier
                    }
                    merged.meet(peer)
                }
                for key in changes.managers { merged.managers[key] = store.managers[key] }
                merged.trim(keeping: own)
                return merged
            }
            if isWritten { writeSucceeded() } else { self.file.withLock { $0 = nil } }
        } catch {
            writeFailed(error, changes)
        }
    }

    private func writeSucceeded() {
        let isRecovery = content.withLock { content in
            content.unwrittenKey = nil
            return content.schedule.succeed()
        }
        // Logs at the level of the warning that it ends.
        if isRecovery {
            log.warning("The Bluetooth store can be written again; the changes made meanwhile are saved.")
        }
    }

    /// Restores the pending changes and schedules another write.
    private func writeFailed(_ failure: StoreError, _ changes: Changes) {
        let (failures, retry, isNewlyDue) = content.withLock { content in
            content.changes.restore(changes)
            let retry = content.schedule.fail()
            return (content.schedule.failures, retry, content.schedule.setTimer())
        }
        if failures == 1 { log.warning("\(failure) \(Self.consequence)") }
        if isNewlyDue { writeLater(retry) }
    }
}

extension StoreKey {
    /// A key from the system's random number generator.
    static var random: StoreKey {
        var random = SystemRandomNumberGenerator()
        return StoreKey(using: &random)
    }
}
