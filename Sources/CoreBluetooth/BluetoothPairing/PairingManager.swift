package import BLEAdapter
internal import BLERuntime
import Dispatch
import Foundation

/// Pairs with devices, lets an agent answer for the user, and lists the devices whose keys this host keeps.
///
/// CoreBluetooth has no such API, because on Apple's systems the system shows the dialogs and lists the devices. On Linux the
/// program has to do both, so this module stands beside CoreBluetooth and adds nothing to its names.
///
/// ```swift
/// final class LockOpener: NSObject, CBCentralManagerDelegate {
///     private let pairing = PairingManager()
///
///     func centralManagerDidUpdateState(_ central: CBCentralManager) {}
///
///     func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
///         pairing.pair(peripheral.identifier, minimum: .authenticated) { result in
///             switch result {
///             case .success(let security): print("encrypted with a key of \(security.keySize) octets")
///             case .failure(let error): print(error.localizedDescription)
///             }
///         }
///     }
/// }
/// ```
///
/// ``setAgent(_:decidesAboutRequests:)`` gives it the user's display and keys.
///
/// A manager without an agent pairs like a device without display and keys. A pairing also begins without a call: if the other
/// device requests it, or if an attribute requires encryption.
public final class PairingManager: Sendable {
    private let core: PairingCore
    private let session: any PairingSession

    /// Creates a manager for the Bluetooth adapter that a `CBCentralManager` created in the same place would use.
    ///
    /// - Parameter queue: The queue of the agent and of completion handlers; nil selects the main queue.
    public convenience init(queue: DispatchQueue? = nil) {
        self.init(adapter: AdapterBinding.current(), queue: queue)
    }

    package init(adapter: any BluetoothAdapter, queue: DispatchQueue?) {
        core = PairingCore(scheduler: adapter.callbackScheduler, queue: queue ?? .main)
        session = adapter.openPairing(observer: core)
        core.connect(session)
    }

    /// Cancels the calls that wait for an end.
    deinit { core.close() }

    // MARK: The agent

    /// Sets the agent that answers for the user; nil removes it, which cancels the pairings that wait for its answer. The
    /// manager keeps a reference to the agent.
    ///
    /// If several programs or managers that share a host have agents, the last one that was set receives the prompts. A change
    /// applies to pairings that begin later.
    ///
    /// - Parameters:
    ///   - agent: The agent.
    ///   - decidesAboutRequests: Whether the agent decides about each pairing that another device requests
    ///     (``PairingPrompt/accept(_:)``). False accepts them all.
    public func setAgent(_ agent: (any PairingAgent)?, decidesAboutRequests: Bool = true) {
        core.setAgent(agent)
        session.setAgent(
            agent.map {
                PairingAgentCapability(
                    ioCapability: $0.capability.ioCapability, acceptsPairings: decidesAboutRequests)
            })
    }

    /// Changes the requirements on pairings that begin later. Kept keys stay.
    public func setRequirements(_ requirements: PairingRequirements) { session.setPolicy(requirements.policy) }

    // MARK: Pairing

