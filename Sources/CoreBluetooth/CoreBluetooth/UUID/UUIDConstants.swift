/// The Characteristic Extended Properties descriptor. Its value is an `NSNumber`.
public let CBUUIDCharacteristicExtendedPropertiesString: String = "2900"

/// The Characteristic User Description descriptor. Its value is a `String`.
public let CBUUIDCharacteristicUserDescriptionString: String = "2901"

/// The Client Characteristic Configuration descriptor. Its value is an `NSNumber`. `setNotifyValue(_:for:)` writes it.
public let CBUUIDClientCharacteristicConfigurationString: String = "2902"

/// The Server Characteristic Configuration descriptor. Its value is an `NSNumber`.
public let CBUUIDServerCharacteristicConfigurationString: String = "2903"

/// The Characteristic Presentation Format descriptor. Its value is `Data`.
public let CBUUIDCharacteristicFormatString: String = "2904"

/// The Characteristic Aggregate Format descriptor. Its value is `Data`.
public let CBUUIDCharacteristicAggregateFormatString: String = "2905"

/// The Valid Range descriptor. Its value is `Data`.
public let CBUUIDCharacteristicValidRangeString: String = "2906"

/// The Observation Schedule descriptor. Its value is `Data`.
public let CBUUIDCharacteristicObservationScheduleString: String = "2910"

/// The characteristic with the PSM of an L2CAP service: two octets, the least significant first.
public let CBUUIDL2CAPPSMCharacteristicString: String = "ABDD3056-28FA-441D-A470-55A75A52553A"
