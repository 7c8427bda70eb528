internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// Publishes services and advertises them.
///
/// The manager uses the virtual device in whose scope it is created, else the machine's adapter; see ``CBCentralManager``. The
/// manager's release ends its advertising and removes its services.
open class CBPeripheralManager: CBManager {
    let core: PeripheralCore

    /// Creates a manager without a delegate. Callbacks run on the main queue.
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - delegate: The object that receives the manager's events. The manager keeps a weak reference.
    ///   - queue: The queue on which the manager calls its delegate; nil is the main queue.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - delegate: The object that receives the manager's events. The manager keeps a weak reference.
    ///   - queue: The queue on which the manager calls its delegate; nil is the main queue. A serial queue keeps the callbacks in
    ///     order.
    ///   - options: `CBPeripheralManagerOption` keys. On Linux only ``CBPeripheralManagerOptionRestoreIdentifierKey`` has an
    ///     effect.
    public init(
        delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil
    ) {
        let dispatcher = CallbackDispatcher(adapter: AdapterBinding.current(), queue: queue)
        core = PeripheralCore(
            dispatcher: dispatcher, delegate: delegate, restorer: PeripheralRestorer(options, dispatcher.adapter))
        super.init(source: core)
        core.start(self)
    }

    deinit { core.close() }

    /// The object that receives the manager's events. A change applies to events delivered after it.
    open var delegate: (any CBPeripheralManagerDelegate)? {
        get { core.delegate }
        set { core.guarded.withLock { $0.delegate = newValue } }
    }

    /// Whether the manager advertises.
    open var isAdvertising: Bool { core.guarded.withLock { $0.isAdvertising } }

    /// The older form of ``CBManager/authorization-type.property``, deprecated since iOS 13. Always `.authorized` on Linux.
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus { .authorized }

