import BLEAssignedNumbers
import BLEValues
import BLEWire
import Plots

/// The detail of one device: its numbers, and its advertising data and scan response, raw and decoded.
struct AdvertisementDetail {
    let terminal: Terminal

    /// The lines for a decoded device.
    func lines(_ device: SeenDevice, at now: Duration) -> [String] {
        var lines = [terminal.styled(device.name.map(ValueText.printable) ?? "(no name)", .bold)]
        func add(_ title: String, _ text: String) { lines.append(terminal.styled(filled(title, 13), .faint) + text) }
        add("identifier", device.identifier.uuidString)
        if let address = device.address { add("address", "\(address)  \(address.typeText)") }
        if let published = device.content.publishedAddress {
            add("publishes", "\(published.text)  in its \(published.source.rawValue)")
        }
        if let rssi = device.rssi {
            let sparkline = Sparkline(isUnicode: terminal.isUnicode, range: ScanTable.signals)
            let history = sparkline.text(device.signals.values.map(Double.init))
            add(
                "signal",
                "\(rssi) dBm  \(terminal.styled(history, .cyan))  from \(device.lowestRSSI) to \(device.highestRSSI) dBm"
            )
        }
        if let distance = device.distance { add("distance", "about \(ScanTable.text(metres: distance).dropFirst())") }
        if let interval = device.interval { add("every", ScanTable.text(interval)) }
        add("seen", "\(device.count) packets, the last \(Self.ago(now - device.lastSeen))")
        add("connectable", device.isConnectable ? "yes" : "no")
        if let beacon = device.content.beacon { add("beacon", ValueText.printable(BeaconText.long(beacon))) }
        lines += structures("advertising data", device.data)
        if !device.scanResponse.isEmpty { lines += structures("scan response", device.scanResponse) }
        return lines
    }

    private static func ago(_ age: Duration) -> String {
        let text = ScanTable.age(age)
        return text == "now" ? text : text + " ago"
    }

    private func structures(_ title: String, _ octets: [UInt8]) -> [String] {
        guard !octets.isEmpty else { return ["\(title): empty"] }
        var lines = ["\(title), \(octetCount(octets.count))"]
        for item in AdvertisementStructure.all(in: octets) {
            // A long structure continues on lines of its own, so that the explanations stay in their column.
            let hexadecimal = item.octets.chunks(of: 11).map { Hexadecimal.text($0) }
            lines.append(
                "  " + terminal.styled(filled(hexadecimal[0], 34), .faint) + ValueText.printable(item.text))
            for line in hexadecimal.dropFirst() { lines.append("  " + terminal.styled(line, .faint)) }
        }
        return lines
    }
}

extension [UInt8] {
    fileprivate func chunks(of size: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}

/// One AD structure with its meaning (Core Specification Supplement, Part A, 1).
struct AdvertisementStructure: Hashable {
    /// All octets, with the length and the type.
    let octets: [UInt8]
    /// The name of the type and the decoded content.
    let text: String

    /// The structures of advertising data. Octets after the last valid structure are one more item.
    static func all(in data: [UInt8]) -> [AdvertisementStructure] {
        var items: [AdvertisementStructure] = []
        var structures = AD.Structures(data.span)
        var position = 0
        while let structure = structures.next() {
            let end = position + structure.data.count + 2
            items.append(AdvertisementStructure(octets: Array(data[position..<end]), text: describe(structure)))
            position = end
        }
        guard position < data.count else { return items }
        let rest = Array(data[position...])
        // A length of zero ends the data early (Vol 3, Part C, 11).
        let text = rest[0] == 0 ? "end of the data" : "malformed: the length exceeds the data"
        return items + [AdvertisementStructure(octets: rest, text: text)]
    }

    private static func describe(_ structure: borrowing AD.Structure) -> String {
        let name =
            AssignedNumbers.name(ofAdvertisingType: structure.type)
            ?? "type \(hexadecimal(structure.type.rawValue, digits: 2))"
        guard let content = content(structure) else { return name }
        return "\(name): \(content)"
    }

    private static func content(_ structure: borrowing AD.Structure) -> String? {
        let data = [UInt8](structure.data)
        switch structure.type {
        case .flags: return data.first.map(flags)
        case .completeLocalName, .shortenedLocalName: return "\"\(String(decoding: data, as: UTF8.self))\""
        case .transmitPower: return structure.content(as: AD.TransmitPower.self).map { "\($0.level) dBm" }
        case .appearance:
            return structure.content(as: AD.Appearance.self).map {
                AssignedNumbers.appearance($0.value) ?? hexadecimal($0.value, digits: 4)
            }
        case .connectionIntervalRange:
            return structure.content(as: AD.ConnectionIntervalRange.self).map {
                "\(milliseconds($0.minimum)) to \(milliseconds($0.maximum))"
            }
        case .manufacturerData:
            guard data.count >= 2 else { return nil }
            let company = AdvertisementContent.company(UInt16(data[0]) | UInt16(data[1]) << 8)
            return data.count == 2 ? company : "\(company), \(Hexadecimal.text(data[2...]))"
        case .uri: return uri(data)
        case AD.StructureType(rawValue: 0x1A) where data.count == 2:
            // The advertising interval in units of 0.625 ms (1.15).
            return "\(number(Double(UInt16(data[0]) | UInt16(data[1]) << 8) * 0.625)) ms"
        case AD.StructureType(rawValue: 0x1B) where data.count == 7:
            let value = data[..<6].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            return "\(DeviceAddress(kind: .public, value: value)), \(data[6] & 1 == 0 ? "public" : "random")"
        default:
            var uuids: [BluetoothUUID] = []
            structure.forEachServiceUUID { uuids.append($0) }
            structure.forEachSolicitedUUID { uuids.append($0) }
            if !uuids.isEmpty { return uuids.map(ServiceName.long).joined(separator: ", ") }
            guard let service = structure.serviceDataUUID else { return nil }
            return "\(ServiceName.long(service)), \(Hexadecimal.text(data.dropFirst(service.octetCount)))"
        }
    }

    private static func flags(_ octet: UInt8) -> String {
        let names: [(AD.Flags, String)] = [
            (.limitedDiscoverable, "limited discoverable"), (.generalDiscoverable, "general discoverable"),
            (.classicNotSupported, "no BR/EDR"), (.simultaneousController, "LE and BR/EDR in one controller"),
            (.simultaneousHost, "LE and BR/EDR in one host"),
        ]
        let set = names.filter { AD.Flags(rawValue: octet).contains($0.0) }.map(\.1)
        return set.isEmpty ? "none" : set.joined(separator: ", ")
    }

    /// An interval in units of 1.25 ms; FFFF stands for no preference (1.9).
    private static func milliseconds(_ interval: UInt16) -> String {
        interval == 0xFFFF ? "any" : "\(number(Double(interval) * 1.25)) ms"
    }

    /// A URI whose first character stands for its scheme (Assigned Numbers, 2.7).
    private static func uri(_ data: [UInt8]) -> String {
        let text = String(decoding: data, as: UTF8.self)
        let schemes: [Character: String] = ["\u{01}": "", "\u{16}": "http:", "\u{17}": "https:"]
        guard let first = text.first, let scheme = schemes[first] else { return "\"\(text)\"" }
        return scheme + text.dropFirst()
    }
}
