import BLEWire
import SystemBus

/// The advertisement of a device as bluetoothd tells it: without its layout, so that the AD structures are made again (Core Specification
/// Supplement, Part A).
struct DeviceReport {
    /// The properties whose change means that an advertisement arrived.
    private static let properties: Set<String> = [
        "RSSI", "ManufacturerData", "ServiceData", "UUIDs", "Name", "TxPower", "AdvertisingFlags", "AdvertisingData",
    ]
    /// The most octets of advertising data (Vol 4, Part E, 7.8.54).
    private static let limit = 1650
    /// The types that come from properties of their own.
    private static let madeTypes: Set<UInt8> = [
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x16, 0x20, 0x21, 0xFF,
    ]

    private(set) var octets: [UInt8] = []

    static func isNews(_ changed: Set<String>) -> Bool { !changed.isDisjoint(with: properties) }

    /// - Parameter name: The name that the device advertises; nil if it is not known.
    init(_ device: BlueZDevice, name: String?) {
        if let flags = device["AdvertisingFlags"]?.bytes, !flags.isEmpty { add(.flags, flags) }
        addServices(device.uuids)
        if let name { add(.completeLocalName, Array(name.utf8.prefix(248))) }
        if let power = device.transmitPower { add(.transmitPower, [UInt8(bitPattern: power)]) }
        for case .entry(let key, let value) in device["ManufacturerData"]?.elements ?? [] {
            guard let company = key.number.flatMap({ UInt16(exactly: $0) }), let octets = value.bytes else { continue }
            add(.manufacturerData, [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + octets)
        }
        for case .entry(let key, let value) in device["ServiceData"]?.elements ?? [] {
            guard let uuid = key.text.flatMap({ BluetoothUUID($0) }), let octets = value.bytes else { continue }
            let wire = uuid.advertisedOctets
            add(wire.count == 2 ? .serviceData16 : wire.count == 4 ? .serviceData32 : .serviceData128, wire + octets)
        }
        for case .entry(let key, let value) in device["AdvertisingData"]?.elements ?? [] {
            guard let type = key.number.flatMap({ UInt8(exactly: $0) }), !Self.madeTypes.contains(type),
                let octets = value.bytes
            else { continue }
            add(AD.StructureType(rawValue: type), octets)
        }
    }

    private mutating func addServices(_ uuids: [BluetoothUUID]) {
        var lists: [Int: [UInt8]] = [:]
        for uuid in uuids.prefix(200) {
            let wire = uuid.advertisedOctets
            lists[wire.count, default: []] += wire
        }
        for (width, type) in [
            (2, AD.StructureType.completeServiceUUIDs16), (4, .completeServiceUUIDs32), (16, .completeServiceUUIDs128),
        ] {
            // A structure has at most 254 octets of data.
            for part in (lists[width] ?? []).chunks(of: 254 / width * width) { add(type, part) }
        }
    }

    private mutating func add(_ type: AD.StructureType, _ data: [UInt8]) {
        guard data.count <= 254, octets.count + data.count + 2 <= Self.limit else { return }
        octets.append(UInt8(data.count + 1))
        octets.append(type.rawValue)
        octets += data
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}

extension BluetoothUUID {
    /// The octets of the shortest form, as most devices advertise it. bluetoothd tells the long form only.
    fileprivate var advertisedOctets: [UInt8] {
        let (value, width) =
            shortValue.map { (UInt64($0), 2) } ?? mediumValue.map { (UInt64($0), 4) } ?? (0, 16)
        guard width == 16 else { return (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        return [low, high].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (8 * $0)) } }
    }
}
