import AdvertisementScanning
import BLEStore
import BLEAssignedNumbers
import BLEValues
import BLEWire

/// The detail of one device: its numbers, and its advertising data and scan response, raw and decoded.
struct AdvertisementDetail {
    let terminal: Terminal
    /// The names that the user gave to devices.
    var names = DeviceNames()

    /// The lines for a decoded device.
    func lines(_ device: ScannedDevice, at now: Duration) -> [String] {
        let advertised = device.name.map(ValueText.printable) ?? say("(no name)")
        let own = names[device.peer]
        var lines = [terminal.styled(own ?? advertised, .bold) + (own == nil ? "" : "  \(advertised)")]
        func add(_ title: String, _ text: String) {
            lines.append(terminal.styled(filled(say(title), 13), .faint) + text)
        }
        add("identifier", device.identifier.uuidString)
        if let address = device.address { add("address", "\(address)  \(say(address.typeText))") }
        if let published = device.content.publishedAddress {
            add("publishes", say("\(published.text)  in its \(published.source.rawValue)"))
        }
        if let rssi = device.rssi {
            let sparkline = Sparkline(isUnicode: terminal.isUnicode, range: ScanTable.signals)
            let history = sparkline.text(device.signals.values.map(Double.init))
            add(
                "signal",
                "\(rssi) dBm  \(terminal.styled(history, .cyan))  "
                    + say("from \(device.lowestRSSI) to \(device.highestRSSI) dBm")
            )
        }
        if let distance = device.distance {
            add("distance", say("about \(ScanTable.text(metres: distance).dropFirst())"))
        }
        if let interval = device.interval { add("every", ScanTable.text(interval)) }
        add("seen", say("\(device.count) packets, the last \(Self.ago(now - device.lastSeen))"))
        add("connectable", say(device.isConnectable ? "yes" : "no"))
        if let form = device.extendedForm { add("packets", say(Self.text(form))) }
        if let beacon = device.content.beacon { add("beacon", ValueText.printable(BeaconText.long(beacon))) }
        lines += structures("advertising data", device.data)
        if !device.scanResponse.isEmpty { lines += structures("scan response", device.scanResponse) }
        return lines
    }

    private static func text(_ form: AdvertisementForm) -> String {
        let primary = HCI.PHY(rawValue: form.primaryPHY).name
        var text = "extended, on \(primary)"
        if form.secondaryPHY != 0 { text += " and \(HCI.PHY(rawValue: form.secondaryPHY).name)" }
        if form.sid <= 15 { text += ", set \(form.sid)" }
        if let power = form.advertisedPower { text += ", sent with \(power) dBm" }
        return text
    }

    private static func ago(_ age: Duration) -> String {
        age < .seconds(1) ? "now" : "\(ScanTable.age(age)) ago"
    }

    private func structures(_ title: String, _ octets: [UInt8]) -> [String] {
        guard !octets.isEmpty else { return [say("\(title): empty")] }
        var lines = ["\(say(title)), \(say(octetCount(octets.count)))"]
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
