/// A field of a PDU with fixed fields, from its declaration in `BLEWire`.
struct FieldLayout: Hashable, Sendable {
    var name: String
    var octets: Int
    var kind: FieldKind
    var unit: FieldUnit?

    init(_ name: String, _ octets: Int, _ kind: FieldKind, _ unit: FieldUnit? = nil) {
        self.name = name
        self.octets = octets
        self.kind = kind
        self.unit = unit
    }
}

/// The layouts by opcode or code. `Scripts/generate-pdus` writes them.
enum FieldLayouts {}

/// The type of a field.
enum FieldKind: Hashable, Sendable {
    /// A little-endian integer.
    case number
    /// An octet with a sign.
    case signed
    case bool
    case controlOpcode, featureSet, phySet, channelMap, sessionPart
    case powerPHYSet, powerLimits, channelClassification
    case syncInfo, periodicAdvertiserInfo, advertiserAddress
    case channelIdentifier, connectionParameterUpdateResponseResult, creditBasedConnectionResponseResult
    case enhancedReconfigureResponseResult
    case ioCapability, authenticationRequirements, keyDistribution, failureReason, keypressNotificationKind
    case longTermKey, identityResolvingKey, signatureKey
}

/// The unit of an integer.
enum FieldUnit: Hashable, Sendable {
    /// 1.25 ms.
    case slots
    case tensOfMilliseconds
    /// 200 ms.
    case fifthsOfSecond
    /// 0.125 ms.
    case eighthsOfMilliseconds
    case microseconds
    case decibels
    case decibelMilliwatts
    case octets
    /// An HCI error code (Vol 1, Part F).
    case errorCode
    /// A company identifier.
    case company
}
