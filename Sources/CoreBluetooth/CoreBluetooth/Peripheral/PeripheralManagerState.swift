internal import BLERuntime
import BLEAdapter

/// The state of a peripheral manager.
struct PeripheralManagerState: ManagerState {
    struct PublishedService {
        let object: CBMutableService
        let characteristics: [CBMutableCharacteristic]
        let included: [Int]
    }

    final class WeakCentral {
        weak let object: CBCentral?
        init(_ object: CBCentral) { self.object = object }
    }

    struct SubscriptionKey: Hashable {
        let peer: PeerIdentifier
        let characteristic: CharacteristicReference
    }

    /// The changes of one subscription whose callbacks have not run.
    struct PendingSubscriptions {
        /// The changes with a callback of their own.
        private var count = 0
        private var isOn = false
        private static let limit = 16

        /// Whether the change gets a callback of its own.
        mutating func add(_ isOn: Bool) -> Bool {
            self.isOn = isOn
            guard count < Self.limit else { return false }
            count += 1
            return true
        }

        /// Removes a callback that has run, or that was dropped. Returns the latest state if no other callback is pending.
        mutating func removeFirst() -> Bool? {
            count -= 1
            return count == 0 ? isOn : nil
        }
    }

    weak var manager: CBPeripheralManager?
    weak var delegate: (any CBPeripheralManagerDelegate)?
    var session: (any PeripheralSession)?
    var state = CBManagerState.unknown
    var isStateKnown = false
    var missedState: CBManagerState?
    /// Whether the program has started advertising and not stopped it.
    var wantsAdvertising = false
    var isAdvertising = false
    var services: [Int: PublishedService] = [:]
    var tokens: [ObjectIdentifier: Int] = [:]
    var references: [ObjectIdentifier: CharacteristicReference] = [:]
    var nextToken = 1
    var centrals: [PeerIdentifier: WeakCentral] = [:]
    var pendingSubscriptions: [SubscriptionKey: PendingSubscriptions] = [:]
    /// Whether a callback about room for updates is pending.
    var isReadyPending = false
    /// The restored state of an earlier run, until the adapter is powered on for the first time.
    var restoring: PeripheralRestoration?
    /// Restored services whose publication the adapter has not confirmed.
    var restoredTokens: Set<Int> = []
    /// Whether the adapter has not confirmed the start of restored advertising.
    var isRestoringAdvertisement = false

    struct Watched: Equatable {
        let state: CBManagerState
        let isAdvertising: Bool
    }

    var watched: Watched { Watched(state: state, isAdvertising: isAdvertising) }

    /// Removes a pending callback about a subscription. Returns the latest state if no other one is pending.
    mutating func removePendingSubscription(_ key: SubscriptionKey) -> Bool? {
        let last = pendingSubscriptions[key]?.removeFirst()
        if last != nil { pendingSubscriptions[key] = nil }
        return last
    }

    func characteristic(_ reference: CharacteristicReference) -> CBMutableCharacteristic? {
        guard let characteristics = services[reference.service]?.characteristics,
            characteristics.indices.contains(reference.index)
        else { return nil }
        return characteristics[reference.index]
    }
}
