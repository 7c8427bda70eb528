import BLEAdapter
import BLEWire
import SystemBus

/// An advertisement as an object for bluetoothd (org.bluez.LEAdvertisement1). bluetoothd lays out the octets: service UUIDs, solicited
/// UUIDs, manufacturer data, service data, other data and the flags in the advertising data, the name in the scan response.
struct AdvertisementProperties {
    enum LayoutError: Error, Hashable {
        /// bluetoothd adds structures of this type itself, or not at all.
        case unsupported(UInt8)
        /// Two structures have one key, such as one company.
        case repeated(UInt8)
        /// A structure is shorter than its key.
        case malformed(UInt8)
        /// The structures do not fit into the advertising data.
        ///
        /// - Parameter limit: The most octets of structures in PDUs of this kind.
        case tooLong(limit: Int)
        /// bluetoothd puts names into the scan response, which connectable extended packets do not have.
        case extended
    }

    /// The octets of a name in a scan response.
    static let nameLength = AD.legacyCapacity - 2
    /// The same interval as our own host. The kernel takes 1.28 s if the program names none.
    private static let interval = TimeSpan.milliseconds(30)

    private(set) var values: BusProperties
    private var manufacturerData: [UInt16: [UInt8]] = [:]
    private var serviceData: [BluetoothUUID: [UInt8]] = [:]
    private var solicited: [BluetoothUUID] = []
    private var others: [UInt8: [UInt8]] = [:]

    init(_ advertisement: Advertisement, withName: Bool = true) throws(LayoutError) {
        guard advertisement.extended == nil else { throw .extended }
        let octets = advertisement.structures.reduce(0) { $0 + $1.octetCount }
        let limit = advertisement.structuresLimit
        guard octets <= limit else { throw .tooLong(limit: limit) }
        values = ["Type": .string(advertisement.isConnectable ? "peripheral" : "broadcast")]
        // Sets general discoverable mode in the flags. bluetoothd refuses that for a broadcaster.
        if advertisement.isConnectable { values["Discoverable"] = .bool(true) }
        for structure in advertisement.structures { try add(structure) }
        let services = Self.fitting(advertisement.services, limit - octets)
        if !services.isEmpty { values["ServiceUUIDs"] = .array("s", services.map { .string("\($0)") }) }
        if withName, let name = Self.fitting(advertisement.localName ?? "") { values["LocalName"] = .string(name) }
        let interval = advertisement.interval ?? Self.interval
        // Milliseconds, 20 ms to 10.24 s (Vol 4, Part E, 7.8.5). Versions before 5.56 ignore both.
        let milliseconds = UInt32(max(20, min(10_240, interval.nanoseconds / 1_000_000)))
        values["MinInterval"] = .uint32(milliseconds)
        values["MaxInterval"] = .uint32(milliseconds)
        addCollected()
    }

    private mutating func add(_ structure: Advertisement.Structure) throws(LayoutError) {
        let (type, octets) = (structure.type, structure.octets)
        switch AD.StructureType(rawValue: type) {
        case .manufacturerData:
            guard octets.count >= 2 else { throw .malformed(type) }
            let company = UInt16(octets[0]) | UInt16(octets[1]) << 8
            guard manufacturerData.updateValue(Array(octets[2...]), forKey: company) == nil else {
                throw .repeated(type)
            }
        case .serviceData16: try addServiceData(type, octets, width: 2)
        case .serviceData32: try addServiceData(type, octets, width: 4)
        case .serviceData128: try addServiceData(type, octets, width: 16)
        case .transmitPower: values["Includes"] = .array("s", [.string("tx-power")])
        case .appearance:
            guard octets.count == 2 else { throw .malformed(type) }
            values["Appearance"] = .uint16(UInt16(octets[0]) | UInt16(octets[1]) << 8)
        default:
            if let width = Self.solicitationWidths[type] { return try addSolicited(type, octets, width: width) }
            guard !Self.reserved.contains(type) else { throw .unsupported(type) }
            guard others.updateValue(octets, forKey: type) == nil else { throw .repeated(type) }
        }
    }

    /// The types that bluetoothd takes in no form (src/shared/ad.c, type_reject_list).
    private static let reserved: Set<UInt8> = [
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x17, 0x18, 0x1A,
        0x1B,
        0x1C, 0x1D, 0x1E, 0x22, 0x23,
    ]
    private static let solicitationWidths: [UInt8: Int] = [0x14: 2, 0x15: 16, 0x1F: 4]

