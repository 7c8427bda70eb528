import CoreFoundation
import Foundation

/// Receives the events of a central manager, on the manager's queue.
///
/// Only ``centralManagerDidUpdateState(_:)`` is required. The other methods are optional on Apple's systems. On Linux they are
/// requirements with default bodies that do nothing. Therefore a class that inherits the conformance from a superclass of the
/// program can only override methods that the superclass implements.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
    /// The manager's state changed. Also called once after the initialiser.
    ///
    /// - Parameter central: The manager.
    func centralManagerDidUpdateState(_ central: CBCentralManager)

    /// An earlier run of the program ended without releasing its manager, and its state can be restored. This is the first
    /// callback, before ``centralManagerDidUpdateState(_:)``. Only managers with ``CBCentralManagerOptionRestoreIdentifierKey``
    /// receive it.
    ///
    /// Linux does not start a program for a Bluetooth event. The nearest equivalent is a service manager that restarts the program
    /// (`Restart=` of systemd). The links ended with the earlier run. The peripherals are `.connecting`, and didConnect follows
    /// once the manager is powered on. Keep references to them, or the attempts end. Discover their services again. The scan
    /// resumes without a call.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - dict: The values of ``CBCentralManagerRestoredStatePeripheralsKey``, ``CBCentralManagerRestoredStateScanServicesKey``
    ///     and ``CBCentralManagerRestoredStateScanOptionsKey``. A key without a value is absent.
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

    /// The manager discovered a device. Keep a reference to `peripheral` to use it; the manager keeps only a weak one, except in scans
    /// with ``CBCentralManagerScanOptionAllowDuplicatesKey``.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The device. As long as the program keeps the object, every discovery of the device passes the same one.
    ///   - advertisementData: The contents of the advertisement and the scan response, under the `CBAdvertisementData` keys.
    ///   - RSSI: The signal strength in dBm; 127 if the controller did not measure it.
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber)

    /// The manager connected to a device.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The device.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

    /// An attempt to connect failed. An attempt to reach an absent device does not fail; it stays pending.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The device.
    ///   - error: A ``CBError`` with the reason.
    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

    /// A connection ended, or the program cancelled an attempt. If the delegate implements this method, the manager does not call the longer one
    /// and does not renew connections by itself, also with ``CBConnectPeripheralOptionEnableAutoReconnect``, as on iOS 17 and later.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The device. Its services are no longer valid.
    ///   - error: Nil if the program cancelled the connection, else a ``CBError`` with the reason.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)

    /// A connection ended, with more detail. The manager calls this method only if the delegate does not implement the one with three arguments.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - peripheral: The device. Its services are no longer valid.
    ///   - timestamp: The time of the disconnection, in seconds since the start of 2001.
    ///   - isReconnecting: Whether the host tries to connect again without a call of the program.
    ///   - error: Nil if the program cancelled the connection, else a ``CBError`` with the reason.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?)

    /// A device that matches the registration for connection events was connected or disconnected.
    ///
    /// - Parameters:
    ///   - central: The manager.
    ///   - event: The kind of the event.
    ///   - peripheral: The device.
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)

    /// The authorization for Apple's notification service changed. Never called on Linux.
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

    /// Does nothing but to let the manager call the method with five arguments.
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        central.core.guarded.withLock { $0.lacksShortDisconnection = true }
    }

    /// Calls the method with three arguments.
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
