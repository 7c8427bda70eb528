import BLEAdapter
import BLEAssignedNumbers
import BLEBeacons
import BLEValues
import BLEWire
import Foundation

/// The decoded advertising data and scan response of a device.
package struct AdvertisementContent {
    package private(set) var name: String?
    package private(set) var services: [BluetoothUUID] = []
    /// With the company identifier.
    package private(set) var manufacturerData: Data?
    package private(set) var serviceData: [BluetoothUUID: Data] = [:]
    /// dBm.
    package private(set) var transmitPower: Int?
    package private(set) var appearance: UInt16?
    package private(set) var beacon: Beacon?
    package private(set) var publishedAddress: PublishedAddress?

    /// The most services of one device in the table. A packet has room for 13 of the short ones.
    private static let serviceLimit = 32

    init() {}

    /// - Parameter isScanResponseNewer: Which half of the octets precedes if both have a value for one key.
    package init(_ octets: AdvertisingOctets, address: DeviceAddress?, isScanResponseNewer: Bool) {
        name = AD.localName(in: octets.data, scanResponse: octets.scanResponse)
        read(isScanResponseNewer ? octets.data : octets.scanResponse)
        read(isScanResponseNewer ? octets.scanResponse : octets.data)
        beacon = Beacon(
            manufacturerData: manufacturerData, eddystoneData: serviceData[BluetoothUUID(Eddystone.serviceUUID)])
        publishedAddress = PublishedAddress.find(in: octets, onAir: address)
    }

    private mutating func read(_ octets: Span<UInt8>) {
        var structures = AD.Structures(octets)
        while let structure = structures.next() {
            switch structure.type {
            case .manufacturerData where structure.data.count >= 2: manufacturerData = Data([UInt8](structure.data))
            case .transmitPower:
                transmitPower = structure.content(as: AD.TransmitPower.self).map { Int($0.level) }
            case .appearance: appearance = structure.content(as: AD.Appearance.self)?.value
            default:
                var found: [BluetoothUUID] = []
                structure.forEachServiceUUID { found.append($0) }
                add(found)
                if let uuid = structure.serviceDataUUID, let value = structure.serviceDataValue {
                    serviceData[uuid] = Data([UInt8](value))
                }
            }
        }
    }

    private mutating func add(_ found: [BluetoothUUID]) {
        for service in found where services.count < Self.serviceLimit && !services.contains(service) {
            services.append(service)
        }
    }

    /// Keeps what an earlier packet contained and this one does not. Beacons alternate between packets.
    mutating func complete(with earlier: AdvertisementContent) {
        name = name ?? earlier.name
        manufacturerData = manufacturerData ?? earlier.manufacturerData
        transmitPower = transmitPower ?? earlier.transmitPower
        appearance = appearance ?? earlier.appearance
        publishedAddress = publishedAddress ?? earlier.publishedAddress
        if beacon?.measuredPower == nil { beacon = earlier.beacon ?? beacon }
        add(earlier.services)
        for (service, data) in earlier.serviceData where serviceData.count < Self.serviceLimit {
            serviceData[service] = serviceData[service] ?? data
        }
    }

    /// The SIG name of the company in the manufacturer data.
    package var company: String? {
        guard let data = manufacturerData, data.count >= 2 else { return nil }
        return Self.company(UInt16(data[data.startIndex]) | UInt16(data[data.startIndex + 1]) << 8)
    }

    package static func company(_ identifier: UInt16) -> String {
        AssignedNumbers.company(identifier) ?? "company \(hexadecimal(identifier, digits: 4))"
    }

    /// Whether the text of a company can contain `wanted`, in lower case.
    package static func isPossibleCompany(_ wanted: String) -> Bool {
        let isNumbered = !wanted.isEmpty && (wanted.hasPrefix("company ") || "company ".hasPrefix(wanted))
        return isNumbered || AssignedNumbers.hasCompany(containing: wanted)
            || (wanted.count <= 4 && !wanted.isEmpty && wanted.allSatisfy(\.isHexDigit))
    }

    /// The beacon and the services as text.
    package var summary: String {
        let eddystone = BluetoothUUID(Eddystone.serviceUUID)
        let names = services.filter { beacon == nil || $0 != eddystone }.map(ServiceName.text)
        return ([beacon.map(BeaconText.short)].compactMap { $0 } + names).joined(separator: ", ")
    }
}