    /// Starts to advertise. One peripheralManagerDidStartAdvertising follows. Its error is `.alreadyAdvertising` if an earlier
    /// start has not been stopped.
    ///
    /// If ``stopAdvertising()`` ends the start before the controller has answered, the callback still follows, without an error,
    /// and ``isAdvertising`` is false. Apple does not document this case.
    ///
    /// The controller sends one legacy advertisement. If several managers of this machine's adapter advertise, it has the services of all of them, in the order
    /// of the starts, and the first of their names.
    ///
    /// - Parameter advertisementData: ``CBAdvertisementDataLocalNameKey`` and ``CBAdvertisementDataServiceUUIDsKey``, and the
    ///   dictionary that `CLBeaconRegion.peripheralData(withMeasuredPower:)` returns on Apple's systems: its key
    ///   `kCBAdvDataAppleBeaconKey` has the 21 octets of an iBeacon. Other keys are ignored with a line in the log. Data that does
    ///   not fit is shortened or omitted without an error.
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        let data = advertisementData ?? [:]
        let allowed = [CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey, Self.appleBeaconKey]
        for key in data.keys.sorted() where !allowed.contains(key) {
            APIMisuse.warn("the advertisement key '\(key)' is not allowed and is left out")
        }
        var advertisement = Advertisement(
            localName: data.text(CBAdvertisementDataLocalNameKey),
            services: data.uuids(CBAdvertisementDataServiceUUIDsKey).map(\.value))
        if let beacon = data[Self.appleBeaconKey] {
            if let octets = beacon as? Data, octets.count == 21 {
                // Manufacturer data of Apple, type 2, length 21.
                advertisement.structures = [.init(type: 0xFF, octets: [0x4C, 0x00, 0x02, 0x15] + octets)]
            } else {
                APIMisuse.warn(
                    "the value of '\(Self.appleBeaconKey)' is not the 21 octets of an iBeacon and is left out")
            }
        }
        startAdvertising(advertisement)
    }

    /// The key of `CLBeaconRegion.peripheralData(withMeasuredPower:)`.
    private static let appleBeaconKey = "kCBAdvDataAppleBeaconKey"

    /// Starts to advertise content that the public method does not accept.
    package func startAdvertising(_ advertisement: Advertisement) {
        guard let session = core.sessionForCommand(description) else { return }
        // A second call has no effect; its callback carries an error.
        let isNew = core.guarded.withLock { state in
            defer { state.wantsAdvertising = true }
            return !state.wantsAdvertising
        }
        // The store has no place for further structures and for PHYs.
        let isPlain = advertisement.structures.isEmpty && advertisement.extended == nil
        if isNew { core.restorer?.advertisementChanged(isPlain ? advertisement : nil) }
        session.startAdvertising(advertisement)
    }

    /// Ends advertising. No callback follows.
    open func stopAdvertising() {
        guard let session = core.sessionForCommand(description) else { return }
        core.guarded.withLock { state in
            state.wantsAdvertising = false
            state.isAdvertising = false
            state.isRestoringAdvertisement = false
        }
        core.restorer?.advertisementChanged(nil)
        session.stopAdvertising()
    }

    /// Requests another connection interval from a client. The client decides, and no callback reports the result.
    ///
    /// - Parameters:
    ///   - latency: The requested latency.
    ///   - central: The client.
    open func setDesiredConnectionLatency(
        _ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral
    ) {
        guard let session = core.sessionForCommand(description) else { return }
        guard let requested = RequestedLatency(rawValue: latency.rawValue) else {
            return APIMisuse.log("\(latency.rawValue) is not a connection latency")
        }
        session.setLatency(requested, of: central.peer)
    }

    /// Publishes a service with its characteristics and descriptors. One didAdd follows. Later changes of the objects have no
    /// effect.
    ///
    /// - Parameter service: The service. Add the services that it includes first.
    ///
    /// The program ends if a service is added twice, or if a static value is not read-only, as with an exception of Apple's
    /// framework; ``add(validating:)`` throws instead. The error of didAdd reports other faults: `.uuidNotAllowed` for a service
    /// that the system owns in its 16-bit form, `.invalidParameters` for unsupported properties, descriptors or included services.
    open func add(_ service: CBMutableService) {
        do throws(ServiceBlueprint.DefinitionError) {
            try publish(service)
        } catch {
            switch error {
            case .exception(let sentence): APIMisuse.trap(sentence)
            case .error: break
            }
        }
    }

    /// Removes a service. Connected clients receive a notice of the change. Subscriptions to the service's characteristics end,
    /// with one didUnsubscribeFrom each.
    ///
    /// - Parameter service: A published service. If another service includes it, remove that one first.
    open func remove(_ service: CBMutableService) {
        guard let session = core.sessionForCommand(description) else { return }
        let (token, isIncluded) = core.guarded.withLock { state in
            let token = state.tokens[ObjectIdentifier(service)]
            return (
                token, token.map { token in state.services.values.contains { $0.included.contains(token) } } ?? false
            )
        }
        guard let token else { return }
        guard !isIncluded else {
            return APIMisuse.log("\(service) is included by another service, which has to be removed first")
        }
        core.withdraw(token, notifiesDelegate: true)
        session.remove(token: token)
    }

    /// Removes all services of this manager. Connected clients receive one notice for each range of services that no other
    /// manager's service divides. Subscriptions end as with ``remove(_:)``.
    open func removeAllServices() {
        guard let session = core.sessionForCommand(description) else { return }
        core.forgetServices(notifiesDelegate: true)
        session.removeAll()
    }

    /// Answers a request. The manager accepts one answer. The answer to the first request of a write answers all of its requests.
    /// Writes without response need no answer.
    ///
    /// A value has at most 512 octets (Core Specification, Vol 3, Part F, 3.2.9). If ``CBATTRequest/value`` reaches beyond them,
    /// counted from the start of the characteristic's value, the client receives `CBATTError.invalidAttributeValueLength`, and the
    /// log gets a line. A truncated value would look complete to the client.
    ///
    /// - Parameters:
    ///   - request: A request that the delegate received.
    ///   - result: `.success`, or the reason of the refusal.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        let pending = request.pending
        guard pending.core === core else {
            return APIMisuse.log("\(request) was received by another manager than \(self)")
        }
        guard pending.needsResponse else { return }
        guard pending.answer() else { return APIMisuse.log("\(request) has been answered already") }
        var result = result
        var value = pending.isRead && result == .success ? [UInt8](request.value ?? Data()) : nil
        if let count = value?.count, request.offset + count > CBATTRequest.longestValue {
            APIMisuse.log(
                "the value of \(request) has \(count) octets from offset \(request.offset) on; a characteristic's value has "
                    + "\(CBATTRequest.longestValue) at most, so the read is refused")
            (result, value) = (.invalidAttributeValueLength, nil)
        }
        core.session?.respond(
            to: pending.identifier,
            error: UInt8(exactly: result.rawValue) ?? UInt8(CBATTError.Code.unlikelyError.rawValue), value: value)
    }

    /// Sends a value to subscribed clients, as a notification or an indication according to each subscription.
    ///
    /// - Parameters:
    ///   - value: The value. For each client it is truncated to ``CBCentral/maximumUpdateValueLength``.
    ///   - characteristic: A characteristic of a published service.
    ///   - centrals: The clients. Clients without a subscription are ignored. Nil selects all subscribed clients.
    /// - Returns: False if the transmit queues of all these clients are full. In that case none receives the value, and
    ///   peripheralManagerIsReady(toUpdateSubscribers:) follows when one of the queues has space. A client whose queue is full beside others gets the
    ///   value later; beyond 1,024 of them they are dropped for it, with a line in the log. Also false, with a line in the log, if
    ///   the characteristic is not published or the manager is not powered on.
    open func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        guard let session = core.sessionForCommand(description) else { return false }
        guard let reference = core.reference(to: characteristic) else {
            APIMisuse.log("\(characteristic) is not part of a service that was added")
            return false
        }
        return session.update(value.span, of: reference, centrals: centrals?.map(\.peer))
    }

    /// Publishes an L2CAP service under a PSM that the host chooses. didPublishL2CAPChannel reports it.
    ///
    /// - Parameter encryptionRequired: Whether clients need an encrypted link. The host refuses other clients; they can pair and try
    ///   again, as Apple's systems do by themselves.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
        core.sessionForCommand(description)?.publishChannel(requiresEncryption: encryptionRequired)
    }

    /// Removes an L2CAP service and closes its open channels. didUnpublishL2CAPChannel follows.
    ///
    /// - Parameter PSM: The PSM of the service.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
        core.sessionForCommand(description)?.unpublishChannel(psm: PSM)
    }
}
