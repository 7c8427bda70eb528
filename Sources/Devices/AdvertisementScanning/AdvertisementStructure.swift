import BLEAssignedNumbers
import BLEValues
import BLEWire

/// One AD structure with its meaning (Core Specification Supplement, Part A, 1).
package struct AdvertisementStructure: Hashable {
    /// All octets, with the length and the type.
    package let octets: [UInt8]
    /// The name of the type and the decoded content.
    package let text: String

    /// The structures of advertising data. Octets after the last valid structure are one more item.
    package static func all(in data: [UInt8], _ words: Words = .english) -> [AdvertisementStructure] {
        var items: [AdvertisementStructure] = []
        var structures = AD.Structures(data.span)
        var position = 0
        while let structure = structures.next() {
            let end = position + structure.data.count + 2
            items.append(AdvertisementStructure(octets: Array(data[position..<end]), text: describe(structure, words)))
            position = end
        }
        guard position < data.count else { return items }
        let rest = Array(data[position...])
        // A length of zero ends the data early (Vol 3, Part C, 11).
        let text = rest[0] == 0 ? words.end : words.malformed
        return items + [AdvertisementStructure(octets: rest, text: text)]
    }

    private static func describe(_ structure: borrowing AD.Structure, _ words: Words) -> String {
        let name =
            AssignedNumbers.name(ofAdvertisingType: structure.type)
            ?? "\(words.type) \(hexadecimal(structure.type.rawValue, digits: 2))"
        guard let content = content(structure, words) else { return name }
        return "\(name): \(content)"
    }

    private static func content(_ structure: borrowing AD.Structure, _ words: Words) -> String? {
        let data = [UInt8](structure.data)
        switch structure.type {
        case .flags: return data.first.map { flags($0, words) }
        case .completeLocalName, .shortenedLocalName: return "\"\(String(decoding: data, as: UTF8.self))\""
        case .transmitPower: return structure.content(as: AD.TransmitPower.self).map { "\($0.level) dBm" }
        case .appearance:
            return structure.content(as: AD.Appearance.self).map {
                AssignedNumbers.appearance($0.value) ?? hexadecimal($0.value, digits: 4)
            }
        case .connectionIntervalRange:
            return structure.content(as: AD.ConnectionIntervalRange.self).map {
                "\(milliseconds($0.minimum, words)) \(words.to) \(milliseconds($0.maximum, words))"
            }
        case .manufacturerData:
            guard data.count >= 2 else { return nil }
            let company = AdvertisementContent.company(UInt16(data[0]) | UInt16(data[1]) << 8)
            return data.count == 2 ? company : "\(company), \(Hexadecimal.text(data[2...]))"
        case .uri: return uri(data)
        case AD.StructureType(rawValue: 0x1A) where data.count == 2:
            // The advertising interval in units of 0.625 ms (1.15).
            return "\(shortDecimal(Double(UInt16(data[0]) | UInt16(data[1]) << 8) * 0.625)) ms"
        case AD.StructureType(rawValue: 0x1B) where data.count == 7:
            let value = data[..<6].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            return
                "\(DeviceAddress(kind: .public, value: value)), \(data[6] & 1 == 0 ? words.publicAddress : words.randomAddress)"
        default:
            var uuids: [BluetoothUUID] = []
            structure.forEachServiceUUID { uuids.append($0) }
            structure.forEachSolicitedUUID { uuids.append($0) }
            if !uuids.isEmpty { return uuids.map(ServiceName.long).joined(separator: ", ") }
            guard let service = structure.serviceDataUUID else { return nil }
            return "\(ServiceName.long(service)), \(Hexadecimal.text(data.dropFirst(service.octetCount)))"
        }
    }

    private static func flags(_ octet: UInt8, _ words: Words) -> String {
        let flags: [AD.Flags] = [
            .limitedDiscoverable, .generalDiscoverable, .classicNotSupported, .simultaneousController,
            .simultaneousHost,
        ]
        let set = zip(flags, words.flags).filter { AD.Flags(rawValue: octet).contains($0.0) }.map(\.1)
        return set.isEmpty ? words.none : set.joined(separator: ", ")
    }

    /// An interval in units of 1.25 ms; FFFF stands for no preference (1.9).
    private static func milliseconds(_ interval: UInt16, _ words: Words) -> String {
        interval == 0xFFFF ? words.anyInterval : "\(shortDecimal(Double(interval) * 1.25)) ms"
    }

    /// A URI whose first character stands for its scheme (Assigned Numbers, 2.7).
    private static func uri(_ data: [UInt8]) -> String {
        let text = String(decoding: data, as: UTF8.self)
        let schemes: [Character: String] = ["\u{01}": "", "\u{16}": "http:", "\u{17}": "https:"]
        guard let first = text.first, let scheme = schemes[first] else { return "\"\(text)\"" }
        return scheme + text.dropFirst()
    }
}