/// The names of services.
package enum ServiceName {
    /// The SIG name, or the digits of the UUID.
    package static func text(_ uuid: BluetoothUUID) -> String {
        AssignedNumbers.name(ofService: uuid) ?? uuid.description
    }

    /// The digits with the SIG name, or with the company to which the UUID belongs.
    package static func long(_ uuid: BluetoothUUID) -> String {
        let name = AssignedNumbers.name(ofService: uuid) ?? AssignedNumbers.name(ofMember: uuid)
        return name.map { "\(uuid.description) (\($0))" } ?? uuid.description
    }

    /// Whether a service can fit `wanted`, in lower case: it is a UUID or the start of one, or a part of a SIG name.
    package static func isPossible(_ wanted: String) -> Bool {
        let digits = wanted.hasPrefix("0x") ? String(wanted.dropFirst(2)) : wanted
        if BluetoothUUID(digits) != nil { return true }
        if digits.count >= 4, digits.utf8.count <= 36, digits.allSatisfy({ $0.isHexDigit || $0 == "-" }) { return true }
        return !wanted.isEmpty
            && AssignedNumbers.names(in: .services).contains { $0.lowercased().contains(wanted) }
    }

    /// Whether `wanted`, in lower case, is the UUID, four or more of its first digits, the name, or a part of it.
    package static func fits(_ uuid: BluetoothUUID, _ wanted: String) -> Bool {
        if AssignedNumbers.name(ofService: uuid)?.lowercased().contains(wanted) == true { return true }
        if BluetoothUUID(wanted.hasPrefix("0x") ? String(wanted.dropFirst(2)) : wanted) == uuid { return true }
        return wanted.count >= 4 && uuid.description.lowercased().hasPrefix(wanted)
    }
}

/// Beacons as text.
package enum BeaconText {
    /// The format and the beginning of the identifier.
    package static func short(_ beacon: Beacon) -> String {
        switch beacon {
        case .iBeacon(let beacon): "iBeacon \(beacon.uuid.uuidString.prefix(8))\u{2026} \(beacon.major).\(beacon.minor)"
        case .altBeacon(let beacon): "AltBeacon \(octets(beacon.identifier.prefix(4)))\u{2026}"
        case .eddystone(.url(let url)): "Eddystone \(url.text)"
        case .eddystone(.uid(let uid)): "Eddystone \(octets(uid.instance))"
        case .eddystone: "Eddystone"
        }
    }

    /// All fields.
    package static func long(_ beacon: Beacon) -> String {
        let power = beacon.measuredPower.map { ", \($0) dBm at 1 m" } ?? ""
        switch beacon {
        case .iBeacon(let beacon):
            return "iBeacon \(beacon.uuid.uuidString), major \(beacon.major), minor \(beacon.minor)\(power)"
        case .altBeacon(let beacon):
            return "AltBeacon \(octets(beacon.identifier))\(power)"
        case .eddystone(.uid(let uid)):
            let name = octets(uid.namespace)
            return "Eddystone-UID namespace \(name), instance \(octets(uid.instance))\(power)"
        case .eddystone(.url(let url)): return "Eddystone-URL \(url.text)\(power)"
        case .eddystone(.telemetry(let frame)):
            let temperature = frame.temperature.map { "\(shortDecimal($0)) °C" } ?? "no temperature"
            return "Eddystone-TLM \(frame.batteryVoltage) mV, \(temperature), \(frame.advertisementCount) packets, "
                + "up \(shortDecimal(Double(frame.uptime) / 10)) s"
        case .eddystone(.encryptedTelemetry): return "Eddystone-TLM, encrypted"
        case .eddystone(.ephemeralIdentifier(let frame)):
            return "Eddystone-EID \(octets(frame.identifier))\(power)"
        }
    }

    private static func octets(_ data: Data) -> String {
        data.map { hexadecimal($0, digits: 2) }.joined(separator: " ")
    }
}
