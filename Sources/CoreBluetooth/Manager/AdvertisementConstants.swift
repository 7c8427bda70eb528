#if !canImport(Darwin)
/// The local name in an advertisement, a `String`. Central and peripheral role.
public let CBAdvertisementDataLocalNameKey: String = "kCBAdvDataLocalName"

/// The power an advertisement was sent with, dBm, an `NSNumber`.
public let CBAdvertisementDataTxPowerLevelKey: String = "kCBAdvDataTxPowerLevel"

/// The services in an advertisement, `[CBUUID]`. Central and peripheral role.
public let CBAdvertisementDataServiceUUIDsKey: String = "kCBAdvDataServiceUUIDs"

/// The data of services in an advertisement, `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"

/// The manufacturer data of an advertisement: `Data` that begins with the company identifier, least significant octet first.
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"

/// Services that did not fit into an advertisement, `[CBUUID]`. They stand in a form of Apple's own and are not seen on Linux.
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"

/// Whether the device can be connected to at the moment, an `NSNumber` with a Boolean.
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"

/// The services that the device looks for, `[CBUUID]`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"
#endif
