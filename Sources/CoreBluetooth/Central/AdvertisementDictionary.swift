internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// The advertisement dictionary for the delegate. It has keys only for data that the advertisement contains.
struct AdvertisementDictionary {
    /// The capacity fits a typical advertisement.
    private(set) var dictionary = [String: Any](minimumCapacity: 4)
    /// The services that the device advertises.
    private(set) var services: [BluetoothUUID] = []

    init(_ discovery: Discovery) {
        dictionary[CBAdvertisementDataIsConnectable] = NSNumber(value: discovery.isConnectable)
        var solicited: [BluetoothUUID] = []
        var serviceData: [CBUUID: Data] = [:]

        read(discovery.data.span, &solicited, &serviceData)
        read(discovery.scanResponse.span, &solicited, &serviceData)
        if let name = AD.localName(in: discovery.data.span, scanResponse: discovery.scanResponse.span) {
            dictionary[CBAdvertisementDataLocalNameKey] = name
        }
        if !services.isEmpty { dictionary[CBAdvertisementDataServiceUUIDsKey] = services.map { CBUUID(value: $0) } }
        if !solicited.isEmpty {
            dictionary[CBAdvertisementDataSolicitedServiceUUIDsKey] = solicited.map { CBUUID(value: $0) }
        }
        if !serviceData.isEmpty { dictionary[CBAdvertisementDataServiceDataKey] = serviceData }
    }

    /// Reads the structures of advertising data or of a scan response, up to the first malformed one (Vol 3, Part C,
    /// 11).
    private mutating func read(
        _ octets: Span<UInt8>, _ solicited: inout [BluetoothUUID], _ serviceData: inout [CBUUID: Data]
    ) {
        var structures = AD.Structures(octets)
        while let structure = structures.next() {
            switch structure.type {
            // The first two octets are the company identifier (CSS, Part A, 1.4).
            case .manufacturerData where structure.data.count >= 2:
                dictionary[CBAdvertisementDataManufacturerDataKey] = Data(copying: structure.data)
            case .transmitPower:
                if let power = structure.content(as: AD.TransmitPower.self) {
                    dictionary[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: Int(power.level))
                }
            default:
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
    }
}

extension Data {
    init(copying bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { Data($0) }
    }
}
