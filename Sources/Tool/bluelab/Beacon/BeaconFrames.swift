import ArgumentParser
import BLEBeacons
import BLEValues
import BLEWire
import Foundation

/// The options that describe the frames of a beacon.
struct BeaconFrames: ParsableArguments {
    @Option(
        help: ArgumentHelp("An iBeacon: proximity UUID, major and minor number.", valueName: "uuid:major:minor"),
        transform: Self.iBeacon)
    var ibeacon: [IBeacon] = []

    @Option(
        help: ArgumentHelp(
            "An AltBeacon: company identifier and 20 octets of beacon identifier, in hexadecimal digits.",
            valueName: "company:identifier"), transform: Self.altBeacon)
    var altbeacon: [AltBeacon] = []

    @Option(
        help: ArgumentHelp(
            "An Eddystone-UID frame: a namespace of 10 octets and an instance of 6, in hexadecimal digits.",
            valueName: "namespace:instance"), transform: Self.eddystoneUID)
    var eddystoneUid: [EddystoneUID] = []

    @Option(
        help: ArgumentHelp("An Eddystone-URL frame: up to 17 octets after compression.", valueName: "url"),
        transform: Self.eddystoneURL)
    var eddystoneUrl: [EddystoneURL] = []

    @Option(
        help: ArgumentHelp(
            "An Eddystone-TLM frame: battery voltage in millivolts and temperature in degrees Celsius, such as 3000:21.5. The number of advertisements and the uptime count from the start of the command.",
            valueName: "voltage[:temperature]"), transform: Self.eddystoneTelemetry)
    var eddystoneTlm: [EddystoneTelemetry] = []