    /// Encrypts the link with a connected device: with the kept keys if they suffice, otherwise by pairing.
    ///
    /// The device has to be connected. If it has deleted its keys, the call fails with ``PairingError/Code/keyMissing``: this host
    /// never replaces keys by itself, because another device could use the address. Cancelling the task cancels the pairing.
    ///
    /// - Parameters:
    ///   - identifier: The `identifier` of a `CBPeripheral` or `CBCentral`.
    ///   - minimum: The least protection of the link.
    /// - Returns: The protection of the link.
    @discardableResult
    public func pair(
        _ identifier: UUID, minimum: PairingSecurity.Level = .encrypted
    ) async throws(PairingError) -> PairingSecurity {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pair(identifier, minimum: minimum) { continuation.resume(returning: $0) }
                if Task.isCancelled { cancelPairing(with: identifier) }
            }
        } onCancel: {
            cancelPairing(with: identifier)
        }
        return try result.get()
    }

    /// Does the same as ``pair(_:minimum:)`` and calls `completion` on the manager's queue.
    ///
    /// In a simulated world, this form keeps the order of events: virtual time stands still until `completion` returns.
    public func pair(
        _ identifier: UUID, minimum: PairingSecurity.Level = .encrypted,
        completion: @escaping @Sendable (Result<PairingSecurity, PairingError>) -> Void
    ) {
        let peer = PeerIdentifier(identifier)
        core.await(peer, minimum: minimum, completion)
        session.pair(peer, minimum: minimum.linkLevel)
    }

    /// Ends a running pairing. ``pair(_:minimum:)`` then fails with ``PairingError/Code/cancelled``.
    public func cancelPairing(with identifier: UUID) {
        let peer = PeerIdentifier(identifier)
        core.cancel(peer)
        session.cancelPairing(with: peer)
    }

    // MARK: Out-of-band data

    /// Draws data by which another device authenticates this one, for a transfer over another channel such as NFC.
    ///
    /// Data of LE Secure Connections serves the next pairing whose peer has it, successful or failed, and new data replaces
    /// it: the other device then receives the random value, and the key pair behind the commitment must not serve twice (Vol 3, Part
    /// H, 2.3.6). A pairing with a peer that has older data fails. Data of legacy pairing applies when both devices set it
    /// with ``setOutOfBandData(_:of:)``.
    ///
    /// - Parameter kind: The kind of pairing that uses the data.
    /// - Returns: Nil if the adapter cannot pair.
    public func makeOutOfBandData(_ kind: OutOfBandData.Kind = .secureConnections) async -> OutOfBandData? {
        await withCheckedContinuation { continuation in
            makeOutOfBandData(kind) { continuation.resume(returning: $0) }
        }
    }

    /// Does the same as ``makeOutOfBandData(_:)`` and calls `completion` on the manager's queue.
    public func makeOutOfBandData(
        _ kind: OutOfBandData.Kind = .secureConnections, completion: @escaping @Sendable (OutOfBandData?) -> Void
    ) {
        session.makeOutOfBandData(.init(kind)) { [core] block in
            let data = block.map { OutOfBandData($0) }
            core.post { completion(data) }
        }
    }

    /// Sets the data that another device transferred, for pairings that begin later. It lasts until a pairing with it has succeeded.
    ///
    /// With the data, a pairing is authenticated and asks no user. It fails if the other device does not prove the data
    /// (``PairingError/Code/wrongPasskey``). A temporary key selects legacy pairing, if the requirements allow that.
    ///
    /// - Parameters:
    ///   - data: The data; nil removes earlier data.
    ///   - identifier: The `identifier` of the `CBPeripheral` or `CBCentral`. Nil selects every device without data of its own: a
    ///     peripheral does not know its central before the connection.
    public func setOutOfBandData(_ data: OutOfBandData?, of identifier: UUID? = nil) {
        session.setOutOfBandData(data?.securityBlock, of: identifier.map { PeerIdentifier($0) })
    }

    // MARK: Bonds

    /// The devices whose keys this host keeps, oldest first.
    public var bonds: [PairedDevice] { session.bonds.map { PairedDevice($0) } }

    /// Deletes the keys of a device, what is kept of its attributes, and ends the links with it.
    ///
    /// - Returns: False if the host had no keys of the device.
    @discardableResult
    public func unpair(_ identifier: UUID) async -> Bool {
        await withCheckedContinuation { continuation in
            unpair(identifier) { continuation.resume(returning: $0) }
        }
    }

    /// Does the same as ``unpair(_:)`` and calls `completion` on the manager's queue.
    public func unpair(_ identifier: UUID, completion: @escaping @Sendable (Bool) -> Void) {
        let peer = PeerIdentifier(identifier)
        guard session.bonds.contains(where: { $0.peer.identifier == peer }) else {
            core.post { completion(false) }
            return
        }
        core.awaitRemoval(of: peer, completion)
        session.unpair(peer)
    }
}
