internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// The advertisement dictionary for the delegate. It has keys only for data that the advertisement contains.
struct AdvertisementDictionary {
    let dictionary: [String: Any]
    /// The services that the device advertises.
    let services: [BluetoothUUID]

    init(_ discovery: Discovery) {
        var content = AdvertisementContent(isConnectable: discovery.isConnectable)
        content.read(discovery.data.span)
        content.beginScanResponse()
        content.read(discovery.scanResponse.span)
        services = content.services
        dictionary = content.dictionary
    }
}

/// A key of the dictionary.
private enum AdvertisementKey: UInt8, CaseIterable {
    case isConnectable, localName, manufacturerData, transmitPower, services, solicitedServices, serviceData

    var name: String {
        switch self {
        case .isConnectable: CBAdvertisementDataIsConnectable
        case .localName: CBAdvertisementDataLocalNameKey
        case .manufacturerData: CBAdvertisementDataManufacturerDataKey
        case .transmitPower: CBAdvertisementDataTxPowerLevelKey
        case .services: CBAdvertisementDataServiceUUIDsKey
        case .solicitedServices: CBAdvertisementDataSolicitedServiceUUIDsKey
        case .serviceData: CBAdvertisementDataServiceDataKey
        }
    }

    /// The bit of the key in a set of keys.
    var bit: Int { 1 << Int(rawValue) }
}

/// One dictionary for each set of keys. A dictionary with other values and the same keys is a copy that hashes nothing.
private final class KeyTemplates: Sendable {
    static let shared = KeyTemplates()

    private let templates = Lock(
        [[String: AdvertisementKey]?](repeating: nil, count: 1 << AdvertisementKey.allCases.count))

    func template(_ keys: Int) -> [String: AdvertisementKey] {
        templates.withLock { templates in
            if let known = templates[keys] { return known }
            var template: [String: AdvertisementKey] = [:]
            for key in AdvertisementKey.allCases where keys & key.bit != 0 { template[key.name] = key }
            templates[keys] = template
            return template
        }
    }
}

/// The content of an advertisement and its scan response.
private struct AdvertisementContent {
    private let isConnectable: Bool
    private var completeName: String?
    /// The shortened names of the advertising data and of the scan response. A complete name precedes both, the first one the other.
    private var shortenedName: String?
    private var formerShortenedName: String?
    private var manufacturerData: Data?
    private var transmitPower: Int8?
    private(set) var services: [BluetoothUUID] = []
    private var solicited: [BluetoothUUID] = []
    private var serviceData: [CBUUID: Data] = [:]

    private static let connectable = NSNumber(value: true)
    private static let notConnectable = NSNumber(value: false)

    init(isConnectable: Bool) { self.isConnectable = isConnectable }

    private var name: String? { completeName ?? formerShortenedName ?? shortenedName }

    /// The keys with content, as bits.
    var keys: Int {
        var keys = AdvertisementKey.isConnectable.bit
        if completeName != nil || formerShortenedName != nil || shortenedName != nil {
            keys |= AdvertisementKey.localName.bit
        }
        if manufacturerData != nil { keys |= AdvertisementKey.manufacturerData.bit }
        if transmitPower != nil { keys |= AdvertisementKey.transmitPower.bit }
        if !services.isEmpty { keys |= AdvertisementKey.services.bit }
        if !solicited.isEmpty { keys |= AdvertisementKey.solicitedServices.bit }
        if !serviceData.isEmpty { keys |= AdvertisementKey.serviceData.bit }
        return keys
    }

    /// The template has the keys in place, so that no key is hashed here.
    var dictionary: [String: Any] {
        // Single values, because the closure would copy the whole structure for each key.
        let (name, data, power) = (name, manufacturerData, transmitPower)
        let (isConnectable, services, solicited, serviceData) = (isConnectable, services, solicited, serviceData)
        return KeyTemplates.shared.template(keys).mapValues { key -> Any in
            switch key {
            case .isConnectable: isConnectable ? Self.connectable : Self.notConnectable
            case .localName: name ?? ""
            case .manufacturerData: data ?? Data()
            case .transmitPower: NSNumber(value: Int(power ?? 0))
            case .services: services.map { CBUUID(value: $0) }
            case .solicitedServices: solicited.map { CBUUID(value: $0) }
            case .serviceData: serviceData
            }
        }
    }

    mutating func beginScanResponse() {
        formerShortenedName = shortenedName
        shortenedName = nil
    }

    /// Reads the structures of advertising data or of a scan response, up to the first malformed one (Vol 3, Part C,
    /// 11).
    mutating func read(_ octets: Span<UInt8>) {
        var structures = AD.Structures(octets)
        while let structure = structures.next() {
            switch structure.type {
            case .flags: break
            case .completeLocalName: if completeName == nil { completeName = Self.text(structure.data) }
            case .shortenedLocalName: shortenedName = Self.text(structure.data)
            // The first two octets are the company identifier (CSS, Part A, 1.4).
            case .manufacturerData:
                if structure.data.count >= 2 { manufacturerData = Data(copying: structure.data) }
            case .transmitPower:
                if let power = structure.content(as: AD.TransmitPower.self) { transmitPower = power.level }
            default: readServices(structure)
            }
        }
    }

    /// Octets that are not UTF-8 are repaired.
    private static func text(_ octets: Span<UInt8>) -> String {
        octets.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func readServices(_ structure: AD.Structure) {
        var found: [BluetoothUUID] = []
        structure.forEachServiceUUID { found.append($0) }
        services += found.filter { !services.contains($0) }
        found = []
        structure.forEachSolicitedUUID { found.append($0) }
        solicited += found.filter { !solicited.contains($0) }
        if let uuid = structure.serviceDataUUID, let value = structure.serviceDataValue {
            serviceData[CBUUID(value: uuid)] = Data(copying: value)
        }
    }
}

extension Data {
    init(copying bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { Data($0) }
    }
}
