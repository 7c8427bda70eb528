// MARK: Initialiser options

/// A Boolean: show an alert if Bluetooth is off. Accepted without effect, because Linux has no such alert.
public let CBCentralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"

/// A string that identifies the manager for state restoration. The host stores the manager's state on disk. After a crash or a
/// restart, a manager with the same string restores the state. All programs of a user share these identifiers, so choose a unique
/// one such as `org.example.gateway`. The manager's release deletes the state.
public let CBCentralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

/// A Boolean for media devices of Apple's platforms. Accepted without effect.
public let CBCentralManagerOptionDeviceAccessForMedia: String = "kCBInitOptionDeviceAccessForMedia"

/// A Boolean: show an alert if Bluetooth is off. Accepted without effect, because Linux has no such alert.
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"

/// A string that identifies the manager for state restoration; see ``CBCentralManagerOptionRestoreIdentifierKey``.
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

// MARK: Scan options

/// A Boolean: report every received packet instead of each device once. During such a scan the manager keeps a reference to the latest
/// 512 peripherals that have no connection.
public let CBCentralManagerScanOptionAllowDuplicatesKey: String = "kCBScanOptionAllowDuplicates"

/// An array of `CBUUID`: also report devices that solicit one of these services.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey: String = "kCBScanOptionSolicitedServiceUUIDs"

// MARK: Connection options

/// A Boolean about an alert of the system. Accepted without effect.
public let CBConnectPeripheralOptionNotifyOnConnectionKey: String = "kCBConnectOptionNotifyOnConnection"

/// A Boolean about an alert of the system. Accepted without effect.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey: String = "kCBConnectOptionNotifyOnDisconnection"

/// A Boolean about an alert of the system. Accepted without effect.
public let CBConnectPeripheralOptionNotifyOnNotificationKey: String = "kCBConnectOptionNotifyOnNotification"

/// A number: the delay before the attempt in seconds.
public let CBConnectPeripheralOptionStartDelayKey: String = "kCBConnectOptionStartDelay"

/// A Boolean about Bluetooth Classic profiles. Accepted without effect.
public let CBConnectPeripheralOptionEnableTransportBridgingKey: String = "kCBConnectOptionEnableTransportBridging"

/// A Boolean about Apple's notification service. Accepted without effect.
public let CBConnectPeripheralOptionRequiresANCS: String = "kCBConnectOptionRequiresANCS"

/// A Boolean: connect again after a loss of the link.
public let CBConnectPeripheralOptionEnableAutoReconnect: String = "kCBConnectOptionEnableAutoReconnect"

// MARK: Restored state

/// The peripherals of a restored central manager, `[CBPeripheral]`.
public let CBCentralManagerRestoredStatePeripheralsKey: String = "kCBRestoredPeripherals"

/// The services of a restored scan, `[CBUUID]`.
public let CBCentralManagerRestoredStateScanServicesKey: String = "kCBRestoredScanServices"

/// The options of a restored scan, `[String: Any]`.
public let CBCentralManagerRestoredStateScanOptionsKey: String = "kCBRestoredScanOptions"

/// The services of a restored peripheral manager, `[CBMutableService]`.
public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"

/// The advertisement of a restored peripheral manager, `[String: Any]`.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"