    private static func uuid(_ octets: some Collection<UInt8>) -> BluetoothUUID? {
        let octets = Array(octets)
        return try? BluetoothUUID(decoding: octets.span)
    }

    private mutating func addServiceData(_ type: UInt8, _ octets: [UInt8], width: Int) throws(LayoutError) {
        guard let uuid = Self.uuid(octets.prefix(width)), uuid.octetCount == width else { throw .malformed(type) }
        guard serviceData.updateValue(Array(octets.dropFirst(width)), forKey: uuid) == nil else {
            throw .repeated(type)
        }
    }

    private mutating func addSolicited(_ type: UInt8, _ octets: [UInt8], width: Int) throws(LayoutError) {
        guard !octets.isEmpty, octets.count.isMultiple(of: width) else { throw .malformed(type) }
        for start in stride(from: 0, to: octets.count, by: width) {
            guard let uuid = Self.uuid(octets[start..<start + width]) else { throw .malformed(type) }
            solicited.append(uuid)
        }
    }

    private mutating func addCollected() {
        func entries(_ content: [(BusValue, [UInt8])]) -> [BusValue] {
            content.map { .entry($0.0, .variant(.octets($0.1))) }
        }
        if !manufacturerData.isEmpty {
            values["ManufacturerData"] = .array(
                "{qv}", entries(manufacturerData.sorted { $0.key < $1.key }.map { (.uint16($0.key), $0.value) }))
        }
        if !serviceData.isEmpty {
            values["ServiceData"] = .array(
                "{sv}", entries(serviceData.map { (.string("\($0.key)"), $0.value) }.sorted { $0.0.text! < $1.0.text! })
            )
        }
        if !solicited.isEmpty { values["SolicitUUIDs"] = .array("s", solicited.map { .string("\($0)") }) }
        if !others.isEmpty {
            values["Data"] = .array(
                "{yv}", entries(others.sorted { $0.key < $1.key }.map { (.byte($0.key), $0.value) }))
        }
    }

    /// The services that fit: those of 16, of 32 and of 128 bits, each in the order given, as our own host takes them. The octets of a list
    /// are two more.
    private static func fitting(_ services: [BluetoothUUID], _ space: Int) -> [BluetoothUUID] {
        var space = space
        var fitting: [BluetoothUUID] = []
        for width in [2, 4, 16] {
            let all = services.filter { $0.octetCount == width }
            let count = min(all.count, max(0, space - 2) / width)
            guard count > 0 else { continue }
            fitting += all.prefix(count)
            space -= 2 + count * width
        }
        return fitting
    }

    /// The name for bluetoothd, which cuts a longer one after 29 octets and marks it as shortened. If that is within a character, this cuts
    /// before it.
    private static func fitting(_ name: String) -> String? {
        // Text on the bus ends with a zero.
        let name = String(name.prefix { $0 != "\0" })
        guard name.utf8.count > nameLength else { return name.isEmpty ? nil : name }
        var start = ""
        for character in name {
            guard start.utf8.count + character.utf8.count <= nameLength else { break }
            start.append(character)
        }
        if start.utf8.count < nameLength { return start.isEmpty ? nil : start }
        // The length of a device name (Vol 3, Part C, 12.1) bounds the property.
        return name.utf8.count <= 248 ? name : start
    }
}

extension AdvertisementProperties.LayoutError: CustomStringConvertible {
    var description: String {
        switch self {
        case .unsupported(let type): "bluetoothd advertises no structure of type 0x\(String(type, radix: 16))"
        case .repeated(let type):
            "bluetoothd advertises one structure of type 0x\(String(type, radix: 16)) with the same key"
        case .malformed(let type): "the structure of type 0x\(String(type, radix: 16)) is malformed"
        case .tooLong(let limit): "the structures have more than \(limit) octets"
        case .extended: "bluetoothd advertises with legacy packets here"
        }
    }

    var error: AdvertisingError {
        switch self {
        case .tooLong: .controller(HCI.ErrorCode.memoryCapacityExceeded.rawValue)
        case .malformed: .controller(HCI.ErrorCode.invalidHCICommandParameters.rawValue)
        case .unsupported, .repeated, .extended: .controller(HCI.ErrorCode.unsupportedFeatureOrParameterValue.rawValue)
        }
    }
}
