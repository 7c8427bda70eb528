/// The local name in an advertisement, a `String`. Central and peripheral role.
public let CBAdvertisementDataLocalNameKey: String = "kCBAdvDataLocalName"

/// The transmit power in an advertisement, an `NSNumber` in dBm.
public let CBAdvertisementDataTxPowerLevelKey: String = "kCBAdvDataTxPowerLevel"

/// The services in an advertisement, `[CBUUID]`. Central and peripheral role.
public let CBAdvertisementDataServiceUUIDsKey: String = "kCBAdvDataServiceUUIDs"

/// The service data in an advertisement, `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"

/// The manufacturer data in an advertisement: `Data` that begins with the company identifier, the least significant octet first.
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"

/// Services of Apple's overflow area, `[CBUUID]`. Their format is Apple's own, and Linux does not decode it.
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"

/// Whether the advertising event is connectable, an `NSNumber` with a Boolean.
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"

/// The solicited services in an advertisement, `[CBUUID]`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"
