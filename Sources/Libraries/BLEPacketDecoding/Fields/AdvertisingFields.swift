import BLEAssignedNumbers
import BLEWire

/// The fields of the PDUs of the advertising channels (Vol 6, Part B, 2.3).
enum AdvertisingFields {
    static func describe(_ octets: [UInt8], _ place: AdvertisingPlace, _ language: TextLanguage) -> [DissectedField] {
        var cursor = FieldCursor(octets, 0..<octets.count, language)
        let first = cursor.next ?? 0
        let type = LL.AdvertisingPDUType(rawValue: first & 0x0F)
        let isSenderRandom = first & 0x40 != 0
        let isReceiverRandom = first & 0x80 != 0
        cursor.group("Advertising header", LL.AdvertisingHeader.encodedCount, type.specificationName(place)) { header in
            header.bits(
                "Type and flags", 1,
                [
                    BitField("PDU type", 4) { type, _ in
                        LL.AdvertisingPDUType(rawValue: UInt8(truncatingIfNeeded: type)).specificationName(place)
                    },
                    BitField("Reserved"),
                    BitField("Channel selection") { bit, language in
                        language("algorithm #\(bit + 1)", "算法 #\(bit + 1)")
                    },
                    BitField("Sender's address") { $1.addressType(isRandom: $0 == 1) },
                    BitField("Receiver's address") { $1.addressType(isRandom: $0 == 1) },
                ])
            header.number("Length", 1) { language.octets($0) }
        }
        switch type {
        case .advInd, .advNonconnInd, .advScanInd, .scanRsp:
            cursor.address("Advertiser's address", isRandom: isSenderRandom)
            cursor.group(type == .scanRsp ? "Scan response data" : "Advertising data") { structures(&$0) }
        case .advDirectInd:
            cursor.address("Advertiser's address", isRandom: isSenderRandom)
            cursor.address("Target's address", isRandom: isReceiverRandom)
        case .scanReq:
            cursor.address("Scanner's address", isRandom: isSenderRandom)
            cursor.address("Advertiser's address", isRandom: isReceiverRandom)
        case .connectInd:
            cursor.address("Initiator's address", isRandom: isSenderRandom)
            cursor.address("Advertiser's address", isRandom: isReceiverRandom)
            cursor.group("Link layer data") { linkData(&$0) }
        case .extended, .auxConnectRsp:
            ExtendedAdvertisingFields.header(&cursor, isSenderRandom, isReceiverRandom)
            // Continued data begins anywhere in a structure.
            if place == .chain { cursor.octets("Part of the advertising data") }
            cursor.group(place == .scanResponse ? "Scan response data" : "Advertising data") { structures(&$0) }
        default: break
        }
        return cursor.finish()
    }

    /// LLData of a CONNECT_IND (Vol 6, Part B, 2.3.3.1).
    private static func linkData(_ cursor: inout FieldCursor) {
        let language = cursor.language
        cursor.number("Access address", 4) { hexadecimal($0, digits: 8) }
        cursor.number("CRC initial value", 3) { hexadecimal($0, digits: 6) }
        cursor.number("Window size", 1) { FieldWords.number($0, .slots, octets: 1, language) }
        cursor.number("Window offset", 2) { FieldWords.number($0, .slots, octets: 2, language) }
        cursor.number("Interval", 2) { FieldWords.number($0, .slots, octets: 2, language) }
        cursor.number("Latency", 2) { language("\($0) events", "\($0) 个事件") }
        cursor.number("Timeout", 2) { FieldWords.number($0, .tensOfMilliseconds, octets: 2, language) }
        cursor.channelMap("Channel map")
        cursor.bits(
            "Hop and clock", 1,
            [
                BitField("Hop increment", 5),
                BitField("Central's clock accuracy", 3) { FieldWords.clockAccuracy($0, $1) },
            ])
    }

