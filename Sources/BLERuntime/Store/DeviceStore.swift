import BLEWire
import Dispatch
import Logging
import Synchronization

/// What a host remembers: identities, names, and what managers with a restore identifier do. In memory, and behind that, for a
/// host of the machine, in files.
///
/// Identifiers are computed from a key, so the discovery of a device writes nothing. Names are kept from the first connection on,
/// restoration state from each call that changes it. Both go to the file a moment later, on a queue of their own, many changes in
/// one write.
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
        var isWriteDue = false

        init(_ store: StoreContent) {
            self.store = store
            for peer in store.peers.values { addresses[peer.identifier] = peer.address }
        }

        var hasChanges: Bool { !changedPeers.isEmpty || !changedManagers.isEmpty }
    }

    /// How long changes are collected before they are written.
    private static let writeDelay = DispatchTimeInterval.milliseconds(50)

    private let key: StoreKey
    private let cipher: IdentifierCipher
    private let content: Mutex<Content>
    private let log: Logger
    /// Nil: nothing is written. Touched on `queue` alone, but for the initialiser.
    private let file: Mutex<StoreFile?>
    private let queue = DispatchQueue(label: "bluetooth.store", qos: .utility)

    private init(key: StoreKey, content: StoreContent, file: StoreFile?, log: Logger) {
        self.key = key
        cipher = IdentifierCipher(key: key)
        self.content = Mutex(Content(content))
        self.file = Mutex(file)
        self.log = log
    }

    /// A store in memory alone.
    package convenience init(key: StoreKey) {
        self.init(key: key, content: StoreContent(), file: nil, log: Logger(label: "bluetooth"))
    }

    /// The store in a directory, which is made when something is written. What cannot be read or must not be written is named in
    /// the log, once, and the store lives in memory: the adapter works all the same.
    package convenience init(directory: StoreDirectory, log: Logger = Logger(label: "bluetooth")) {
        let file = StoreFile(directory: directory, log: log)
        do throws(StoreFailure) {
            let key = try file.key()
            switch try file.state() {
            case .value(let content): self.init(key: key ?? .random, content: content, file: file, log: log)
            case .absent: self.init(key: key ?? .random, content: StoreContent(), file: file, log: log)
            case .newer: self.init(key: key ?? .random, content: StoreContent(), file: nil, log: log)
            }
        } catch {
            log.warning("\(error) Bluetooth works, but device identifiers and names last only as long as this program.")
            self.init(key: .random, content: StoreContent(), file: nil, log: log)
        }
    }

    /// A store in memory that knows what this one knows now; from then on each is for itself.
    package func copy() -> DeviceStore {
        DeviceStore(key: key, content: content.withLock { $0.store }, file: nil, log: log)
    }

    /// A number of this host's own, the same in every run.
    func seed(for purpose: String) -> UInt64 { key.derived(for: "seed").hash(purpose.utf8) }

    /// How many identifiers of devices are kept; as many as devices.
    var knownIdentifierCount: Int { content.withLock { $0.addresses.count } }

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
            for peer in forgotten { content.addresses[peer.identifier] = nil }
            content.addresses[identifier] = address
            content.changedPeers.insert(address)
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
            defer { content.isWriteDue = content.hasChanges }
            return content.hasChanges && !content.isWriteDue
        }
        guard isNewlyDue else { return }
        queue.asyncAfter(deadline: .now() + Self.writeDelay) { [self] in write() }
    }

    /// Returns when everything changed so far is in the file, or cannot be. Waits for the disk.
    package func flush() { queue.sync { write() } }

    /// Merges the changes into the file: what other processes wrote about other devices and managers stays.
    private func write() {
        guard let file = file.withLock({ $0 }) else { return }
        let (store, peers, managers, own) = content.withLock { content in
            defer {
                content.changedPeers.removeAll()
                content.changedManagers.removeAll()
                content.isWriteDue = false
            }
            return (content.store, content.changedPeers, content.changedManagers, content.ownManagers)
        }
        guard !peers.isEmpty || !managers.isEmpty else { return }
        do throws(StoreFailure) {
            let isWritten = try file.update { current in
                var merged = current ?? store
                for peer in store.peersByMeeting where peers.contains(peer.address) { merged.meet(peer) }
                for key in managers { merged.managers[key] = store.managers[key] }
                merged.trim(keeping: own)
                return merged
            }
            if !isWritten { self.file.withLock { $0 = nil } }
        } catch {
            log.warning("\(error) What this program learns of devices lasts only as long as it runs.")
            self.file.withLock { $0 = nil }
        }
    }
}

extension StoreKey {
    /// One that nobody can foresee.
    static var random: StoreKey {
        var random = SystemRandomNumberGenerator()
        return StoreKey(using: &random)
    }
}
