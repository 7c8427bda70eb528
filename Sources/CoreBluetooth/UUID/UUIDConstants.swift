#if !canImport(Darwin)
/// The descriptor with more properties of a characteristic; its value is an `NSNumber`.
public let CBUUIDCharacteristicExtendedPropertiesString: String = "2900"

/// The descriptor with a characteristic's name for people; its value is a `String`.
public let CBUUIDCharacteristicUserDescriptionString: String = "2901"

/// The descriptor by which a client subscribes; its value is an `NSNumber`. `setNotifyValue(_:for:)` writes it.
public let CBUUIDClientCharacteristicConfigurationString: String = "2902"

/// The descriptor by which a server is told to broadcast; its value is an `NSNumber`.
public let CBUUIDServerCharacteristicConfigurationString: String = "2903"

/// The descriptor with the format of a value; its value is `Data`.
public let CBUUIDCharacteristicFormatString: String = "2904"

/// The descriptor that puts several formats together; its value is `Data`.
public let CBUUIDCharacteristicAggregateFormatString: String = "2905"

/// The descriptor with the range of a value; its value is `Data`.
public let CBUUIDCharacteristicValidRangeString: String = "2906"

/// The descriptor with the times at which a value is observed; its value is `Data`.
public let CBUUIDCharacteristicObservationScheduleString: String = "2910"

/// The characteristic that holds the PSM of an L2CAP channel, as two octets, the least significant first.
public let CBUUIDL2CAPPSMCharacteristicString: String = "ABDD3056-28FA-441D-A470-55A75A52553A"
#endif
