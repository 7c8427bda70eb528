import CoreBluetooth

/// The UUIDs of Improv Wi-Fi over Bluetooth LE, version 2.
public enum ImprovService {
    /// The service.
    public static var service: CBUUID { CBUUID(string: "00467768-6228-2272-4663-277478268000") }
    /// The state: one octet; read, notify.
    public static var state: CBUUID { CBUUID(string: "00467768-6228-2272-4663-277478268001") }
    /// The error: one octet; read, notify.
    public static var error: CBUUID { CBUUID(string: "00467768-6228-2272-4663-277478268002") }
    /// Commands; write.
    public static var command: CBUUID { CBUUID(string: "00467768-6228-2272-4663-277478268003") }
    /// Results; read, notify.
    public static var result: CBUUID { CBUUID(string: "00467768-6228-2272-4663-277478268004") }
    /// The capabilities: one octet; read.
    public static var capabilities: CBUUID { CBUUID(string: "00467768-6228-2272-4663-277478268005") }
    /// The UUID of the service data in advertisements.
    public static var serviceData: CBUUID { CBUUID(string: "4677") }
}

/// The state of a device.
public struct ImprovState: RawRepresentable, Hashable, Sendable {
    /// The octet of the characteristic.
    public let rawValue: UInt8
    /// Creates a state from its octet.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The user has to authorise the device, such as with a button.
    public static let authorizationRequired = ImprovState(rawValue: 1)
    /// The device takes credentials.
    public static let authorized = ImprovState(rawValue: 2)
    /// The device joins the network.
    public static let provisioning = ImprovState(rawValue: 3)
    /// The device has joined the network.
    public static let provisioned = ImprovState(rawValue: 4)
}

/// The error that a device shows.
public struct ImprovError: RawRepresentable, Hashable, Sendable, Error {
    /// The octet of the characteristic.
    public let rawValue: UInt8
    /// Creates an error from its octet.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is no error.
    public static let none = ImprovError(rawValue: 0)
    /// The command has a wrong length or checksum.
    public static let invalidPacket = ImprovError(rawValue: 1)
    /// The device does not have the command.
    public static let unknownCommand = ImprovError(rawValue: 2)
    /// The device could not join the network.
    public static let unableToConnect = ImprovError(rawValue: 3)
    /// The user has not authorised the device.
    public static let notAuthorized = ImprovError(rawValue: 4)
    /// The host name is not valid.
    public static let badHostname = ImprovError(rawValue: 5)
    /// Another error.
    public static let unknown = ImprovError(rawValue: 0xFF)
}

/// What a device can do besides joining a network.
public struct ImprovCapabilities: OptionSet, Hashable, Sendable {
    /// The octet of the characteristic.
    public let rawValue: UInt8
    /// Creates a set from the octet.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The device can show which one it is.
    public static let identify = ImprovCapabilities(rawValue: 1)
    /// The device describes itself.
    public static let deviceInformation = ImprovCapabilities(rawValue: 2)
    /// The device lists the networks that it sees.
    public static let networkScan = ImprovCapabilities(rawValue: 4)
}

/// The name and the password of a network.
///
/// Descriptions, dumps and mirrors do not contain the password.
public struct WiFiCredentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The name of the network: 1 to 32 octets of UTF-8.
    public let network: String
    /// The password; empty for an open network.
    public let password: String

    /// - Throws: ``WiFiCredentialsError`` if the name has not 1 to 32 octets of UTF-8 (IEEE 802.11, 9.4.2.2), or the password more than 64.
    public init(network: String, password: String) throws(WiFiCredentialsError) {
        guard (1...32).contains(network.utf8.count) else { throw .network }
        guard password.utf8.count <= 64 else { throw .password }
        self.network = network
        self.password = password
    }

    /// The name of the network.
    public var description: String { "WiFiCredentials(network: \(network), password: hidden)" }
    /// The name of the network.
    public var debugDescription: String { description }
    /// The name of the network.
    public var customMirror: Mirror { Mirror(self, children: ["network": network]) }
}

/// Why credentials are not possible.
public enum WiFiCredentialsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the network has not 1 to 32 octets of UTF-8.
    case network
    /// The password has more than 64 octets of UTF-8.
    case password

    /// A sentence about the error.
    public var description: String {
        switch self {
        case .network: "The name of a network has 1 to 32 octets."
        case .password: "The password of a network has at most 64 octets."
        }
    }
}

/// What a device says about itself.
public struct ImprovDeviceInformation: Hashable, Sendable {
    /// The name of the firmware.
    public var firmware: String
    /// The version of the firmware.
    public var version: String
    /// The chip or the variant of the hardware.
    public var hardware: String
    /// The name of the device.
    public var name: String

    /// Creates a description.
    public init(firmware: String, version: String, hardware: String, name: String) {
        self.firmware = firmware
        self.version = version
        self.hardware = hardware
        self.name = name
    }

    init?(strings: [String]) {
        guard strings.count >= 4 else { return nil }
        self.init(firmware: strings[0], version: strings[1], hardware: strings[2], name: strings[3])
    }

    var strings: [String] { [firmware, version, hardware, name] }
}

/// A network that a device sees.
public struct VisibleNetwork: Hashable, Sendable {
    /// The name of the network.
    public var name: String
    /// The signal strength in dBm.
    public var signal: Int
    /// `WPA2`, `WPA3`, `WEP`, `NO` for an open network, or several with slashes between them.
    public var security: String

    /// Creates a network.
    public init(name: String, signal: Int, security: String) {
        self.name = name
        self.signal = signal
        self.security = security
    }
}

/// The service data of an advertisement: the state and the capabilities.
public struct ImprovAdvertisement: Hashable, Sendable {
    /// The state of the device.
    public var state: ImprovState
    /// The capabilities of the device.
    public var capabilities: ImprovCapabilities

    /// Creates the content of an advertisement.
    public init(state: ImprovState, capabilities: ImprovCapabilities) {
        self.state = state
        self.capabilities = capabilities
    }

    /// Decodes the six octets of the service data; nil if there are not six.
    public init?(decoding octets: [UInt8]) {
        guard octets.count == 6 else { return nil }
        self.init(state: ImprovState(rawValue: octets[0]), capabilities: ImprovCapabilities(rawValue: octets[1]))
    }

    /// The six octets; the last four are reserved.
    public var encoded: [UInt8] { [state.rawValue, capabilities.rawValue, 0, 0, 0, 0] }
}
