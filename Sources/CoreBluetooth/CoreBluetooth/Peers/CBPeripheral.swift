internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// A device that a central manager discovered or retrieved.
///
/// Keep a reference to the peripheral as long as you use it: the manager's reference is weak, and the connection ends when the
/// program releases the object. Any thread may read the properties. A property that a delegate's method announces changes just
/// before the call. Commands need a connection; without one they have no effect but a line in the log. The peripheral executes
/// commands in the order of the calls.
open class CBPeripheral: CBPeer, _KeyValueCodingAndObserving, ChangeSource {
    struct State: WatchedState {
        private(set) var delegateReference: DelegateReference?
        var name: String?
        var rssi: NSNumber?
        var link = CBPeripheralState.disconnected
        /// Whether the program requested a connection and has not cancelled it.
        var wantsConnection = false
        /// Whether a cancellation is pending.
        var isCancelling = false
        /// False after the loss of the adapter: the program must retrieve or discover the device again.
        var isValid = true
        var canSendWriteWithoutResponse = false
        /// A length of writes without response, in octets, that the connection takes. Each takes 20.
        var writeCommandLimit = 20
        var advertisedServices: [BluetoothUUID] = []
        var services: [CBService]?
        /// The discovered objects: services by their first handle, characteristics by their value handle, descriptors by their
        /// handle.
        var attributes = AttributeTable()
        /// Objects that a change of services invalidated, for pending results.
        var retired = AttributeTable()
        var serviceDiscoveries = ServiceDiscoveries()
        var commands = CommandOrder()

        var delegate: (any CBPeripheralDelegate)? {
            get { delegateReference?.object }
            set { delegateReference = newValue.map { DelegateReference($0) } }
        }

        struct Watched: Equatable {
            let link: CBPeripheralState
            let name: String?
            let canSend: Bool
        }

        var watched: Watched { Watched(link: link, name: name, canSend: canSendWriteWithoutResponse) }
    }

    /// A class, because most peripherals have no delegate, and a weak reference makes copies of the state expensive.
    final class DelegateReference {
        weak let object: (any CBPeripheralDelegate)?
        init(_ object: any CBPeripheralDelegate) { self.object = object }
    }

    let owner: any PeripheralOwner
    /// The key of the object in the manager's table.
    let identity: AdvertiserIdentity
    let guarded: ObservedLock<State>
    /// Whether the manager waits for the end of the object. The manager's lock guards it.
    @exclusivity(unchecked) var isListed = true
    /// Whether the program has requested a connection. The manager's lock guards it.
    @exclusivity(unchecked) var isRequested = false

    init(owner: any PeripheralOwner, record: PeerRecord, identity: AdvertiserIdentity) {
        self.owner = owner
        self.identity = identity
        guarded = ObservedLock(State(name: record.name))
        super.init(peer: record.identifier)
    }

    init(owner: any PeripheralOwner, _ advertisement: DiscoveryContent, name: String?, services: [BluetoothUUID]) {
        self.owner = owner
        identity = advertisement.identity
        guarded = ObservedLock(State(name: name, advertisedServices: services))
        super.init(advertisement: advertisement)
    }

    deinit {
        invalidate(guarded.withLock { $0.forgetAttributes() })
        guard isListed else { return }
        owner.peripheralReleased(identity, ObjectIdentifier(self), requested: wantsConnection ? peer : nil)
    }

    func add(_ observer: ChangeObserver) { guarded.add(observer) }
    func remove(_ observer: ChangeObserver) { guarded.remove(observer) }

    /// The object that receives the peripheral's events; a weak reference. A change applies to events delivered after it.
    open var delegate: (any CBPeripheralDelegate)? {
        get { guarded.withLock { $0.delegate } }
        set { guarded.withLock { $0.delegate = newValue } }
    }

    /// The name in the device's GAP service if it is known, else the advertised name.
    open var name: String? { guarded.withLock { $0.name } }

    /// The signal strength of the last ``readRSSI()``. Deprecated since iOS 8.
    open var rssi: NSNumber? { guarded.withLock { $0.rssi } }

    /// The state of the connection: `.connecting` after the call of connect, `.connected` before didConnect, `.disconnecting` after
    /// a cancellation, `.disconnected` before didDisconnectPeripheral.
    open var state: CBPeripheralState { guarded.withLock { $0.link } }

    /// The discovered services. Nil before a discovery and after a disconnection.
    open var services: [CBService]? { guarded.withLock { $0.services } }

