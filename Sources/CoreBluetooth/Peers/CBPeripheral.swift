#if !canImport(Darwin)
internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// A device that a central manager found or retrieved.
///
/// Keep it as long as it is used: the manager knows it weakly, and when the program lets go of it, its connection ends.
/// Its properties may be read from any thread; those that a delegate's method announces change just before its call. Commands
/// need a connection; without one they are dropped with a line in the log. They are carried out in the order of the calls.
open class CBPeripheral: CBPeer, _KeyValueCodingAndObserving, ChangeSource {
    struct State: WatchedState {
        weak var delegate: (any CBPeripheralDelegate)?
        var name: String?
        var rssi: NSNumber?
        var link = CBPeripheralState.disconnected
        /// Whether the program's last word was to connect.
        var wantsConnection = false
        /// Whether a cancellation has not been answered yet.
        var isCancelling = false
        /// False once the adapter was lost: such an object is of no more use.
        var isValid = true
        var canSendWriteWithoutResponse = false
        var advertisedServices: [BluetoothUUID] = []
        var services: [CBService]?
        /// The discovered objects: services by their first handle, characteristics by their value's, descriptors by theirs.
        var attributes: [UInt16: CBAttribute] = [:]
        /// Objects that a change of services made dead, for answers that are still on their way.
        var retired: [UInt16: CBAttribute] = [:]

        struct Watched: Equatable {
            let link: CBPeripheralState
            let name: String?
            let canSend: Bool
        }

        var watched: Watched { Watched(link: link, name: name, canSend: canSendWriteWithoutResponse) }
    }

    let core: CentralCore
    let guarded: ObservedLock<State>

    init(core: CentralCore, record: PeerRecord) {
        self.core = core
        guarded = ObservedLock(State(name: record.name))
        super.init(peer: record.identifier)
    }

    deinit {
        core.released(peer, ObjectIdentifier(self), wantedConnection: wantsConnection)
    }

    func add(_ observer: ChangeObserver) { guarded.add(observer) }
    func remove(_ observer: ChangeObserver) { guarded.remove(observer) }

    /// Who is told what happens; held weakly. A change holds from the next event on.
    open var delegate: (any CBPeripheralDelegate)? {
        get { guarded.withLock { $0.delegate } }
        set { guarded.withLock { $0.delegate = newValue } }
    }

    /// The name of the device: the one of its GAP service if that is known, else the advertised one.
    open var name: String? { guarded.withLock { $0.name } }

    /// The signal strength as ``readRSSI()`` found it last. Deprecated since iOS 8.
    open var rssi: NSNumber? { guarded.withLock { $0.rssi } }

    /// The connection: `.connecting` from the call of connect, `.connected` by didConnect, `.disconnecting` from a cancellation,
    /// `.disconnected` by didDisconnectPeripheral.
    open var state: CBPeripheralState { guarded.withLock { $0.link } }

    /// The services, as far as they were discovered; nil before that and after a disconnection.
    open var services: [CBService]? { guarded.withLock { $0.services } }

    /// Whether there is room for a write without response. If not, peripheralIsReady(toSendWriteWithoutResponse:) follows.
    open var canSendWriteWithoutResponse: Bool {
        guarded.withLock { $0.link == .connected && $0.canSendWriteWithoutResponse }
    }

    /// Always false: Apple's notification service does not exist on Linux.
    open var ancsAuthorized: Bool { false }

    /// Reads the signal strength of the link. didReadRSSI follows.
    open func readRSSI() {
        submit(.readRSSI)
    }

