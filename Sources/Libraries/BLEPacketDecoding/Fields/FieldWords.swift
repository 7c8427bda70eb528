import BLEAssignedNumbers
import BLEWire

/// Values of fields in words.
enum FieldWords {
    static func number(_ value: UInt64, _ unit: FieldUnit?, octets: Int, _ language: TextLanguage) -> String {
        switch unit {
        case .slots: value == 0xFFFF ? "\(value)" : "\(intervalText(UInt16(truncatingIfNeeded: value))) (\(value))"
        case .tensOfMilliseconds: "\(value * 10) ms (\(value))"
        case .fifthsOfSecond: "\(value * 200) ms (\(value))"
        case .eighthsOfMilliseconds: "\(value * 125) \u{B5}s (\(value))"
        case .microseconds: "\(value) \u{B5}s"
        case .decibels: value == 255 ? language.notAvailable : "\(value) dB"
        case .decibelMilliwatts: "\(value) dBm"
        case .octets: language.octets(value)
        case .errorCode:
            "\(language.error(HCI.ErrorCode(rawValue: UInt8(truncatingIfNeeded: value)))) (0x\(hexadecimal(value, digits: 2)))"
        case .company: company(UInt16(truncatingIfNeeded: value))
        case nil: octets > 4 ? hexadecimal(value, digits: 2 * octets) : "\(value)"
        }
    }

    /// Octets whose first one is the least significant, as one number.
    static func bigEndian(_ octets: ArraySlice<UInt8>) -> String {
        octets.reversed().map { hexadecimal($0, digits: 2) }.joined()
    }

    static func company(_ identifier: UInt16) -> String {
        let digits = "0x" + hexadecimal(identifier, digits: 4)
        return AssignedNumbers.company(identifier).map { "\($0) (\(digits))" } ?? digits
    }

    static func uuid(_ uuid: BluetoothUUID) -> String {
        AssignedNumbers.name(of: uuid).map { "\($0) (\(uuid))" } ?? "\(uuid)"
    }

    /// An address and its type (Vol 6, Part B, 1.3).
    static func address(_ address: DeviceAddress, _ language: TextLanguage) -> String {
        let kind =
            switch (address.kind, address.value >> 46) {
            case (.random, 0b11): language("random static", "静态随机")
            case (.random, 0b01): language("resolvable private", "可解析私有")
            case (.random, 0b00): language("non-resolvable private", "不可解析私有")
            default: language.addressType(isRandom: address.kind == .random)
            }
        return "\(address) (\(kind))"
    }

    static func channel(_ identifier: UInt16, _ language: TextLanguage) -> String {
        let digits = "0x" + hexadecimal(identifier, digits: 4)
        return switch identifier {
        case 0x0004: "\(digits) (\(language("Attribute Protocol", "属性协议")))"
        case 0x0005: "\(digits) (\(language("LE signalling", "LE 信令")))"
        case 0x0006: "\(digits) (\(language("Security Manager", "安全管理器")))"
        case L2CAP.ChannelIdentifier.dynamic: "\(digits) (\(language("dynamic", "动态")))"
        default: digits
        }
    }

    /// The accuracy of a sleep clock (Vol 6, Part B, 2.3.3.1).
    static func clockAccuracy(_ code: UInt64, _ language: TextLanguage) -> String {
        let ranges = [(251, 500), (151, 250), (101, 150), (76, 100), (51, 75), (31, 50), (21, 30), (0, 20)]
        let (low, high) = ranges[Int(code & 7)]
        return "\(language.range("\(low)", "\(high)")) ppm"
    }

    /// The used data channels as ranges: "0-8, 21-36".
    static func channels(_ map: LL.ChannelMap, _ language: TextLanguage) -> String {
        var ranges: [String] = []
        var channel: UInt8 = 0
        while channel < 37 {
            guard map.contains(channel) else {
                channel += 1
                continue
            }
            let first = channel
            while map.contains(channel) { channel += 1 }
            ranges.append(channel - 1 == first ? "\(first)" : "\(first)-\(channel - 1)")
        }
        return ranges.isEmpty ? language.none : ranges.joined(separator: ", ")
    }

    /// A change of power or a power. 127 stands for none, and 126 for a power that its sender does not manage (Vol 6, Part B, 2.4.2.34).
    static func signed(_ value: Int8, _ unit: FieldUnit?, _ language: TextLanguage) -> String {
        switch (unit, value) {
        case (.decibelMilliwatts, 127): language.notAvailable
        case (.decibelMilliwatts, 126): language("not managed", "未管理")
        case (.decibelMilliwatts, _): "\(value) dBm"
        case (.decibels, 127): language("to the maximum", "至最大值")
        case (.decibels, _): value > 0 ? "+\(value) dB" : "\(value) dB"
        default: "\(value)"
        }
    }

    /// The channels that a device calls good and bad.
    static func classification(_ classification: LL.ChannelClassification, _ language: TextLanguage) -> String {
        let good = language("good", "良好") + " " + channels(classification.channels(.good), language)
        return good + language.comma + language("bad", "不良") + " "
            + channels(classification.channels(.bad), language)
    }

    /// The name of a control PDU by its opcode.
    static func name(_ opcode: LL.ControlOpcode) -> String {
        let digits = "0x" + hexadecimal(opcode.rawValue, digits: 2)
        return opcode.specificationName.map { "\($0) (\(digits))" } ?? digits
    }

    /// The features of a link layer by their bits (Vol 6, Part B, 4.6, table 4.4).
    static var features: [BitField] {
        [
            .flag("LE Encryption"), .flag("Connection Parameters Request"), .flag("Extended Reject Indication"),
            .flag("Peripheral-initiated Features Exchange"), .flag("LE Ping"), .flag("LE Data Packet Length Extension"),
            .flag("LL Privacy"), .flag("Extended Scanning Filter Policies"), .flag("LE 2M PHY"),
            .flag("Stable Modulation Index, transmitter"), .flag("Stable Modulation Index, receiver"),
            .flag("LE Coded PHY"), .flag("LE Extended Advertising"), .flag("LE Periodic Advertising"),
            .flag("Channel Selection Algorithm #2"), .flag("LE Power Class 1"),
            .flag("Minimum Number of Used Channels"), .flag("Connection CTE Request"),
            .flag("Connection CTE Response"), .flag("Connectionless CTE Transmitter"),
            .flag("Connectionless CTE Receiver"), .flag("Antenna Switching, transmitter"),
            .flag("Antenna Switching, receiver"), .flag("Receiving Constant Tone Extensions"),
            .flag("Periodic Sync Transfer, sender"), .flag("Periodic Sync Transfer, recipient"),
            .flag("Sleep Clock Accuracy Updates"), .flag("Remote Public Key Validation"),
            .flag("Connected Isochronous Stream, central"), .flag("Connected Isochronous Stream, peripheral"),
            .flag("Isochronous Broadcaster"), .flag("Synchronized Receiver"), .flag("Isochronous channels, host"),
            BitField("LE Power Control Request", 2), .flag("LE Path Loss Monitoring"),
            .flag("Periodic Advertising ADI"), .flag("Connection Subrating"), .flag("Connection Subrating, host"),
            .flag("Channel Classification"),
        ]
    }
}