    /// Whether the buffer has space for a write without response. If it has none, peripheralIsReady(toSendWriteWithoutResponse:)
    /// follows.
    open var canSendWriteWithoutResponse: Bool {
        guarded.withLock { $0.link == .connected && $0.canSendWriteWithoutResponse }
    }

    /// Always false: Apple's notification service does not exist on Linux.
    open var ancsAuthorized: Bool { false }

    /// Reads the signal strength of the link. didReadRSSI follows.
    open func readRSSI() {
        guard isConnectedForCommand() else { return }
        submit(.readRSSI)
    }

    /// Discovers services. One didDiscoverServices follows, also if none is found. The results exclude the GAP and GATT services.
    ///
    /// - Parameter serviceUUIDs: The UUIDs of the services. Nil or an empty list selects all.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        guard isConnectedForCommand() else { return }
        warnIfDelegateIsMissing(delegate != nil, "services", "peripheral:didDiscoverServices:")
        discover(.discoverServices(filter(serviceUUIDs)))
    }

    /// Discovers the services that a service includes. didDiscoverIncludedServicesFor follows.
    ///
    /// - Parameters:
    ///   - includedServiceUUIDs: The UUIDs of the services. Nil or an empty list selects all.
    ///   - service: A service of this peripheral.
    open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
        let check = checkDiscovery(service, at: service.range.start)
        guard check.isConnected || isConnectedForCommand() else { return }
        warnIfDelegateIsMissing(
            check.hasDelegate, "included services", "peripheral:didDiscoverIncludedServicesForService:error:")
        guard check.isAlive else {
            return refuse {
                $0.peripheral($1, didDiscoverIncludedServicesFor: service, error: Self.deadAttribute)
            }
        }
        submit(.discoverIncludedServices(service: service.range, filter(includedServiceUUIDs)))
    }

    /// Discovers characteristics of a service. didDiscoverCharacteristicsFor follows.
    ///
    /// - Parameters:
    ///   - characteristicUUIDs: The UUIDs of the characteristics. Nil or an empty list selects all.
    ///   - service: A service of this peripheral.
    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        let check = checkDiscovery(service, at: service.range.start)
        guard check.isConnected || isConnectedForCommand() else { return }
        warnIfDelegateIsMissing(
            check.hasDelegate, "characteristics", "peripheral:didDiscoverCharacteristicsForService:error:")
        guard check.isAlive else {
            return refuse {
                $0.peripheral($1, didDiscoverCharacteristicsFor: service, error: Self.deadAttribute)
            }
        }
        submit(.discoverCharacteristics(service: service.range, filter(characteristicUUIDs)))
    }

    /// Reads a value of any length. didUpdateValueFor follows.
    ///
    /// - Parameter characteristic: A characteristic of this peripheral.
    open func readValue(for characteristic: CBCharacteristic) {
        let check = check(characteristic, at: characteristic.handles.start)
        guard check.isConnected || isConnectedForCommand() else { return }
        guard check.isAlive else {
            return refuse { $0.peripheral($1, didUpdateValueFor: characteristic, error: Self.deadAttribute) }
        }
        submit(.read(handle: characteristic.handles.start))
    }

    /// The longest value of one write, in octets.
    ///
    /// For the highest throughput use values of 495 or 244 octets. With their headers they fill two data PDUs, or one, of 251
    /// octets on the air. For this reason the host offers an ATT_MTU of 498, and the length is 495 if the peer supports it. The
    /// longest ATT_MTU, 517, would need three data PDUs for a value and carry 10 % less.
    ///
    /// - Parameter type: For `.withResponse` the result is 512, because the host splits longer values. For `.withoutResponse` it is
    ///   the ATT_MTU less three, or 20 while the peripheral is not connected.
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        if type == .withResponse { return 512 }
        return (owner.session?.maximumTransmissionUnit(of: peer) ?? 23) - 3
    }

    /// Writes a value.
    ///
    /// - Parameters:
    ///   - data: The value. With response it has at most 512 octets; a longer one ends in `CBATTError.invalidAttributeValueLength`.
    ///     Without response it is truncated to ``maximumWriteValueLength(for:)``.
    ///   - characteristic: A characteristic of this peripheral.
    ///   - type: For `.withResponse` one didWriteValueFor follows. For `.withoutResponse` no callback follows, and the value may be
    ///     lost. If the characteristic lacks that property, the write has no effect but a line in the log.
    open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        let handle = characteristic.handles.start
        let check = guarded.withLock {
            (
                isConnected: $0.link == .connected, isAlive: $0.attributes.contains(characteristic, at: handle),
                limit: $0.writeCommandLimit
            )
        }
        guard check.isConnected || isConnectedForCommand() else { return }
        switch type {
        case .withoutResponse:
            if check.isAlive { writeCommand(data, for: characteristic, knownLimit: check.limit) }
        default:
            guard check.isAlive else {
                return refuse { $0.peripheral($1, didWriteValueFor: characteristic, error: Self.deadAttribute) }
            }
            submit(.write(handle: handle, value: [UInt8](data)))
        }
    }

    /// Starts or ends a subscription to a value. didUpdateNotificationStateFor follows. Subscriptions end with the connection.
    ///
    /// - Parameters:
    ///   - enabled: Whether to subscribe. The host subscribes to notifications, or to indications if the characteristic supports
    ///     only those.
    ///   - characteristic: A characteristic of this peripheral.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        guard isConnectedForCommand() else { return }
        subscribe(enabled, to: characteristic)
    }

    /// Discovers all descriptors of a characteristic. didDiscoverDescriptorsFor follows.
    ///
    /// - Parameter characteristic: A characteristic of this peripheral.
    open func discoverDescriptors(for characteristic: CBCharacteristic) {
        let check = checkDiscovery(characteristic, at: characteristic.handles.start)
        guard check.isConnected || isConnectedForCommand() else { return }
        warnIfDelegateIsMissing(
            check.hasDelegate, "descriptors", "peripheral:didDiscoverDescriptorsForCharacteristic:error:")
        guard check.isAlive else {
            return refuse {
                $0.peripheral($1, didDiscoverDescriptorsFor: characteristic, error: Self.deadAttribute)
            }
        }
        submit(.discoverDescriptors(after: characteristic.handles.start, end: characteristic.handles.end))
    }

    /// Reads a descriptor. The didUpdateValueFor method for descriptors follows.
    ///
    /// - Parameter descriptor: A descriptor of this peripheral.
    open func readValue(for descriptor: CBDescriptor) {
        let check = check(descriptor, at: descriptor.handle)
        guard check.isConnected || isConnectedForCommand() else { return }
        guard check.isAlive else {
            return refuse { $0.peripheral($1, didUpdateValueFor: descriptor, error: Self.deadAttribute) }
        }
        submit(.read(handle: descriptor.handle))
    }

    /// Writes a descriptor. The didWriteValueFor method for descriptors follows.
    ///
    /// - Parameters:
    ///   - data: The value.
    ///   - descriptor: A descriptor of this peripheral. The client characteristic configuration ends the program, as with an
    ///     exception of Apple's framework: use ``setNotifyValue(_:for:)`` or ``writeValue(validating:for:)``.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        if descriptor.isClientConfiguration { APIMisuse.trap(Self.clientConfigurationSentence) }
        let check = check(descriptor, at: descriptor.handle)
        guard check.isConnected || isConnectedForCommand() else { return }
        guard check.isAlive else {
            return refuse { $0.peripheral($1, didWriteValueFor: descriptor, error: Self.deadAttribute) }
        }
        submit(.write(handle: descriptor.handle, value: [UInt8](data)))
    }

    /// Opens an L2CAP channel. didOpen follows, unless the connection ends first.
    ///
    /// - Parameter PSM: The PSM of the service, 1 to 255. The program learns it by its own means, for example from the
    ///   characteristic ``CBUUIDL2CAPPSMCharacteristicString``.
    open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
        guard isConnectedForCommand() else { return }
        owner.session?.openChannel(psm: PSM, to: peer)
    }

    /// Starts a Channel Sounding session. On Linux didCompleteChannelSoundingSession follows with
    /// `CBError.channelSoundingConfigurationFailed`.
    ///
    /// - Parameter configuration: The parameters of the session.
    open func startChannelSoundingSession(_ configuration: CBChannelSoundingSessionConfiguration) {
        guard isConnectedForCommand() else { return }
        refuse {
            $0.peripheral(
                $1, didCompleteChannelSoundingSession: CBError(describing: .channelSoundingConfigurationFailed))
        }
    }

    /// Ends the Channel Sounding session. On Linux there is none.
    open func cancelChannelSoundingSession() {}

    /// The object's address, the identifier, the name and the state.
    open override var description: String {
        let (name, link) = guarded.withLock { ($0.name, $0.link) }
        let state =
            switch link {
            case .disconnected: "disconnected"
            case .connecting: "connecting"
            case .connected: "connected"
            case .disconnecting: "disconnecting"
            @unknown default: "unknown"
            }
        return "<\(type(of: self)): \(address(of: self)), identifier = \(identifier), name = \(name ?? "(null)"), "
            + "state = \(state)>"
    }
}
