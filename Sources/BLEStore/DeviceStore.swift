import BLEAdapter
import BLEWire
import Dispatch
import Logging

/// What a host remembers: identities, names, and what managers with a restore identifier do. In memory, and behind that, for a
/// host of the machine, in files.
///
/// Identifiers are computed from a key, so the discovery of a device writes nothing. Names are kept from the first connection on,
/// restoration state from each call that changes it. Both go to the file a moment later, on a queue of their own, many changes in
/// one write. A write that fails is repeated, after longer and longer waits, until it succeeds; meanwhile changes are kept in memory.
package final class DeviceStore: IdentityStore, RestorationStore {
    typealias Peer = StoreContent.Peer
    typealias ManagerKey = StoreContent.ManagerKey

    private struct Content {
        var store: StoreContent
        /// The identifiers of the devices in `store`. They count more than computed ones: should the key get lost, devices that
        /// were connected keep theirs.
        var addresses: [PeerIdentifier: DeviceAddress] = [:]
        var changedPeers: Set<DeviceAddress> = []
        var changedManagers: Set<ManagerKey> = []
        /// The managers of this process.
        var ownManagers: Set<ManagerKey> = []
        /// Whether a write is going to run by itself.
        var isTimerSet = false
        /// Writes that failed in a row. The log tells of the first of them and of the end.
        var failures = 0
        /// The key, if it could not be written.
        var unwrittenKey: StoreKey?

        init(_ store: StoreContent) {
            self.store = store
            // A device that was met under its identity address too is found there.
            for peer in store.peersByMeeting { addresses[peer.identifier] = peer.address }
        }

        var hasChanges: Bool { !changedPeers.isEmpty || !changedManagers.isEmpty }

        mutating func forget(_ peers: [Peer]) {
            for peer in peers {
                if addresses[peer.identifier] == peer.address { addresses[peer.identifier] = nil }
                changedPeers.remove(peer.address)
            }
        }

        /// True if no timer was set.
        mutating func setTimer() -> Bool {
            defer { isTimerSet = true }
            return !isTimerSet
        }
    }

    /// How long changes are collected before they are written.
    private static let writeDelay = TimeSpan.milliseconds(50)
    /// How long a failed write waits to be repeated: at first, and at most.
    static let shortestRetry = TimeSpan.milliseconds(250)
    static let longestRetry = TimeSpan.seconds(60)

    /// Runs a write later, on `queue`.
    typealias Timer =
        @Sendable (_ delay: TimeSpan, _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> Void

    private let key: StoreKey
    private let cipher: IdentifierCipher
    private let content: Lock<Content>
    private let log: Logger
    /// Nil: nothing is written.
    private let file: Lock<StoreFile?>
    private let queue = DispatchQueue(label: "bluetooth.store", qos: .utility)
    private let timer: Timer

    private init(
        key: StoreKey, content: StoreContent, file: StoreFile?, log: Logger,
        timer: @escaping Timer = { delay, queue, body in
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.nanoseconds)), execute: body)
        }
    ) {
        self.key = key
        cipher = IdentifierCipher(key: key)
        self.content = Lock(Content(content))
        self.file = Lock(file)
        self.log = log
        self.timer = timer
    }

    /// A store in memory alone.
    package convenience init(key: StoreKey) {
        self.init(key: key, content: StoreContent(), file: nil, log: LibraryLog.logger())
    }

    /// The store in a directory, which is made when something is written. What cannot be read or written is named in the log,
    /// once: the adapter works all the same. A key that could not be written is tried again after a while, as changes are. A file
    /// of a later version is left alone, and the store lives in memory.
    package convenience init(directory: StoreDirectory) { self.init(directory: directory, timer: nil) }

    /// - Parameter timer: how to wait for the next attempt to write; nil: in real time.
    convenience init(directory: StoreDirectory, log: Logger = LibraryLog.logger(), timer: Timer? = nil) {
        let file = StoreFile(directory: directory, log: log)
        var failure: StoreFailure?
        var key: StoreKey?
        var unwrittenKey: StoreKey?
        do throws(StoreFailure) {
            key = try file.key()
        } catch {
            failure = error
            unwrittenKey = .random
        }
        var content = StoreContent()
        var isNewer = false
        do throws(StoreFailure) {
            switch try file.state() {
            case .value(let found): content = found
            case .absent: break
            case .newer: isNewer = true
            }
        } catch {
            failure = failure ?? error
        }
        let found = key ?? unwrittenKey ?? .random
        if let timer {
            self.init(key: found, content: content, file: isNewer ? nil : file, log: log, timer: timer)
        } else {
            self.init(key: found, content: content, file: isNewer ? nil : file, log: log)
        }
        guard let failure, !isNewer else { return }
        let isNewlyDue = self.content.withLock { content in
            content.failures = 1
            content.unwrittenKey = unwrittenKey
            return unwrittenKey != nil && content.setTimer()
        }
        log.warning("\(failure) \(Self.consequence)")
        // Identifiers come from the key alone: it has to be in the file though nothing else may ever change.
        if isNewlyDue { writeLater(Self.shortestRetry) }
    }

    private static let consequence =
        "Bluetooth works; what this program learns of devices stays in memory until the store can be written, which is tried again."

    /// A store in memory that knows what this one knows now; from then on each is for itself.
    package func copy() -> DeviceStore {
        DeviceStore(key: key, content: content.withLock { $0.store }, file: nil, log: log)
    }

    /// A number of this host's own, the same in every run.
    package func seed(for purpose: String) -> UInt64 { key.derived(for: "seed").hash(purpose.utf8) }

    /// How many identifiers of devices are kept; as many as devices.
    var knownIdentifierCount: Int { content.withLock { $0.addresses.count } }

    /// How many devices changed since they were last written; as many as are kept, at most.
    var changedPeerCount: Int { content.withLock { $0.changedPeers.count } }

    // MARK: Identities

    package func identifier(for address: DeviceAddress) -> PeerIdentifier {
        content.withLock { $0.store.peers[address]?.identifier } ?? cipher.identifier(for: address)
    }

    package func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        content.withLock { $0.addresses[identifier] } ?? cipher.address(of: identifier)
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
            content.changedPeers.insert(address)
        }
    }

    package func learn(_ identity: DeviceAddress, of identifier: PeerIdentifier) {
        change { content in
            let known = content.addresses[identifier].flatMap { content.store.peers[$0] }
            let forgotten = content.store.meet(
                Peer(
                    address: identity, identifier: identifier, deviceName: known?.deviceName,
                    advertisedName: known?.advertisedName, lastMeeting: 0))
            content.forget(forgotten)
            content.addresses[identifier] = identity
            content.changedPeers.insert(identity)
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
            log.warning("The restoration state of \"\(key.identifier)\" makes no sense and is not used.")
            return nil
        }
    }

    private func keep(_ octets: [UInt8]?, _ key: ManagerKey) {
        change { content in
            content.ownManagers.insert(key)
            guard content.store.managers[key] != octets else { return }
            content.store.managers[key] = octets
            content.changedManagers.insert(key)
        }
    }

    // MARK: Writing

    /// Carries a change out in memory and has it written, if there is a file.
    private func change(_ body: (inout Content) -> Void) {
        let hasFile = file.withLock { $0 != nil }
        let isNewlyDue = content.withLock { content in
            body(&content)
            guard hasFile else {
                content.changedPeers.removeAll()
                content.changedManagers.removeAll()
                return false
            }
            return content.hasChanges && content.setTimer()
        }
        if isNewlyDue { writeLater(Self.writeDelay) }
    }

    private func writeLater(_ delay: TimeSpan) {
        timer(delay, queue) { [self] in
            content.withLock { $0.isTimerSet = false }
            write()
        }
    }

    /// Returns when everything changed so far is in the file, or the write has failed. Waits for the disk.
    package func flush() { queue.sync { write() } }

    /// Merges the changes into the file: what other processes wrote about other devices and managers stays.
    private func write() {
        guard let file = file.withLock({ $0 }) else { return }
        let (store, peers, managers, own, key) = content.withLock { content in
            defer {
                content.changedPeers.removeAll()
                content.changedManagers.removeAll()
            }
            return (
                content.store, content.changedPeers, content.changedManagers, content.ownManagers, content.unwrittenKey
            )
        }
        guard !peers.isEmpty || !managers.isEmpty || key != nil else { return }
        do throws(StoreFailure) {
            let isWritten = try file.update(writing: key) { current in
                var merged = current ?? store
                for peer in store.peersByMeeting where peers.contains(peer.address) {
                    // An identifier in the file was given out before; it outlives a run that could not read the key.
                    var peer = peer
                    if let known = merged.peers[peer.address] { peer.identifier = known.identifier }
                    merged.meet(peer)
                }
                for key in managers { merged.managers[key] = store.managers[key] }
                merged.trim(keeping: own)
                return merged
            }
            if isWritten { writeSucceeded() } else { self.file.withLock { $0 = nil } }
        } catch {
            writeFailed(error, peers, managers)
        }
    }

    private func writeSucceeded() {
        let failures = content.withLock { content in
            defer {
                content.failures = 0
                content.unwrittenKey = nil
            }
            return content.failures
        }
        // As loud as the complaint that it ends.
        if failures > 0 { log.warning("The Bluetooth store can be written again, and holds what happened meanwhile.") }
    }

    /// Puts the changes back and tries again later.
    private func writeFailed(_ failure: StoreFailure, _ peers: Set<DeviceAddress>, _ managers: Set<ManagerKey>) {
        let (failures, isNewlyDue) = content.withLock { content in
            content.changedPeers.formUnion(peers)
            content.changedManagers.formUnion(managers)
            content.failures += 1
            return (content.failures, content.setTimer())
        }
        if failures == 1 { log.warning("\(failure) \(Self.consequence)") }
        guard isNewlyDue else { return }
        let retry = TimeSpan(nanoseconds: Self.shortestRetry.nanoseconds << min(failures - 1, 8))
        writeLater(min(retry, Self.longestRetry))
    }
}

extension StoreKey {
    /// One that nobody can foresee.
    static var random: StoreKey {
        var random = SystemRandomNumberGenerator()
        return StoreKey(using: &random)
    }
}
