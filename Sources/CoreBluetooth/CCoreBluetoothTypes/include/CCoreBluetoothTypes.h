// The enumerations and option sets of CoreBluetooth as C, with the raw values of Apple's headers.
//
// An open C enumeration imports into Swift as on Apple's systems: `init?(rawValue:)` takes every integer, so a code that
// this list does not name (an application's ATT error 0x80, a value of a newer system) survives, and a `switch` wants
// `@unknown default`. A Swift `enum` would refuse such values.
#ifndef CCOREBLUETOOTHTYPES_H
#define CCOREBLUETOOTHTYPES_H

#define CB_ENUM(name) enum __attribute__((enum_extensibility(open))) name : long
#define CB_OPTIONS(name) enum __attribute__((flag_enum, enum_extensibility(open))) name : unsigned long

#pragma mark Managers

/// What the machine's Bluetooth can do for a manager at the moment.
typedef CB_ENUM(CBManagerState) {
    /// Not known yet; an update follows.
    CBManagerStateUnknown = 0,
    /// The connection to the controller was lost for a moment; an update follows.
    CBManagerStateResetting = 1,
    /// There is no Bluetooth LE controller.
    CBManagerStateUnsupported = 2,
    /// The program has no right to use the controller.
    CBManagerStateUnauthorized = 3,
    /// Bluetooth is switched off.
    CBManagerStatePoweredOff = 4,
    /// Bluetooth is on: commands are accepted.
    CBManagerStatePoweredOn = 5,
} CBManagerState;

/// Whether the user lets the program use Bluetooth. On Linux always `allowedAlways`.
typedef CB_ENUM(CBManagerAuthorization) {
    CBManagerAuthorizationNotDetermined = 0,
    CBManagerAuthorizationRestricted = 1,
    CBManagerAuthorizationDenied = 2,
    CBManagerAuthorizationAllowedAlways = 3,
} CBManagerAuthorization;

/// The older name of `CBManagerState` for the central role (deprecated since iOS 10).
typedef CB_ENUM(CBCentralManagerState) {
    CBCentralManagerStateUnknown = 0,
    CBCentralManagerStateResetting = 1,
    CBCentralManagerStateUnsupported = 2,
    CBCentralManagerStateUnauthorized = 3,
    CBCentralManagerStatePoweredOff = 4,
    CBCentralManagerStatePoweredOn = 5,
} CBCentralManagerState;

/// The older name of `CBManagerState` for the peripheral role (deprecated since iOS 10).
typedef CB_ENUM(CBPeripheralManagerState) {
    CBPeripheralManagerStateUnknown = 0,
    CBPeripheralManagerStateResetting = 1,
    CBPeripheralManagerStateUnsupported = 2,
    CBPeripheralManagerStateUnauthorized = 3,
    CBPeripheralManagerStatePoweredOff = 4,
    CBPeripheralManagerStatePoweredOn = 5,
} CBPeripheralManagerState;

/// The older name of `CBManagerAuthorization` (deprecated since iOS 13).
typedef CB_ENUM(CBPeripheralManagerAuthorizationStatus) {
    CBPeripheralManagerAuthorizationStatusNotDetermined = 0,
    CBPeripheralManagerAuthorizationStatusRestricted = 1,
    CBPeripheralManagerAuthorizationStatusDenied = 2,
    CBPeripheralManagerAuthorizationStatusAuthorized = 3,
} CBPeripheralManagerAuthorizationStatus;

/// What a connection event tells of a device.
typedef CB_ENUM(CBConnectionEvent) {
    /// The device was disconnected.
    CBConnectionEventPeerDisconnected = 0,
    /// The device was connected.
    CBConnectionEventPeerConnected = 1,
} CBConnectionEvent;

/// Abilities of a central manager beyond the common ones; in Swift `CBCentralManager.Feature`.
typedef CB_OPTIONS(CBCentralManagerFeature) {
    /// Extended advertising, for scanning and connecting.
    CBCentralManagerFeatureExtendedScanAndConnect = 1UL << 0,
    /// Measuring distance with Channel Sounding.
    CBCentralManagerFeatureChannelSounding = 1UL << 10,
} CBCentralManagerFeature;

/// How fast a peripheral wants a central to talk to it.
typedef CB_ENUM(CBPeripheralManagerConnectionLatency) {
    /// Short connection intervals: fast, and power goes with it.
    CBPeripheralManagerConnectionLatencyLow = 0,
    /// A balance of the two.
    CBPeripheralManagerConnectionLatencyMedium = 1,
    /// Long connection intervals: saves power.
    CBPeripheralManagerConnectionLatencyHigh = 2,
} CBPeripheralManagerConnectionLatency;

#pragma mark Peripherals

/// The connection of a peripheral.
typedef CB_ENUM(CBPeripheralState) {
    CBPeripheralStateDisconnected = 0,
    CBPeripheralStateConnecting = 1,
    CBPeripheralStateConnected = 2,
    CBPeripheralStateDisconnecting = 3,
} CBPeripheralState;

/// Whether a write wants an answer.
typedef CB_ENUM(CBCharacteristicWriteType) {
    /// The peer confirms, or says why it refused; `didWriteValueFor` follows.
    CBCharacteristicWriteWithResponse = 0,
    /// Nothing confirms; a value may be lost.
    CBCharacteristicWriteWithoutResponse = 1,
} CBCharacteristicWriteType;

