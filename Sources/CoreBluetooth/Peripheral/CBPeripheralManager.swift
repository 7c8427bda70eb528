#if !canImport(Darwin)
internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// Offers services to other devices and advertises them.
///
/// Like ``CBCentralManager`` it uses the machine's adapter or the virtual device in whose scope it is made. Releasing the manager
/// ends its advertising and takes its services away.
open class CBPeripheralManager: CBManager {
    let core: PeripheralCore

    /// Makes a manager without a delegate, on the main queue.
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - delegate: Who is told what happens; held weakly.
    ///   - queue: Where the delegate is called; nil is the main queue.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - delegate: Who is told what happens; held weakly.
    ///   - queue: Where the delegate is called; nil is the main queue. A serial queue keeps the callbacks in order.
    ///   - options: `CBPeripheralManagerOption` keys. On Linux ``CBPeripheralManagerOptionRestoreIdentifierKey`` alone has an
    ///     effect.
    public init(
        delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil
    ) {
        let delivery = Delivery(adapter: AdapterBinding.current(), queue: queue)
        core = PeripheralCore(
            delivery: delivery, delegate: delegate, restorer: PeripheralRestorer(options, delivery.adapter))
        super.init(delivery: delivery)
        core.start(self)
    }

    deinit { core.close() }

    override var currentState: CBManagerState { core.state }
    override func add(_ observer: ChangeObserver) { core.guarded.add(observer) }
    override func remove(_ observer: ChangeObserver) { core.guarded.remove(observer) }

    /// Who is told what happens. A change holds from the next event on.
    open var delegate: (any CBPeripheralManagerDelegate)? {
        get { core.delegate }
        set { core.guarded.withLock { $0.delegate = newValue } }
    }

    /// Whether the manager advertises.
    open var isAdvertising: Bool { core.guarded.withLock { $0.isAdvertising } }

    /// The older form of ``CBManager/authorization-type.property``, deprecated since iOS 13. On Linux always `.authorized`.
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus { .authorized }

    /// Starts to advertise. One peripheralManagerDidStartAdvertising follows: its error is `.alreadyAdvertising` if an earlier start
    /// has not been stopped.
    ///
    /// A start that ``stopAdvertising()`` ends before the controller has answered gets its callback too, without an error;
    /// ``isAdvertising`` is false then. What Apple's framework does in this case is not documented.
    ///
    /// - Parameter advertisementData: ``CBAdvertisementDataLocalNameKey`` and ``CBAdvertisementDataServiceUUIDsKey``; other keys are
    ///   left out with a line in the log. What does not fit is shortened or left out: that is no error.
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        guard let session = core.sessionForCommand(description) else { return }
        let data = advertisementData ?? [:]
        let allowed = [CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey]
        for key in data.keys.sorted() where !allowed.contains(key) {
            APIMisuse.warn("the advertisement key '\(key)' is not allowed and is left out")
        }
        // A second call changes nothing: it is answered with an error.
        let isNew = core.guarded.withLock { state in
            defer { state.wantsAdvertising = true }
            return !state.wantsAdvertising
        }
        let advertisement = Advertisement(
            localName: data.text(CBAdvertisementDataLocalNameKey),
            services: data.uuids(CBAdvertisementDataServiceUUIDsKey).map(\.value))
        if isNew { core.restorer?.advertisementChanged(advertisement) }
        session.startAdvertising(advertisement)
    }

    /// Ends advertising. No callback of its own follows.
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

    /// Asks a client for another connection interval. It is a wish: the client decides, and nothing tells the result.
    ///
    /// - Parameters:
    ///   - latency: How fast the client should talk to this machine.
    ///   - central: The client.
    open func setDesiredConnectionLatency(
        _ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral
    ) {
        guard let session = core.sessionForCommand(description) else { return }
        guard let wish = LatencyWish(rawValue: latency.rawValue) else {
            return APIMisuse.log("\(latency.rawValue) is no connection latency")
        }
        session.setLatency(wish, of: central.peer)
    }

    /// Publishes a service with all that belongs to it. One didAdd follows. From now on changes of the objects have no effect.
    ///
    /// - Parameter service: The service. The services that it includes have to be added before it.
    ///
    /// To add a service twice, or one with a static value that is not read-only, ends the program, as Apple's framework does
    /// with an exception; ``add(validating:)`` throws instead. Other faults come as the error of didAdd: `.uuidNotAllowed` for a
    /// service of the system in 16-bit form, `.invalidParameters` for properties, descriptors or included services that cannot be.
    open func add(_ service: CBMutableService) {
        do throws(ServiceBlueprint.Refusal) {
            try publish(service)
        } catch {
            switch error {
            case .exception(let sentence): APIMisuse.trap(sentence)
            case .error: break
            }
        }
    }

    /// Takes a service away. Clients that are connected are told of the change, and subscriptions to its characteristics end: one
    /// didUnsubscribeFrom follows for each.
    ///
    /// - Parameter service: A service that was added. One that another service includes can only be removed after that.
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
        core.withdraw(token, isTold: true)
        session.remove(token: token)
    }

    /// Takes all services away. Clients that are connected are told of it in one message for all services that have no other
    /// manager's service between them; subscriptions end as with ``remove(_:)``.
    open func removeAllServices() {
        guard let session = core.sessionForCommand(description) else { return }
        core.forgetServices(isTold: true)
        session.removeAll()
    }

    /// Answers a request, once. Of the requests of one write, the first answers all; writes without response need no answer.
    ///
    /// A value has 512 octets at most (Core Specification, Vol 3, Part F, 3.2.9). A read whose ``CBATTRequest/value`` would reach
    /// beyond them, counted from the start of the characteristic's value, ends in `CBATTError.invalidAttributeValueLength` at the
    /// client, with a line in the log here: cut off silently, it would look like a whole value.
    ///
    /// - Parameters:
    ///   - request: A request that the delegate got.
    ///   - result: `.success`, or why the client cannot have it.
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

    /// Sends a value to clients that are subscribed to a characteristic, as notification or indication as each asked for.
    ///
    /// - Parameters:
    ///   - value: The value. What is longer than a client's ``CBCentral/maximumUpdateValueLength`` is cut for that client.
    ///   - characteristic: A characteristic of a service that was added.
    ///   - centrals: The clients; those that are not subscribed are ignored. Nil: all that are.
    /// - Returns: False if the transmit queue is full. Nothing was sent then; peripheralManagerIsReady(toUpdateSubscribers:) follows when
    ///   there is room. Also false, with a line in the log, if the characteristic was not added or the manager is not powered on.
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

    /// Offers L2CAP channels under a number that is chosen here. didPublishL2CAPChannel follows with it.
    ///
    /// - Parameter encryptionRequired: Whether clients need an encrypted link. This host cannot pair yet, so no link is encrypted
    ///   and all of them are refused with "insufficient authentication".
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
        core.sessionForCommand(description)?.publishChannel(requiresEncryption: encryptionRequired)
    }

    /// Ends the offer of L2CAP channels and closes those that are open. didUnpublishL2CAPChannel follows.
    ///
    /// - Parameter PSM: The number under which they were offered.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
        core.sessionForCommand(description)?.unpublishChannel(psm: PSM)
    }
}
#endif
