internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

extension CBPeripheral {
    static let clientConfigurationSentence =
        "Client Characteristic Configuration descriptors must be configured using setNotifyValue:forCharacteristic:"

    /// The error of a command on an attribute that does not belong to the current connection.
    static var deadAttribute: CBError { CBError(describing: .invalidHandle) }

    /// Writes a descriptor like ``writeValue(_:for:)-(_,CBDescriptor)``, but throws an error where that method ends the program.
    /// Linux only.
    ///
    /// - Parameters:
    ///   - data: The value.
    ///   - descriptor: A descriptor of this peripheral.
    /// - Throws: `CBError.invalidParameters` for the client characteristic configuration.
    public func writeValue(validating data: Data, for descriptor: CBDescriptor) throws {
        if descriptor.isClientConfiguration {
            throw CBError(describing: .invalidParameters, Self.clientConfigurationSentence)
        }
        writeValue(data, for: descriptor)
    }

    func isConnectedForCommand() -> Bool {
        if state == .connected { return true }
        APIMisuse.log("\(self) can only accept commands while in the connected state")
        return false
    }

    /// Logs a discovery without a delegate. The discovery still runs.
    func warnIfDelegateIsMissing(_ hasDelegate: Bool, _ what: StaticString, _ method: StaticString) {
        guard !hasDelegate else { return }
        APIMisuse.log(
            "Discovering \(what) for peripheral \(self) while delegate is either nil or does not implement \(method)")
    }

    /// Submits an operation of a connected peripheral.
    func submit(_ operation: GATTOperation) {
        guarded.withLock { $0.commands.submit() }
        owner.session?.submit(operation, to: peer)
    }

    /// Calls the delegate later with the result of a command that needs no peer: after the results of the commands before it.
    func refuse(_ call: @escaping CommandOrder.Refusal) {
        if guarded.withLock({ $0.commands.wait(call) }) { return }
        owner.dispatcher.post { [self] in deliver(call) }
    }

    private func deliver(_ refusal: CommandOrder.Refusal) {
        guard owner.hasManager, state == .connected, let delegate else { return }
        refusal(delegate, self)
    }

    /// Delivers the refusals that waited for this result.
    func commandEnded() {
        guarded.withLock { $0.commands.complete() }
        while let refusal = guarded.withLock({ $0.commands.next() }) { deliver(refusal) }
    }

    /// Submits a discovery of services. Its end is reported once for each call of the program, however often the services change meanwhile.
    func discover(_ services: GATTOperation) {
        guarded.withLock { $0.serviceDiscoveries.begin() }
        submit(services)
    }

    /// Whether there is a connection, and whether `attribute` is the object that was discovered at `handle` in it.
    func check(_ attribute: CBAttribute, at handle: UInt16) -> (isConnected: Bool, isAlive: Bool) {
        guarded.withLock { ($0.link == .connected, $0.attributes.contains(attribute, at: handle)) }
    }

    /// The same for a discovery, and whether there is a delegate.
    func checkDiscovery(
        _ attribute: CBAttribute, at handle: UInt16
    ) -> (isConnected: Bool, isAlive: Bool, hasDelegate: Bool) {
        // The delegate can end here, and its end can ask for the lock.
        let (isConnected, isAlive, delegate) = guarded.withLock {
            ($0.link == .connected, $0.attributes.contains(attribute, at: handle), $0.delegate)
        }
        return (isConnected, isAlive, delegate != nil)
    }

    /// Whether `attribute` is the object that was discovered at `handle` in this connection.
    func isAlive(_ attribute: CBAttribute, at handle: UInt16) -> Bool {
        guarded.withLock { $0.attributes.contains(attribute, at: handle) }
    }

    func filter(_ uuids: [CBUUID]?) -> [BluetoothUUID]? {
        guard let uuids, !uuids.isEmpty else { return nil }
        return uuids.map(\.value)
    }

    /// Asks for the length of the longest write without response, and remembers it: the ATT_MTU of a connection does not fall.
    private func writeCommandLimit(_ session: any CentralSession, for characteristic: CBCharacteristic) -> Int {
        guard let mtu = session.maximumTransmissionUnit(of: peer) else { return 20 }
        guarded.withLock { state in
            // The connection is still the one of the characteristic.
            if state.attributes.contains(characteristic, at: characteristic.handles.start) {
                state.writeCommandLimit = mtu - 3
            }
        }
        return mtu - 3
    }

    /// - Parameter knownLimit: A length in octets that the connection takes.
    func writeCommand(_ data: Data, for characteristic: CBCharacteristic, knownLimit: Int) {
        guard characteristic.discoveredProperties.contains(.writeWithoutResponse) else {
            return APIMisuse.warn(
                "\(characteristic) does not specify the \"Write Without Response\" property - ignoring response-less write"
            )
        }
        guard let session = owner.session else { return }
        let limit = data.count <= knownLimit ? knownLimit : writeCommandLimit(session, for: characteristic)
        if data.count > limit {
            APIMisuse.warn(
                "A write without response of \(data.count) octets to \(characteristic) is truncated to \(limit), the maximumWriteValueLength"
            )
        }
        let value = data.span.extracting(first: min(data.count, limit))
        if session.writeCommand(value, handle: characteristic.handles.start, to: peer) { return }
        // The buffer may be flushed, and the callback delivered, before this line, so the state is read again.
        guarded.withLock { $0.canSendWriteWithoutResponse = false }
        if session.canWriteCommand(to: peer) { guarded.withLock { $0.canSendWriteWithoutResponse = true } }
    }

    func subscribe(_ enabled: Bool, to characteristic: CBCharacteristic) {
        let handles = characteristic.handles
        guard isAlive(characteristic, at: handles.start) else {
            return refuse {
                $0.peripheral($1, didUpdateNotificationStateFor: characteristic, error: Self.deadAttribute)
            }
        }
        let properties = characteristic.properties
        let notifies = !properties.isDisjoint(with: [.notify, .notifyEncryptionRequired])
        let indicates = !properties.isDisjoint(with: [.indicate, .indicateEncryptionRequired])
        guard notifies || indicates else {
            return refuse {
                $0.peripheral(
                    $1, didUpdateNotificationStateFor: characteristic,
                    error: CBATTError(describing: .requestNotSupported))
            }
        }
        guard characteristic.beginSubscription(enabled) else {
            return refuse { $0.peripheral($1, didUpdateNotificationStateFor: characteristic, error: nil) }
        }
        submit(
            .setNotify(
                valueHandle: handles.start, end: handles.end,
                mode: enabled ? (notifies ? .notification : .indication) : .off))
    }
}

extension CBDescriptor {
    /// Whether this is a client characteristic configuration (Vol 3, Part G, 3.3.3.3).
    var isClientConfiguration: Bool { uuid.value.shortValue == 0x2902 }
}
