import BLEWire

/// The fields of the extended header (Vol 6, Part B, 2.3.4).
enum ExtendedAdvertisingFields {
    static func header(_ cursor: inout FieldCursor, _ isSenderRandom: Bool, _ isReceiverRandom: Bool) {
        guard let first = cursor.next else { return }
        let length = Int(first & 0x3F)
        cursor.group("Extended header", 1 + length) { header in
            header.bits(
                "Length and mode", 1,
                [
                    BitField("Length", 6) { $1.octets($0) },
                    BitField("Mode", 2) { mode, language in
                        switch LL.AdvertisingMode(rawValue: UInt8(truncatingIfNeeded: mode)) {
                        case .none: language("not connectable, not scannable", "不可连接，不可扫描")
                        case .connectable: language("connectable", "可连接")
                        case .scannable: language("scannable", "可扫描")
                        default: language.reserved
                        }
                    },
                ])
            guard let flags = header.next else { return }
            header.bits(
                "Fields", 1,
                [
                    .flag("Advertiser's address"), .flag("Target's address"), .flag("CTE info"),
                    .flag("Advertising data info"), .flag("Auxiliary pointer"), .flag("Sync info"), .flag("TX power"),
                ])
            if flags & 0x01 != 0 { header.address("Advertiser's address", isRandom: isSenderRandom) }
            if flags & 0x02 != 0 { header.address("Target's address", isRandom: isReceiverRandom) }
            if flags & 0x04 != 0 { header.number("CTE info", 1) { "0x" + hexadecimal($0, digits: 2) } }
            if flags & 0x08 != 0 {
                header.bits("Advertising data info", 2, [BitField("Data ID", 12), BitField("Set ID", 4)])
            }
            if flags & 0x10 != 0 { pointer(&header) }
            if flags & 0x20 != 0 { header.group("Sync info", 18) { sync(&$0) } }
            if flags & 0x40 != 0 { header.number("TX power", 1) { "\(Int8(truncatingIfNeeded: $0)) dBm" } }
            header.group("Additional controller data") { AdvertisingFields.structures(&$0) }
        }
    }

    private static func pointer(_ cursor: inout FieldCursor) {
        let unit = (cursor.next ?? 0) & 0x80 != 0 ? 300 : 30
        cursor.bits(
            "Auxiliary pointer", 3,
            [
                BitField("Secondary channel", 6),
                BitField("Clock accuracy") { $1.range($0 == 0 ? "51" : "0", $0 == 0 ? "500" : "50") + " ppm" },
                BitField("Offset unit") { bit, _ in bit == 0 ? "30 µs" : "300 µs" },
                BitField("Offset", 13) { offset, _ in "\(Int(offset) * unit) µs (\(offset))" },
                BitField("PHY", 3) { phy, language in
                    switch phy {
                    case 0: "LE 1M"
                    case 1: "LE 2M"
                    case 2: "LE Coded"
                    default: language.reserved
                    }
                },
            ])
    }

    /// SyncInfo (2.3.4.6).
    static func sync(_ cursor: inout FieldCursor) {
        let language = cursor.language
        let unit = (cursor.peek(2).last ?? 0) & 0x20 != 0 ? 300 : 30
        cursor.bits(
            "Offset", 2,
            [
                BitField("Offset", 13) { offset, _ in "\(Int(offset) * unit) µs (\(offset))" },
                BitField("Offset unit") { bit, _ in bit == 0 ? "30 µs" : "300 µs" },
                BitField("Offset adjustment") { bit, _ in bit == 0 ? "0" : "2.4576 s" },
            ])
        cursor.number("Interval", 2) { FieldWords.number($0, .slots, octets: 2, language) }
        cursor.bits(
            "Channel map", 5,
            [
                BitField("Channels 0 to 36", 37) { FieldWords.channels(LL.ChannelMap(rawValue: $0), $1) },
                BitField("Sleep clock accuracy", 3) { FieldWords.clockAccuracy($0, $1) },
            ])
        cursor.number("Access address", 4) { hexadecimal($0, digits: 8) }
        cursor.number("CRC initial value", 3) { hexadecimal($0, digits: 6) }
        cursor.number("Event counter", 2)
    }
}
