public import Foundation

/// A frame of Google's open beacon format, in the service data of the UUID 0xFEAA.
///
/// A central receives the octets as the value of that UUID in `CBAdvertisementDataServiceDataKey`. A beacon also advertises the
/// UUID in its list of services.
public enum Eddystone: Hashable, Sendable {
    /// Frame type 0x00: a constant identifier.
    case uid(EddystoneUID)
    /// Frame type 0x10: a compressed URL.
    case url(EddystoneURL)
    /// Frame type 0x20, version 0: telemetry of the beacon.
    case telemetry(EddystoneTelemetry)
    /// Frame type 0x20, version 1: telemetry, encrypted with the beacon's identity key.
    case encryptedTelemetry(EddystoneEncryptedTelemetry)
    /// Frame type 0x30: a changing identifier that only the owner can resolve.
    case ephemeralIdentifier(EddystoneEphemeralIdentifier)

    /// The service UUID of all frames.
    public static let serviceUUID: UInt16 = 0xFEAA

    /// Decodes the service data of the UUID 0xFEAA. Nil if no frame type matches or the length is invalid.
    public init?(serviceData data: Data) {
        var reader = OctetReader(data)
        switch reader.octet() {
        case EddystoneUID.frameType: self.init(EddystoneUID(&reader), Self.uid)
        case EddystoneURL.frameType: self.init(EddystoneURL(&reader), Self.url)
        case EddystoneTelemetry.frameType:
            switch reader.octet() {
            case EddystoneTelemetry.version: self.init(EddystoneTelemetry(&reader), Self.telemetry)
            case EddystoneEncryptedTelemetry.version:
                self.init(EddystoneEncryptedTelemetry(&reader), Self.encryptedTelemetry)
            default: return nil
            }
        case EddystoneEphemeralIdentifier.frameType:
            self.init(EddystoneEphemeralIdentifier(&reader), Self.ephemeralIdentifier)
        default: return nil
        }
    }

    private init?<Frame>(_ frame: Frame?, _ wrap: (Frame) -> Self) {
        guard let frame else { return nil }
        self = wrap(frame)
    }

    /// The service data of the UUID 0xFEAA for this frame, at most 20 octets.
    public var serviceData: Data {
        switch self {
        case .uid(let frame): frame.serviceData
        case .url(let frame): frame.serviceData
        case .telemetry(let frame): frame.serviceData
        case .encryptedTelemetry(let frame): frame.serviceData
        case .ephemeralIdentifier(let frame): frame.serviceData
        }
    }

    /// The signal strength at a distance of 0 m in dBm; nil for telemetry. The strength at 1 m is 41 dB less.
    public var powerAtZeroMetres: Int8? {
        switch self {
        case .uid(let frame): frame.powerAtZeroMetres
        case .url(let frame): frame.powerAtZeroMetres
        case .ephemeralIdentifier(let frame): frame.powerAtZeroMetres
        case .telemetry, .encryptedTelemetry: nil
        }
    }
}

/// Eddystone-UID: a namespace of 10 octets and an instance of 6 octets.
public struct EddystoneUID: Hashable, Sendable {
    /// The signal strength at a distance of 0 m in dBm.
    public var powerAtZeroMetres: Int8
    /// 10 octets.
    public let namespace: Data
    /// 6 octets.
    public let instance: Data

    /// - Throws: ``BeaconError/length(_:expected:)`` unless `namespace` has 10 octets and `instance` has 6.
    public init(powerAtZeroMetres: Int8, namespace: Data, instance: Data) throws(BeaconError) {
        try BeaconError.check(namespace, 10)
        try BeaconError.check(instance, 6)
        self.powerAtZeroMetres = powerAtZeroMetres
        self.namespace = Data(namespace)
        self.instance = Data(instance)
    }

    static let frameType: UInt8 = 0x00

    /// Older beacons omit the two reserved octets at the end.
    init?(_ reader: inout OctetReader) {
        guard let power = reader.octet(), let namespace = reader.octets(10), let instance = reader.octets(6),
            reader.count == 0 || reader.count == 2
        else { return nil }
        self.powerAtZeroMetres = Int8(bitPattern: power)
        self.namespace = namespace
        self.instance = instance
    }

    var serviceData: Data {
        Data([Self.frameType, UInt8(bitPattern: powerAtZeroMetres)]) + namespace + instance + Data([0, 0])
    }
}

