#if !canImport(Darwin)
internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

extension CBPeripheral {
    static let clientConfigurationSentence =
        "Client Characteristic Configuration descriptors must be configured using setNotifyValue:forCharacteristic:"

    /// For a command on an attribute that is not, or no longer, one of this connection's.
    static var deadAttribute: CBError { CBError(describing: .invalidHandle) }

    /// Writes a descriptor like ``writeValue(_:for:)-(_,CBDescriptor)``, but throws where that ends the program. Only on Linux.
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

    /// A discovery that nobody hears of is a mistake, though it is carried out.
    func warnIfUnheard(_ what: String, _ method: String) {
        guard delegate == nil else { return }
        APIMisuse.log(
            "Discovering \(what) for peripheral \(self) while delegate is either nil or does not implement \(method)")
    }

    func submit(_ operation: GATTOperation) {
        guard isConnectedForCommand() else { return }
        core.session?.submit(operation, to: peer)
    }

    /// Whether `attribute` is the one that was discovered at `handle` in this connection.
    func isAlive(_ attribute: CBAttribute, at handle: UInt16) -> Bool {
        let known = guarded.withLock { $0.attributes[handle] }
        return known === attribute
    }

    func wanted(_ uuids: [CBUUID]?) -> [BluetoothUUID]? {
        guard let uuids, !uuids.isEmpty else { return nil }
        return uuids.map(\.value)
    }

    /// Calls the delegate later, for a result that needs no peer.
    func tell(_ call: @escaping (any CBPeripheralDelegate, CBPeripheral) -> Void) {
        core.delivery.post { [self] in
            guard core.manager != nil, state == .connected, let delegate else { return }
            call(delegate, self)
        }
    }

    func writeCommand(_ data: Data, for characteristic: CBCharacteristic) {
        guard characteristic.properties.contains(.writeWithoutResponse) else {
            return APIMisuse.warn(
                "\(characteristic) does not specify the \"Write Without Response\" property - ignoring response-less write"
            )
        }
        guard let session = core.session else { return }
        let data = data.prefix(maximumWriteValueLength(for: .withoutResponse))
        if session.writeCommand(data.span, handle: characteristic.handles.start, to: peer) { return }
        // The buffer may have been flushed between the answer and this line, and the callback with it: look again.
        guarded.withLock { $0.canSendWriteWithoutResponse = false }
        if session.canWriteCommand(to: peer) { guarded.withLock { $0.canSendWriteWithoutResponse = true } }
    }

    func subscribe(_ enabled: Bool, to characteristic: CBCharacteristic) {
        let handles = characteristic.handles
        guard isAlive(characteristic, at: handles.start) else {
            return tell { $0.peripheral($1, didUpdateNotificationStateFor: characteristic, error: Self.deadAttribute) }
        }
        let properties = characteristic.properties
        let notifies = !properties.isDisjoint(with: [.notify, .notifyEncryptionRequired])
        let indicates = !properties.isDisjoint(with: [.indicate, .indicateEncryptionRequired])
        guard notifies || indicates else {
            return tell {
                $0.peripheral(
                    $1, didUpdateNotificationStateFor: characteristic,
                    error: CBATTError(describing: .requestNotSupported))
            }
        }
        guard characteristic.isNotifying != enabled else {
            return tell { $0.peripheral($1, didUpdateNotificationStateFor: characteristic, error: nil) }
        }
        submit(
            .setNotify(
                valueHandle: handles.start, end: handles.end,
                mode: enabled ? (notifies ? .notification : .indication) : .off))
    }
}

extension CBDescriptor {
    var isClientConfiguration: Bool { uuid.value.shortValue == 0x2902 }
}
#endif
