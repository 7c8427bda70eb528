internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// The advertisement dictionary for the delegate. It has keys only for data that the advertisement contains.
struct AdvertisementDictionary {
    let dictionary: [String: Any]
    /// The services that the device advertises.
    let services: [BluetoothUUID]
    /// The name of the device.
    let name: String?

    init(_ advertisement: DiscoveryContent) {
        var content = AdvertisementContent(
            isConnectable: advertisement.isConnectable, isScanResponseNewer: advertisement.isScanResponseNewer)
        let octets = advertisement.octets
        content.read(octets.data)
        if !octets.scanResponse.isEmpty {
            content.beginScanResponse()
            content.read(octets.scanResponse)
        }
        services = content.services
        name = advertisement.name(content.localName)
        dictionary = content.takeDictionary()
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
    /// Whether a value of the scan response replaces that of the advertising data under the same key.
    private let isScanResponseNewer: Bool
    private var isScanResponse = false
    private var completeName: String?
    /// The shortened names of the advertising data and of the scan response. A complete name precedes both, the first one the other.
    private var shortenedName: String?
    private var formerShortenedName: String?
    private var manufacturerData: Data?
    /// Whether the half that is being read has given the manufacturer data, and the service data of these services.
    private var hasManufacturerData = false
    private var servicesWithData: [BluetoothUUID] = []
    private var transmitPower: Int8?
    private(set) var services: [BluetoothUUID] = []
    /// The keys with content, as bits.
    private var keys = AdvertisementKey.isConnectable.bit
    private var solicited: [BluetoothUUID] = []
    private var serviceData: [CBUUID: Data] = [:]

    private static let connectable = NSNumber(value: true)
    private static let notConnectable = NSNumber(value: false)

    init(isConnectable: Bool, isScanResponseNewer: Bool) {
        self.isConnectable = isConnectable
        self.isScanResponseNewer = isScanResponseNewer
    }

    var localName: String? { completeName ?? formerShortenedName ?? shortenedName }

    /// Makes the dictionary, of which it moves the values. The template has the keys in place, so that no key is hashed here.
    mutating func takeDictionary() -> [String: Any] {
        KeyTemplates.shared.template(keys).mapValues { key -> Any in
            switch key {
            case .isConnectable: isConnectable ? Self.connectable : Self.notConnectable
            case .localName: localName ?? ""
            case .manufacturerData: manufacturerData.take() ?? Data()
            case .transmitPower: NSNumber(value: Int(transmitPower ?? 0))
            case .services: services.map { CBUUID(value: $0) }
            case .solicitedServices: solicited.map { CBUUID(value: $0) }
            case .serviceData: serviceData
            }
        }
    }

    mutating func beginScanResponse() {
        isScanResponse = true
        hasManufacturerData = false
        servicesWithData = []
        formerShortenedName = shortenedName
        shortenedName = nil
    }

    /// Reads the structures of advertising data or of a scan response, up to the first malformed one (Vol 3, Part C,
    /// 11).
    mutating func read(_ octets: Span<UInt8>) {
        var structures = AD.Structures(octets)
        while let structure = structures.next() {
            // Comparisons, because a switch over such a value calls its equality through the protocol.
            if structure.type == .flags { continue }
            if structure.type == .completeLocalName {
                if completeName == nil { completeName = Self.text(structure.data) }
                keys |= AdvertisementKey.localName.bit
            } else if structure.type == .shortenedLocalName {
                shortenedName = Self.text(structure.data)
                keys |= AdvertisementKey.localName.bit
            } else if structure.type == .manufacturerData {
                // The first two octets are the company identifier (CSS, Part A, 1.4).
                guard structure.data.count >= 2 else { continue }
                // Several structures in one packet are one value, as programs report of iOS 9 to 16.3.
                if hasManufacturerData {
                    manufacturerData?.append(Data(copying: structure.data))
                } else if replaces(manufacturerData) {
                    manufacturerData = Data(copying: structure.data)
                    hasManufacturerData = true
                }
                keys |= AdvertisementKey.manufacturerData.bit
            } else if structure.type == .transmitPower {
                guard replaces(transmitPower), let power = structure.content(as: AD.TransmitPower.self) else {
                    continue
                }
                transmitPower = power.level
                keys |= AdvertisementKey.transmitPower.bit
            } else {
                readServices(structure)
            }
        }
    }

    /// Whether a value of the half that is being read replaces a known one.
    private func replaces<Value>(_ known: Value?) -> Bool { known == nil || !isScanResponse || isScanResponseNewer }

    /// Octets that are not UTF-8 are repaired.
    private static func text(_ octets: Span<UInt8>) -> String {
        octets.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func readServices(_ structure: AD.Structure) {
        // Those of earlier structures are left out.
        let (servicesBefore, solicitedBefore) = (services.count, solicited.count)
        structure.forEachServiceUUID {
            if !services[..<servicesBefore].contains($0) { services.append($0) }
        }
        structure.forEachSolicitedUUID {
            if !solicited[..<solicitedBefore].contains($0) { solicited.append($0) }
        }
        if !services.isEmpty { keys |= AdvertisementKey.services.bit }
        if !solicited.isEmpty { keys |= AdvertisementKey.solicitedServices.bit }
        if let uuid = structure.serviceDataUUID, let value = structure.serviceDataValue {
            let key = CBUUID(value: uuid)
            if servicesWithData.contains(uuid) {
                serviceData[key]?.append(Data(copying: value))
            } else if replaces(serviceData[key]) {
                serviceData[key] = Data(copying: value)
                servicesWithData.append(uuid)
            }
            keys |= AdvertisementKey.serviceData.bit
        }
    }
}

extension Data {
    init(copying bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { Data($0) }
    }
}