/// The role of this side in a Channel Sounding session; in Swift `CBChannelSoundingSessionConfiguration.Role`.
typedef CB_ENUM(CBChannelSoundingSessionConfigurationRole) {
    /// This side starts the measurement.
    CBChannelSoundingSessionConfigurationRoleInitiator = 0,
} CBChannelSoundingSessionConfigurationRole;

#pragma mark Attributes

/// What can be done with a characteristic, and how.
typedef CB_OPTIONS(CBCharacteristicProperties) {
    /// The value can be broadcast; not for local characteristics.
    CBCharacteristicPropertyBroadcast = 0x01,
    /// The value can be read.
    CBCharacteristicPropertyRead = 0x02,
    /// The value can be written without a response.
    CBCharacteristicPropertyWriteWithoutResponse = 0x04,
    /// The value can be written with a response.
    CBCharacteristicPropertyWrite = 0x08,
    /// The value can be notified, without confirmation.
    CBCharacteristicPropertyNotify = 0x10,
    /// The value can be indicated, with confirmation.
    CBCharacteristicPropertyIndicate = 0x20,
    /// The value can be written with a signature.
    CBCharacteristicPropertyAuthenticatedSignedWrites = 0x40,
    /// A descriptor holds more properties; not for local characteristics.
    CBCharacteristicPropertyExtendedProperties = 0x80,
    /// Only trusted devices can have notifications.
    CBCharacteristicPropertyNotifyEncryptionRequired = 0x100,
    /// Only trusted devices can have indications.
    CBCharacteristicPropertyIndicateEncryptionRequired = 0x200,
} CBCharacteristicProperties;

/// What clients may do with the value of a local characteristic.
typedef CB_OPTIONS(CBAttributePermissions) {
    /// Everyone may read.
    CBAttributePermissionsReadable = 0x01,
    /// Everyone may write.
    CBAttributePermissionsWriteable = 0x02,
    /// Trusted devices may read.
    CBAttributePermissionsReadEncryptionRequired = 0x04,
    /// Trusted devices may write.
    CBAttributePermissionsWriteEncryptionRequired = 0x08,
} CBAttributePermissions;

#pragma mark Errors

/// What went wrong on this side or with the link; in Swift `CBError.Code`.
typedef CB_ENUM(CBErrorCode) {
    CBErrorCodeUnknown = 0,
    CBErrorCodeInvalidParameters = 1,
    CBErrorCodeInvalidHandle = 2,
    CBErrorCodeNotConnected = 3,
    CBErrorCodeOutOfSpace = 4,
    CBErrorCodeOperationCancelled = 5,
    CBErrorCodeConnectionTimeout = 6,
    CBErrorCodePeripheralDisconnected = 7,
    CBErrorCodeUUIDNotAllowed __attribute__((swift_name("uuidNotAllowed"))) = 8,
    CBErrorCodeAlreadyAdvertising = 9,
    CBErrorCodeConnectionFailed = 10,
    CBErrorCodeConnectionLimitReached = 11,
    /// The misspelt name is Apple's; `unknownDevice` is its alias.
    CBErrorCodeUnkownDevice = 12,
    CBErrorCodeOperationNotSupported = 13,
    CBErrorCodePeerRemovedPairingInformation = 14,
    CBErrorCodeEncryptionTimedOut = 15,
    CBErrorCodeTooManyLEPairedDevices __attribute__((swift_name("tooManyLEPairedDevices"))) = 16,
    CBErrorCodeLeGattExceededBackgroundNotificationLimit = 17,
    CBErrorCodeLeGattNearBackgroundNotificationLimit = 18,
    CBErrorCodeChannelSoundingConfigurationFailed = 19,
    CBErrorCodeChannelSoundingProcedureFailed = 20,
} CBErrorCode;

/// What a GATT server answers to a request that it refuses; in Swift `CBATTError.Code`. Values without a name here are
/// application or profile codes and are kept.
typedef CB_ENUM(CBATTErrorCode) {
    CBATTErrorCodeSuccess = 0x00,
    CBATTErrorCodeInvalidHandle = 0x01,
    CBATTErrorCodeReadNotPermitted = 0x02,
    CBATTErrorCodeWriteNotPermitted = 0x03,
    CBATTErrorCodeInvalidPdu = 0x04,
    CBATTErrorCodeInsufficientAuthentication = 0x05,
    CBATTErrorCodeRequestNotSupported = 0x06,
    CBATTErrorCodeInvalidOffset = 0x07,
    CBATTErrorCodeInsufficientAuthorization = 0x08,
    CBATTErrorCodePrepareQueueFull = 0x09,
    CBATTErrorCodeAttributeNotFound = 0x0A,
    CBATTErrorCodeAttributeNotLong = 0x0B,
    CBATTErrorCodeInsufficientEncryptionKeySize = 0x0C,
    CBATTErrorCodeInvalidAttributeValueLength = 0x0D,
    CBATTErrorCodeUnlikelyError = 0x0E,
    CBATTErrorCodeInsufficientEncryption = 0x0F,
    CBATTErrorCodeUnsupportedGroupType = 0x10,
    CBATTErrorCodeInsufficientResources = 0x11,
} CBATTErrorCode;

#undef CB_ENUM
#undef CB_OPTIONS

#endif