/// Eddystone-TLM without encryption.
public struct EddystoneTelemetry: Hashable, Sendable {
    /// The battery voltage in millivolts; 0 without a battery.
    public var batteryVoltage: UInt16
    /// The temperature in degrees Celsius, in steps of 1/256; nil without a sensor (0x8000).
    public var temperature: Double?
    /// The number of advertising events since the start of the beacon.
    public var advertisementCount: UInt32
    /// The time since the start of the beacon in units of 0.1 s.
    public var uptime: UInt32

    /// Creates a frame. See the properties for the units.
    public init(batteryVoltage: UInt16, temperature: Double?, advertisementCount: UInt32, uptime: UInt32) {
        self.batteryVoltage = batteryVoltage
        self.temperature = temperature
        self.advertisementCount = advertisementCount
        self.uptime = uptime
    }

    static let frameType: UInt8 = 0x20
    static let version: UInt8 = 0x00

    init?(_ reader: inout OctetReader) {
        guard let voltage = reader.big16(), let temperature = reader.big16(), let count = reader.big32(),
            let uptime = reader.big32(), reader.count == 0
        else { return nil }
        self.init(
            batteryVoltage: voltage,
            temperature: temperature == 0x8000 ? nil : Double(Int16(bitPattern: temperature)) / 256,
            advertisementCount: count, uptime: uptime)
    }

    var serviceData: Data {
        var data = Data([Self.frameType, Self.version])
        data.append(big: batteryVoltage)
        data.append(big: encodedTemperature)
        data.append(big: advertisementCount)
        data.append(big: uptime)
        return data
    }

    /// An 8.8 fixed-point number. A value outside the range becomes the nearest one, so that none becomes 0x8000.
    private var encodedTemperature: UInt16 {
        guard let temperature, !temperature.isNaN else { return 0x8000 }
        return UInt16(bitPattern: Int16(min(max((temperature * 256).rounded(), -32_767), 32_767)))
    }
}

/// Eddystone-eTLM: encrypted telemetry for the owner of the identity key.
public struct EddystoneEncryptedTelemetry: Hashable, Sendable {
    /// 12 octets of AES-EAX ciphertext.
    public let ciphertext: Data
    /// A part of the nonce.
    public var salt: UInt16
    /// The truncated authentication tag.
    public var messageIntegrityCheck: UInt16

    /// - Throws: ``BeaconError/length(_:expected:)`` unless `ciphertext` has 12 octets.
    public init(ciphertext: Data, salt: UInt16, messageIntegrityCheck: UInt16) throws(BeaconError) {
        try BeaconError.check(ciphertext, 12)
        self.ciphertext = Data(ciphertext)
        self.salt = salt
        self.messageIntegrityCheck = messageIntegrityCheck
    }

    static let version: UInt8 = 0x01

    init?(_ reader: inout OctetReader) {
        guard let ciphertext = reader.octets(12), let salt = reader.big16(), let check = reader.big16(),
            reader.count == 0
        else { return nil }
        self.ciphertext = ciphertext
        self.salt = salt
        messageIntegrityCheck = check
    }

    var serviceData: Data {
        var data = Data([EddystoneTelemetry.frameType, Self.version]) + ciphertext
        data.append(big: salt)
        data.append(big: messageIntegrityCheck)
        return data
    }
}

/// Eddystone-EID: an identifier of 8 octets that changes after minutes or hours.
public struct EddystoneEphemeralIdentifier: Hashable, Sendable {
    /// The signal strength at a distance of 0 m in dBm.
    public var powerAtZeroMetres: Int8
    /// 8 octets.
    public let identifier: Data

    /// - Throws: ``BeaconError/length(_:expected:)`` unless `identifier` has 8 octets.
    public init(powerAtZeroMetres: Int8, identifier: Data) throws(BeaconError) {
        try BeaconError.check(identifier, 8)
        self.powerAtZeroMetres = powerAtZeroMetres
        self.identifier = Data(identifier)
    }

    static let frameType: UInt8 = 0x30

    init?(_ reader: inout OctetReader) {
        guard let power = reader.octet(), let identifier = reader.octets(8), reader.count == 0 else { return nil }
        self.powerAtZeroMetres = Int8(bitPattern: power)
        self.identifier = identifier
    }

    var serviceData: Data { Data([Self.frameType, UInt8(bitPattern: powerAtZeroMetres)]) + identifier }
}
