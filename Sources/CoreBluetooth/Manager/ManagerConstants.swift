#if !canImport(Darwin)
// MARK: Initialiser options

/// A Boolean: show an alert if Bluetooth is off. Accepted; Linux has no such alert.
public let CBCentralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"

/// A string that names the manager for state restoration: what the manager does is kept on disk, and a program that makes a manager
/// with the same string after a crash or a restart gets it back. Programs of one user share the names, so choose one like
/// `org.example.gateway`. Releasing the manager forgets the state.
public let CBCentralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

/// A Boolean for media devices of Apple's platforms. Accepted and without effect.
public let CBCentralManagerOptionDeviceAccessForMedia: String = "kCBInitOptionDeviceAccessForMedia"

/// A Boolean: show an alert if Bluetooth is off. Accepted; Linux has no such alert.
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"

/// A string that names the manager for state restoration: what the manager does is kept on disk, and a program that makes a manager
/// with the same string after a crash or a restart gets it back. Programs of one user share the names, so choose one like
/// `org.example.gateway`. Releasing the manager forgets the state.
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

// MARK: Scan options

/// A Boolean: report every packet instead of each device once.
public let CBCentralManagerScanOptionAllowDuplicatesKey: String = "kCBScanOptionAllowDuplicates"

/// An array of `CBUUID`: report devices that look for one of these services, too.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey: String = "kCBScanOptionSolicitedServiceUUIDs"

// MARK: Connection options

/// A Boolean about an alert of the system. Accepted and without effect.
public let CBConnectPeripheralOptionNotifyOnConnectionKey: String = "kCBConnectOptionNotifyOnConnection"

/// A Boolean about an alert of the system. Accepted and without effect.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey: String = "kCBConnectOptionNotifyOnDisconnection"

/// A Boolean about an alert of the system. Accepted and without effect.
public let CBConnectPeripheralOptionNotifyOnNotificationKey: String = "kCBConnectOptionNotifyOnNotification"

/// A number: wait so many seconds before the attempt.
public let CBConnectPeripheralOptionStartDelayKey: String = "kCBConnectOptionStartDelay"

/// A Boolean about Bluetooth Classic profiles. Accepted and without effect.
public let CBConnectPeripheralOptionEnableTransportBridgingKey: String = "kCBConnectOptionEnableTransportBridging"

/// A Boolean about Apple's notification service. Accepted and without effect.
public let CBConnectPeripheralOptionRequiresANCS: String = "kCBConnectOptionRequiresANCS"

/// A Boolean: connect again by itself when the link is lost.
public let CBConnectPeripheralOptionEnableAutoReconnect: String = "kCBConnectOptionEnableAutoReconnect"

// MARK: Restored state

/// The peripherals of a restored central manager, `[CBPeripheral]`.
public let CBCentralManagerRestoredStatePeripheralsKey: String = "kCBRestoredPeripherals"

/// The services a restored central manager scanned for, `[CBUUID]`.
public let CBCentralManagerRestoredStateScanServicesKey: String = "kCBRestoredScanServices"

/// The options a restored central manager scanned with, `[String: Any]`.
public let CBCentralManagerRestoredStateScanOptionsKey: String = "kCBRestoredScanOptions"

/// The services of a restored peripheral manager, `[CBMutableService]`.
public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"

/// What a restored peripheral manager advertised, `[String: Any]`.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"
#endif
