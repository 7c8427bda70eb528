#if !canImport(Darwin)
import CoreFoundation
import Foundation

/// What a central manager tells its delegate, on the manager's queue.
///
/// Only ``centralManagerDidUpdateState(_:)`` has to be there. The others are optional on Apple's systems; here they are
/// requirements with default bodies that do nothing. So a class that inherits the conformance from a superclass of the
/// program can only override methods that the superclass has.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
    /// The manager's state changed; also called once after the initialiser.
    ///
    /// - Parameter central: The manager.
    func centralManagerDidUpdateState(_ central: CBCentralManager)

    /// An earlier run of the program, which ended without releasing its manager, left something to go on with. The first call of
    /// all, before ``centralManagerDidUpdateState(_:)``; only for a manager with ``CBCentralManagerOptionRestoreIdentifierKey``.
    ///
    /// Linux starts no program because of Bluetooth: a service manager that restarts it (`Restart=` of systemd) is the nearest
    /// thing. The links ended with the earlier run: the peripherals are `.connecting`, and didConnect follows by itself once the
    /// manager is powered on. Keep them, or the attempts end; their services have to be discovered again. The scan goes on by
    /// itself, too.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - dict: ``CBCentralManagerRestoredStatePeripheralsKey``, ``CBCentralManagerRestoredStateScanServicesKey`` and
    ///     ``CBCentralManagerRestoredStateScanOptionsKey``, those that there are.
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

    /// A device was found. Keep `peripheral`, or the manager forgets it.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The device; the same object each time as long as the program keeps it.
    ///   - advertisementData: What the advertisement and the scan response held, under the `CBAdvertisementData` keys.
    ///   - RSSI: The signal strength in dBm; 127 if it is not known.
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber)

    /// A connection is there.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The device.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

    /// An attempt to connect failed. An absent device is no failure: that attempt stays pending.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The device.
    ///   - error: A ``CBError`` with the reason.
    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

    /// A connection ended, or an attempt that was cancelled.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The device. Its services are gone.
    ///   - error: Nil if the program asked for it, else a ``CBError`` with the reason.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)

    /// The same with more detail. If the delegate has this form, the shorter one is not called.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The device. Its services are gone.
    ///   - timestamp: When it ended, in seconds since the start of 2001; now or a little earlier.
    ///   - isReconnecting: Whether the system tries to connect again by itself.
    ///   - error: Nil if the program asked for it, else a ``CBError`` with the reason.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?)

    /// A device that the program registered for was connected or disconnected.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - event: What happened.
    ///   - peripheral: The device.
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)

    /// The use of Apple's notification service was allowed or forbidden. Never called on Linux.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The device.
    func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}

extension CBCentralManagerDelegate {
    /// Does nothing.
    public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}

    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {}

    /// Does nothing.
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}

    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {}

    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {}

    /// Calls the form with three arguments.
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        centralManager(central, didDisconnectPeripheral: peripheral, error: error)
    }

    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {}

    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral
    ) {}
}
#endif