    /// AD structures (Vol 3, Part C, 11).
    static func structures(_ cursor: inout FieldCursor) {
        let language = cursor.language
        while let length = cursor.next {
            guard length > 0 else { return cursor.rest("Early end") }
            let type = AD.StructureType(rawValue: cursor.peek(2).last ?? 0)
            let isWhole = Int(length) < cursor.remaining
            let name = AssignedNumbers.name(ofAdvertisingType: type) ?? "AD structure"
            cursor.group(name, Int(length) + 1) { structure in
                structure.number("Length", 1) {
                    let count = language.octets($0)
                    return isWhole ? count : language("\(count), more than there are", "\(count)，超出实有字节")
                }
                structure.number("Type", 1) {
                    let digits = "0x" + hexadecimal($0, digits: 2)
                    return AssignedNumbers.name(ofAdvertisingType: type).map { "\($0) (\(digits))" } ?? digits
                }
                if isWhole { content(type, &structure) }
            }
        }
    }

    private static func content(_ type: AD.StructureType, _ cursor: inout FieldCursor) {
        let language = cursor.language
        let listWidth = max(type.serviceUUIDWidth, type.solicitedUUIDWidth)
        if listWidth > 0 {
            while cursor.remaining >= listWidth { cursor.uuid("Service", listWidth) }
            return
        }
        if type.serviceDataUUIDWidth > 0 {
            let service = try? BluetoothUUID(decoding: Array(cursor.peek(type.serviceDataUUIDWidth)).span)
            cursor.uuid("Service", type.serviceDataUUIDWidth)
            return ValueFields.value("Data", of: service, &cursor)
        }
        switch type {
        case .flags:
            cursor.bits(
                "Flags", 1,
                [
                    .flag("LE limited discoverable mode"), .flag("LE general discoverable mode"),
                    .flag("BR/EDR not supported"), .flag("LE and BR/EDR in the same controller"),
                    .flag("LE and BR/EDR in the same host"),
                ])
        case .completeLocalName, .shortenedLocalName:
            cursor.octets("Name") { "\"\(String(decoding: $0, as: UTF8.self))\"" }
        case .transmitPower: cursor.number("Level", 1) { "\(Int8(truncatingIfNeeded: $0)) dBm" }
        case .connectionIntervalRange:
            for name in ["Minimum", "Maximum"] {
                cursor.number(name, 2) {
                    $0 == 0xFFFF
                        ? language("no preference", "无偏好") : FieldWords.number($0, .slots, octets: 2, language)
                }
            }
        case .appearance:
            cursor.number("Appearance", 2) { value in
                let digits = "0x" + hexadecimal(value, digits: 4)
                return AssignedNumbers.appearance(UInt16(truncatingIfNeeded: value)).map { "\($0) (\(digits))" }
                    ?? digits
            }
        case .uri: cursor.octets("URI") { "\"\(String(decoding: $0, as: UTF8.self))\"" }
        case .manufacturerData: manufacturerData(&cursor)
        case .channelMapUpdate:
            cursor.channelMap("Channel map")
            cursor.number("Instant", 2)
        case .periodicResponseTiming:
            cursor.number("Response access address", 4) { hexadecimal($0, digits: 8) }
            cursor.number("Subevent count", 1)
            for name in ["Subevent interval", "Response slot delay"] {
                cursor.number(name, 1) { FieldWords.number($0, .slots, octets: 1, language) }
            }
            cursor.number("Response slot spacing", 1) {
                FieldWords.number($0, .eighthsOfMilliseconds, octets: 1, language)
            }
        default: cursor.rest("Data")
        }
    }

    /// The company and its data; those of an iBeacon by their fields.
    private static func manufacturerData(_ cursor: inout FieldCursor) {
        let language = cursor.language
        let company = cursor.number("Company", 2) { FieldWords.company(UInt16(truncatingIfNeeded: $0)) }
        if company == 0x004C, cursor.remaining == 23, cursor.peekNumber(2) == 0x1502 {
            cursor.octets("Type", 2) { _ in "iBeacon\(language.comma)\(language.octets(21))" }
            cursor.octets("Proximity UUID", 16) { octets in
                (try? BluetoothUUID(decoding: Array(octets.reversed()).span)).map { "\($0)" } ?? ""
            }
            for name in ["Major", "Minor"] {
                cursor.octets(name, 2) { "\($0.reduce(0) { $0 << 8 | Int($1) })" }
            }
            cursor.number("Power at 1 m", 1) { "\(Int8(truncatingIfNeeded: $0)) dBm" }
            return
        }
        cursor.rest("Data")
    }
}
