import Foundation

/// Receives the events of a peripheral manager, on the manager's queue.
///
/// Only ``peripheralManagerDidUpdateState(_:)`` is required. The other methods have default bodies; see
/// ``CBCentralManagerDelegate``.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
    /// The manager's state changed. Also called once after the initialiser.
    ///
    /// - Parameter peripheral: The manager.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

    /// An earlier run of the program ended without releasing its manager, and its state can be restored. This is the first
    /// callback, before ``peripheralManagerDidUpdateState(_:)``. Only managers with
    /// ``CBPeripheralManagerOptionRestoreIdentifierKey`` receive it.
    ///
    /// The services are new objects with the contents of the published ones, and count as added. Keep the objects that you need to
    /// answer requests and to send updates. Do not add the same services again. When the manager is powered on, it publishes them
    /// and resumes advertising, without didAdd and didStartAdvertising. Clients have to connect and subscribe again. Linux does not
    /// start a program for a Bluetooth event; see ``CBCentralManagerDelegate/centralManager(_:willRestoreState:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - dict: The values of ``CBPeripheralManagerRestoredStateServicesKey`` and
    ///     ``CBPeripheralManagerRestoredStateAdvertisementDataKey``. A key without a value is absent.
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

    /// Reports the result of ``CBPeripheralManager/startAdvertising(_:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - error: Nil, or a ``CBError`` such as `.alreadyAdvertising`.
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)

    /// Reports the result of ``CBPeripheralManager/add(_:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - service: The service.
    ///   - error: Nil, or a ``CBError`` such as `.uuidNotAllowed` or `.invalidParameters`.
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)

    /// A client subscribed to a characteristic.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - central: The client.
    ///   - characteristic: The characteristic.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)

    /// A subscription of a client ended: the client ended it, the link ended, or the program removed the service.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - central: The client.
    ///   - characteristic: The characteristic.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)

    /// A client reads a value that is not static. Set the request's `value` to the octets from its `offset` on, and call
    /// ``CBPeripheralManager/respond(to:withResult:)`` once.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - request: The request.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)

    /// A client writes one or more values. The write must succeed or fail as a whole. Call
    /// ``CBPeripheralManager/respond(to:withResult:)`` once, with the first request.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - requests: The parts of the write, in order. A long value arrives as parts with increasing offsets.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])

    /// The transmit queue has space again after ``CBPeripheralManager/updateValue(_:for:onSubscribedCentrals:)`` returned false.
    ///
    /// - Parameter peripheral: The manager.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)

    /// Reports the result of ``CBPeripheralManager/publishL2CAPChannel(withEncryption:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - PSM: The PSM of the service.
    ///   - error: Nil, or a ``CBError``: `.outOfSpace` if all 128 dynamic PSMs are in use.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

    /// Reports the result of ``CBPeripheralManager/unpublishL2CAPChannel(_:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - PSM: The PSM of the service.
    ///   - error: Nil, or a ``CBError``: `.invalidParameters` for a PSM that this manager did not publish.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

    /// A client opened a channel. Keep a reference to it; its release closes the channel.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - channel: The channel; nil after an error.
    ///   - error: The reason of a failure.
    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralManagerDelegate {
    /// Does nothing.
    public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {}

    /// Does nothing.
    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}

    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {}

    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {}

    /// Does nothing. The client's request times out.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {}

    /// Does nothing. The client's request times out.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {}

    /// Does nothing.
    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}

    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    ) {}
}