    /// Discovers services. One didDiscoverServices follows, whatever was found. The GAP and GATT services are left out.
    ///
    /// - Parameter serviceUUIDs: The services asked for; nil or an empty list: all.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        guard isConnectedForCommand() else { return }
        warnIfUnheard("services", "peripheral:didDiscoverServices:")
        submit(.discoverServices(wanted(serviceUUIDs)))
    }

    /// Discovers the services that a service includes. didDiscoverIncludedServicesFor follows.
    ///
    /// - Parameters:
    ///   - includedServiceUUIDs: The services asked for; nil or an empty list: all.
    ///   - service: A service of this peripheral.
    open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
        guard isConnectedForCommand() else { return }
        warnIfUnheard("included services", "peripheral:didDiscoverIncludedServicesForService:error:")
        guard isAlive(service, at: service.range.start) else {
            return tell { $0.peripheral($1, didDiscoverIncludedServicesFor: service, error: Self.deadAttribute) }
        }
        submit(.discoverIncludedServices(service: service.range, wanted(includedServiceUUIDs)))
    }

    /// Discovers characteristics of a service. didDiscoverCharacteristicsFor follows.
    ///
    /// - Parameters:
    ///   - characteristicUUIDs: The characteristics asked for; nil or an empty list: all.
    ///   - service: A service of this peripheral.
    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        guard isConnectedForCommand() else { return }
        warnIfUnheard("characteristics", "peripheral:didDiscoverCharacteristicsForService:error:")
        guard isAlive(service, at: service.range.start) else {
            return tell { $0.peripheral($1, didDiscoverCharacteristicsFor: service, error: Self.deadAttribute) }
        }
        submit(.discoverCharacteristics(service: service.range, wanted(characteristicUUIDs)))
    }

    /// Reads a value, however long. didUpdateValueFor follows.
    ///
    /// - Parameter characteristic: A characteristic of this peripheral.
    open func readValue(for characteristic: CBCharacteristic) {
        guard isConnectedForCommand() else { return }
        guard isAlive(characteristic, at: characteristic.handles.start) else {
            return tell { $0.peripheral($1, didUpdateValueFor: characteristic, error: Self.deadAttribute) }
        }
        submit(.read(handle: characteristic.handles.start))
    }

    /// The most octets that one write can carry.
    ///
    /// Where throughput counts, values of 495 or 244 octets are best: with their headers they fill two data PDUs, or one, of 251 octets
    /// on the air to the last octet. That is why this host offers an ATT_MTU of 498, and the length is 495 where the peer takes as
    /// much; 517, the longest, would take three data PDUs for a value and carry 10 % less.
    ///
    /// - Parameter type: `.withResponse`: 512, since longer values go in parts. `.withoutResponse`: the ATT_MTU less three, or 20 while
    ///   not connected.
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        if type == .withResponse { return 512 }
        return (core.session?.maximumTransmissionUnit(of: peer) ?? 23) - 3
    }

    /// Writes a value.
    ///
    /// - Parameters:
    ///   - data: The value. With response up to 512 octets; more end in `CBATTError.invalidAttributeValueLength`. Without response it is
    ///     cut to ``maximumWriteValueLength(for:)``.
    ///   - characteristic: A characteristic of this peripheral.
    ///   - type: `.withResponse`: one didWriteValueFor follows. `.withoutResponse`: nothing follows, and the value may be lost; such a
    ///     write to a characteristic without that property is ignored with a line in the log.
    open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        guard isConnectedForCommand() else { return }
        let isAlive = isAlive(characteristic, at: characteristic.handles.start)
        switch type {
        case .withoutResponse: if isAlive { writeCommand(data, for: characteristic) }
        default:
            guard isAlive else {
                return tell { $0.peripheral($1, didWriteValueFor: characteristic, error: Self.deadAttribute) }
            }
            submit(.write(handle: characteristic.handles.start, value: [UInt8](data)))
        }
    }

    /// Subscribes to a value or ends the subscription. didUpdateNotificationStateFor follows. Subscriptions end with the connection.
    ///
    /// - Parameters:
    ///   - enabled: Whether to subscribe: to notifications, or to indications if the characteristic has only those.
    ///   - characteristic: A characteristic of this peripheral.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        guard isConnectedForCommand() else { return }
        subscribe(enabled, to: characteristic)
    }

    /// Discovers all descriptors of a characteristic. didDiscoverDescriptorsFor follows.
    ///
    /// - Parameter characteristic: A characteristic of this peripheral.
    open func discoverDescriptors(for characteristic: CBCharacteristic) {
        guard isConnectedForCommand() else { return }
        warnIfUnheard("descriptors", "peripheral:didDiscoverDescriptorsForCharacteristic:error:")
        guard isAlive(characteristic, at: characteristic.handles.start) else {
            return tell { $0.peripheral($1, didDiscoverDescriptorsFor: characteristic, error: Self.deadAttribute) }
        }
        submit(.discoverDescriptors(after: characteristic.handles.start, end: characteristic.handles.end))
    }

    /// Reads a descriptor. didUpdateValueFor follows, the form for descriptors.
    ///
    /// - Parameter descriptor: A descriptor of this peripheral.
    open func readValue(for descriptor: CBDescriptor) {
        guard isConnectedForCommand() else { return }
        guard isAlive(descriptor, at: descriptor.handle) else {
            return tell { $0.peripheral($1, didUpdateValueFor: descriptor, error: Self.deadAttribute) }
        }
        submit(.read(handle: descriptor.handle))
    }

    /// Writes a descriptor. didWriteValueFor follows, the form for descriptors.
    ///
    /// - Parameters:
    ///   - data: The value.
    ///   - descriptor: A descriptor of this peripheral. The client characteristic configuration ends the program, as Apple's
    ///     framework does with an exception: use ``setNotifyValue(_:for:)``, or ``writeValue(validating:for:)``.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        if descriptor.isClientConfiguration { APIMisuse.trap(Self.clientConfigurationSentence) }
        guard isConnectedForCommand() else { return }
        guard isAlive(descriptor, at: descriptor.handle) else {
            return tell { $0.peripheral($1, didWriteValueFor: descriptor, error: Self.deadAttribute) }
        }
        submit(.write(handle: descriptor.handle, value: [UInt8](data)))
    }

    /// Opens an L2CAP channel. didOpen follows, unless the connection ends first.
    ///
    /// - Parameter PSM: The number of the service, 1 to 255. How a program learns of it is its own business; the characteristic
    ///   ``CBUUIDL2CAPPSMCharacteristicString`` is a place for it.
    open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
        guard isConnectedForCommand() else { return }
        core.session?.openChannel(psm: PSM, to: peer)
    }

    /// Starts to measure the distance. On Linux didCompleteChannelSoundingSession follows with
    /// `CBError.channelSoundingConfigurationFailed`.
    ///
    /// - Parameter configuration: How to measure.
    open func startChannelSoundingSession(_ configuration: CBChannelSoundingSessionConfiguration) {
        guard isConnectedForCommand() else { return }
        tell {
            $0.peripheral(
                $1, didCompleteChannelSoundingSession: CBError(describing: .channelSoundingConfigurationFailed))
        }
    }

    /// Ends the measurement. On Linux there is none.
    open func cancelChannelSoundingSession() {}

    /// The address, identifier, name and state.
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
#endif
