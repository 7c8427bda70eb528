#if !canImport(Darwin)
internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// What a peripheral manager is behind its public face: the session, the services that were added, the clients.
final class PeripheralCore: @unchecked Sendable {
    struct PublishedService {
        let object: CBMutableService
        let characteristics: [CBMutableCharacteristic]
        let included: [Int]
    }

    final class WeakCentral {
        weak let object: CBCentral?
        init(_ object: CBCentral) { self.object = object }
    }

    struct State: WatchedState {
        struct SubscriptionKey: Hashable {
            let peer: PeerIdentifier
            let characteristic: CharacteristicReference
        }

        /// Changes of one subscription that the delegate has not heard of.
        struct WaitingSubscriptions {
            /// Those that are told one by one.
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

            /// After a callback: how it stands now, if no other callback follows.
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
        var wantsAdvertising = false
        var isAdvertising = false
        var services: [Int: PublishedService] = [:]
        var tokens: [ObjectIdentifier: Int] = [:]
        var references: [ObjectIdentifier: CharacteristicReference] = [:]
        var nextToken = 1
        var centrals: [PeerIdentifier: WeakCentral] = [:]
        var waitingSubscriptions: [SubscriptionKey: WaitingSubscriptions] = [:]
        /// Whether the delegate is about to hear that there is room for updates.
        var isReadyOnItsWay = false
        /// What an earlier run did, until the adapter is powered on for the first time.
        var restoring: PeripheralRestoration?
        /// Restored services whose publication has not been answered.
        var restoredTokens: Set<Int> = []
        /// Whether the start of restored advertising has not been answered.
        var isRestoringAdvertisement = false

        struct Watched: Equatable {
            let state: CBManagerState
            let isAdvertising: Bool
        }

        var watched: Watched { Watched(state: state, isAdvertising: isAdvertising) }

        func characteristic(_ reference: CharacteristicReference) -> CBMutableCharacteristic? {
            guard let characteristics = services[reference.service]?.characteristics,
                characteristics.indices.contains(reference.index)
            else { return nil }
            return characteristics[reference.index]
        }
    }

    let delivery: Delivery
    let guarded: ObservedLock<State>
    /// Nil without a restore identifier.
    let restorer: PeripheralRestorer?

    init(delivery: Delivery, delegate: (any CBPeripheralManagerDelegate)?, restorer: PeripheralRestorer? = nil) {
        self.delivery = delivery
        self.restorer = restorer
        guarded = ObservedLock(State(delegate: delegate))
    }

    /// Held while the session is opened: the first callback may come on another thread before it is known here.
    private let opening = Lock(())

    /// Opens the session, once the manager is complete.
    func start(_ manager: CBPeripheralManager) {
        guarded.withLock { $0.manager = manager }
        opening.withLock { _ in
            let session = delivery.adapter.openPeripheral(observer: self)
            guarded.withLock { $0.session = session }
        }
    }

    /// Returns when the session is known.
    func awaitStart() {
        opening.withLock { _ in }
    }

    /// The manager is gone: ends its advertising and takes its services away.
    func close() {
        let session = guarded.withLock { state in
            let session = state.session
            state.session = nil
            return session
        }
        withExtendedLifetime(session) {}
        forgetServices()
        restorer?.forget()
    }

    var manager: CBPeripheralManager? { guarded.withLock { $0.manager } }
    var delegate: (any CBPeripheralManagerDelegate)? { guarded.withLock { $0.delegate } }
    var session: (any PeripheralSession)? { guarded.withLock { $0.session } }
    var state: CBManagerState { guarded.withLock { $0.state } }

    /// The session, if commands are accepted; else says so and gives nil.
    func sessionForCommand(_ caller: @autoclosure () -> String) -> (any PeripheralSession)? {
        let (state, session) = guarded.withLock { ($0.state, $0.session) }
        guard state == .poweredOn else {
            APIMisuse.log("\(caller()) can only accept this command while in the powered on state")
            return nil
        }
        return session
    }
}

extension PeripheralCore {
    /// The object for a client: the one that somebody keeps, or a new one.
    func central(for record: CentralRecord) -> CBCentral {
        let central = guarded.withLock { state in
            if let known = state.centrals[record.identifier]?.object { return known }
            // Clients come and go with new identifiers; whoever is kept by nobody is forgotten on the way.
            if state.centrals.count >= 64 { state.centrals = state.centrals.filter { $0.value.object != nil } }
            let new = CBCentral(record)
            state.centrals[record.identifier] = WeakCentral(new)
            return new
        }
        central.updateLength.withLock { $0 = record.maximumUpdateLength }
        return central
    }

    func characteristic(_ reference: CharacteristicReference) -> CBMutableCharacteristic? {
        guarded.withLock { $0.characteristic(reference) }
    }

    func reference(to characteristic: CBMutableCharacteristic) -> CharacteristicReference? {
        guarded.withLock { $0.references[ObjectIdentifier(characteristic)] }
    }

    /// Takes up a service under a new token.
    func publish(_ service: CBMutableService, included: [Int]) -> Int {
        let characteristics = (service.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }
        return guarded.withLock { state in
            let token = state.nextToken
            state.nextToken += 1
            state.tokens[ObjectIdentifier(service)] = token
            state.services[token] = PublishedService(
                object: service, characteristics: characteristics, included: included)
            for (index, characteristic) in characteristics.enumerated() {
                state.references[ObjectIdentifier(characteristic)] = CharacteristicReference(
                    service: token, index: index)
            }
            return token
        }
    }

    /// Forgets a service. Its subscriptions end with it.
    ///
    /// - Parameter isTold: whether the delegate hears of each subscription that ends.
    @discardableResult
    func withdraw(_ token: Int, isTold: Bool = false) -> CBMutableService? {
        let service = guarded.withLock { state in
            let service = state.services.removeValue(forKey: token)
            if let service {
                state.tokens[ObjectIdentifier(service.object)] = nil
                for characteristic in service.characteristics {
                    state.references[ObjectIdentifier(characteristic)] = nil
                }
            }
            return service
        }
        for characteristic in service?.characteristics ?? [] {
            if isTold { endSubscriptions(of: characteristic) } else { characteristic.removeAllSubscribers() }
        }
        restorer?.withdrew(token)
        return service?.object
    }

    /// Subscriptions and ends of subscriptions that are still on their way find no characteristic any more: the delegate hears of
    /// one end for each subscriber that it knows.
    private func endSubscriptions(of characteristic: CBMutableCharacteristic) {
        let centrals = characteristic.subscribedCentrals ?? []
        characteristic.removeAllSubscribers()
        for central in centrals {
            delivery.post { [self] in
                guard let manager else { return }
                delegate?.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristic)
            }
        }
    }

    func forgetServices(isTold: Bool = false) {
        for token in guarded.withLock({ $0.services.keys.sorted() }) { withdraw(token, isTold: isTold) }
    }
}
#endif
