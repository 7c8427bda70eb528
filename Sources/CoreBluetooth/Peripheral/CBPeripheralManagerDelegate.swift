#if !canImport(Darwin)
import Foundation

/// What a peripheral manager tells its delegate, on the manager's queue.
///
/// Only ``peripheralManagerDidUpdateState(_:)`` has to be there; the others have default bodies, see
/// ``CBCentralManagerDelegate``.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
    /// The manager's state changed; also called once after the initialiser.
    ///
    /// - Parameter peripheral: The manager.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

    /// An earlier run of the program, which ended without releasing its manager, had published or advertised something. The
    /// first call of all, before ``peripheralManagerDidUpdateState(_:)``; only for a manager with
    /// ``CBPeripheralManagerOptionRestoreIdentifierKey``.
    ///
    /// The services are new objects, as they were when they were added, and count as added: keep what is needed of them, to answer
    /// requests and to send updates, and do not add the same services once more. They are published, and advertising resumes, once
    /// the manager is powered on; neither is answered by didAdd or didStartAdvertising. Clients have to connect and subscribe anew.
    /// Linux starts no program because of Bluetooth: see ``CBCentralManagerDelegate/centralManager(_:willRestoreState:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - dict: ``CBPeripheralManagerRestoredStateServicesKey`` and
    ///     ``CBPeripheralManagerRestoredStateAdvertisementDataKey``, those that there are.
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

    /// The answer to ``CBPeripheralManager/startAdvertising(_:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - error: Nil, or a ``CBError`` such as `.alreadyAdvertising`.
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)

    /// The answer to ``CBPeripheralManager/add(_:)``.
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

    /// A client ended its subscription, or its connection, or the program removed the service.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - central: The client.
    ///   - characteristic: The characteristic.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)

    /// A client reads a value that is not static. Set the request's `value` to the octets from its `offset` on, and answer with
    /// ``CBPeripheralManager/respond(to:withResult:)``, once.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - request: What is read.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)

    /// A client writes one or more values: all of them or none. Answer once, with the first request.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - requests: What is written, in order; a long value comes as parts with rising offsets.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])

    /// There is room again after ``CBPeripheralManager/updateValue(_:for:onSubscribedCentrals:)`` returned false.
    ///
    /// - Parameter peripheral: The manager.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)

    /// The answer to ``CBPeripheralManager/publishL2CAPChannel(withEncryption:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - PSM: The number of the service.
    ///   - error: Nil, or a ``CBError``: `.outOfSpace` when all 128 numbers are taken.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

    /// The answer to ``CBPeripheralManager/unpublishL2CAPChannel(_:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - PSM: The number of the service.
    ///   - error: Nil, or a ``CBError``: `.invalidParameters` for a number that this manager did not publish.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

    /// A client opened a channel. The program keeps it, or it is closed again.
    ///
    /// - Parameters:
    ///   - peripheral: The manager.
    ///   - channel: The channel; nil if there is an error.
    ///   - error: What went wrong.
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

    /// Does nothing; the client waits until its request times out.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {}

    /// Does nothing; the client waits until its request times out.
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
#endif