    @Option(
        help: ArgumentHelp("An Eddystone-EID frame: 8 octets in hexadecimal digits.", valueName: "identifier"),
        transform: Self.eddystoneEphemeralIdentifier)
    var eddystoneEid: [EddystoneEphemeralIdentifier] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The signal strength that receivers measure at 1 m, -127 to 20. Eddystone frames carry the value for 0 m, which is 41 dB higher.",
            valueName: "dBm"))
    var measuredPower = -59

    func validate() throws {
        guard (-127...20).contains(measuredPower) else {
            throw ValidationError("--measured-power must be from -127 to 20 dBm, not \(measuredPower).")
        }
        guard !all.isEmpty else {
            throw ValidationError(
                "A beacon needs a format, such as --ibeacon UUID:MAJOR:MINOR or --eddystone-url https://example.com.")
        }
    }

    /// The frames in the order of the options.
    var all: [Beacon] {
        let power = Int8(clamping: measuredPower)
        // The path loss over the first metre at 2.4 GHz, as Eddystone defines it.
        let powerAtZeroMetres = Int8(clamping: measuredPower + 41)
        var frames: [Beacon] = ibeacon.map { beacon in
            var beacon = beacon
            beacon.measuredPower = power
            return .iBeacon(beacon)
        }
        frames += altbeacon.map { beacon in
            var beacon = beacon
            beacon.referenceRSSI = power
            return .altBeacon(beacon)
        }
        frames += eddystoneUid.map { frame in
            var frame = frame
            frame.powerAtZeroMetres = powerAtZeroMetres
            return .eddystone(.uid(frame))
        }
        frames += eddystoneUrl.map { frame in
            var frame = frame
            frame.powerAtZeroMetres = powerAtZeroMetres
            return .eddystone(.url(frame))
        }
        frames += eddystoneTlm.map { .eddystone(.telemetry($0)) }
        frames += eddystoneEid.map { frame in
            var frame = frame
            frame.powerAtZeroMetres = powerAtZeroMetres
            return .eddystone(.ephemeralIdentifier(frame))
        }
        return frames
    }

    /// `UUID:MAJOR:MINOR`.
    private static func iBeacon(_ text: String) throws -> IBeacon {
        let parts = parts(of: text)
        guard parts.count == 3, let uuid = UUID(uuidString: parts[0]), let major = UInt16(parts[1]),
            let minor = UInt16(parts[2])
        else {
            throw ValidationError("an iBeacon must be UUID:MAJOR:MINOR with numbers up to 65535, not \"\(text)\".")
        }
        return IBeacon(uuid: uuid, major: major, minor: minor)
    }

    private static func altBeacon(_ text: String) throws -> AltBeacon {
        let parts = parts(of: text)
        guard parts.count == 2, parts[0].count <= 4, let company = UInt16(parts[0], radix: 16),
            let identifier = Hexadecimal.octets(parts[1]),
            let beacon = try? AltBeacon(company: company, identifier: Data(identifier), referenceRSSI: 0)
        else { throw ValidationError("an AltBeacon must be COMPANY:IDENTIFIER with 20 octets, not \"\(text)\".") }
        return beacon
    }

    private static func eddystoneUID(_ text: String) throws -> EddystoneUID {
        let parts = parts(of: text)
        guard parts.count == 2, let namespace = Hexadecimal.octets(parts[0]),
            let instance = Hexadecimal.octets(parts[1]),
            let frame = try? EddystoneUID(powerAtZeroMetres: 0, namespace: Data(namespace), instance: Data(instance))
        else {
            throw ValidationError(
                "an Eddystone-UID must be NAMESPACE:INSTANCE with 10 and 6 octets, not \"\(text)\".")
        }
        return frame
    }

    private static func eddystoneURL(_ text: String) throws -> EddystoneURL {
        guard let frame = try? EddystoneURL(powerAtZeroMetres: 0, text: text) else {
            throw ValidationError(
                "an Eddystone-URL must begin with http:// or https:// and fit into 17 octets after compression, not \"\(text)\"."
            )
        }
        return frame
    }

    private static func eddystoneTelemetry(_ text: String) throws -> EddystoneTelemetry {
        let parts = parts(of: text)
        let temperature = parts.count == 2 ? Double(parts[1]) : nil
        guard let voltage = UInt16(parts[0]), parts.count == 1 || parts.count == 2 && temperature != nil,
            abs(temperature ?? 0) < 128
        else {
            throw ValidationError(
                "an Eddystone-TLM must be MILLIVOLTS:TEMPERATURE, such as 3000:21.5, not \"\(text)\".")
        }
        return EddystoneTelemetry(batteryVoltage: voltage, temperature: temperature, advertisementCount: 0, uptime: 0)
    }

    private static func eddystoneEphemeralIdentifier(_ text: String) throws -> EddystoneEphemeralIdentifier {
        guard let identifier = Hexadecimal.octets(text),
            let frame = try? EddystoneEphemeralIdentifier(powerAtZeroMetres: 0, identifier: Data(identifier))
        else { throw ValidationError("an Eddystone-EID must have 8 octets, not \"\(text)\".") }
        return frame
    }

    private static func parts(of text: String) -> [String] {
        text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }
}

extension Beacon {
    /// The format, as in its specification.
    var format: String {
        switch self {
        case .iBeacon: "iBeacon"
        case .altBeacon: "AltBeacon"
        case .eddystone(.uid): "Eddystone-UID"
        case .eddystone(.url): "Eddystone-URL"
        case .eddystone(.telemetry): "Eddystone-TLM"
        case .eddystone(.encryptedTelemetry): "Eddystone-eTLM"
        case .eddystone(.ephemeralIdentifier): "Eddystone-EID"
        }
    }

    /// The content, in the form that `bluelab beacon send` accepts where it accepts the format.
    var content: String {
        func digits(_ data: Data) -> String { Hexadecimal.digits(data) }
        switch self {
        case .iBeacon(let beacon): return "\(beacon.uuid.uuidString):\(beacon.major):\(beacon.minor)"
        case .altBeacon(let beacon):
            return "\(Hexadecimal.digits([UInt8(beacon.company >> 8), UInt8(beacon.company & 0xFF)])):"
                + digits(beacon.identifier)
        case .eddystone(.uid(let frame)): return "\(digits(frame.namespace)):\(digits(frame.instance))"
        case .eddystone(.url(let frame)): return ValueText.printable(frame.text)
        case .eddystone(.telemetry(let frame)):
            let temperature = frame.temperature.map { ":\(number($0))" } ?? ""
            return "\(frame.batteryVoltage)\(temperature)"
        case .eddystone(.encryptedTelemetry(let frame)): return digits(frame.ciphertext)
        case .eddystone(.ephemeralIdentifier(let frame)): return digits(frame.identifier)
        }
    }
}
