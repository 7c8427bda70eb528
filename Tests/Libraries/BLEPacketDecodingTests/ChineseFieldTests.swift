import BLEWire
import Foundation
import Testing

@testable import BLEPacketDecoding
@testable import pdu_samples

/// The tree of fields in Chinese.
struct ChineseFieldTests {
    /// Terms and names that Chinese texts keep: protocols, units, the SIG's names of AD types and services.
    private static let terms: Set<String> = [
        "MTU", "MPS", "PDU", "ID", "UUID", "UUIDs", "CRC", "LLID", "MITM", "CT", "LTK", "IRK", "CSRK", "CTE", "SDU",
        "SPSM",
        "ATT", "SMP",
        "HCI", "LMP", "PHY", "PHYs", "Ping", "Coded", "Rand", "EDIV", "ppm", "dBm", "iBeacon", "Apple", "Inc", "BR",
        "EDR", "LE", "LL",
        "AD", "DHKey", "ms", "MAC", "PIN", "SCO", "BLE", "URI", "Major", "Minor",
    ]

    /// The names that the SIG assigned.
    private static let names = [
        "Flags", "Complete Local Name", "Shortened Local Name", "Tx Power Level", "Manufacturer Specific Data",
        "Complete List of 16-bit Service Class UUIDs", "Service Data - 16-bit UUID", "Appearance",
    ]

    /// The words of a text that are neither names of the specification nor terms.
    private static func english(_ text: String) -> [String] {
        var rest = text.replacing(
            #/"[^"]*"|\b[A-Z0-9]+(_[A-Z0-9]+)+\b|\b0x[0-9A-F]+\b|L2CAP|\b[A-Z][\w ]+ \([0-9A-F]{4}\)/#, with: " ")
        for name in names { rest = rest.replacingOccurrences(of: name, with: " ") }
        return rest.matches(of: #/[A-Za-z]{2,}/#).map { String($0.output) }.filter { word in
            !terms.contains(word) && !word.allSatisfy(\.isHexDigit) && !word.contains(#/[a-z][A-Z]/#)
        }
    }

    /// Checks that both trees have the same fields, and returns the English words of the Chinese one with their fields.
    private static func compare(_ english: [DissectedField], _ chinese: [DissectedField]) -> [String] {
        #expect(english.count == chinese.count)
        return zip(english, chinese).flatMap { english, chinese in
            #expect(english.range == chinese.range && english.bits == chinese.bits)
            let words = Self.english(chinese.name) + Self.english(chinese.value)
            return (words.isEmpty ? [] : ["\(chinese.name): \(chinese.value) \(words)"])
                + compare(english.children, chinese.children)
        }
    }

    private static func compare(_ summary: PacketSummary, _ dissector: AirDissector) -> [String] {
        let english = dissector.detail(of: summary).sections
        let chinese = dissector.detail(of: summary, in: .chinese).sections
        #expect(english.map(\.octets) == chinese.map(\.octets))
        return zip(english, chinese).flatMap { compare($0.fields, $1.fields) }
    }

    @Test func noSampleHasEnglishWordsInItsChineseTree() throws {
        var recorder = Recorder()
        try pdu_samples.Air.record(in: &recorder)
        try Channels.record(in: &recorder)
        var air = Air()
        var left: Set<String> = []
        var count = 0
        for packet in recorder.packets {
            var octets = packet.octets
            if packet.accessAddress == nil {
                // An ACL packet: type, handle, length, frame (Vol 4, Part A, 2 and Part E, 5.4.2).
                guard octets.first == 2 else { continue }
                let frame = octets.dropFirst(5)
                octets = [0x02, UInt8(frame.count)] + frame
            }
            count += 1
            let summary = air.add(octets, from: 0, accessAddress: packet.accessAddress ?? Air.accessAddress)
            left.formUnion(Self.compare(summary, air.dissector))
        }
        #expect(count > 70)
        #expect(left.isEmpty, "\(left.sorted().joined(separator: "\n"))")
    }

    @Test func namesAndValuesAreChinese() {
        var air = Air()
        let connection = air.dissector.detail(of: air.connect(), in: .chinese)
        #expect(connection.value("链路层数据", "间隔") == "30.00 ms (24)")
        #expect(connection.value("链路层数据", "信道映射") == "37 个信道中的 37 个")
        #expect(connection.value("链路层数据", "跳频和时钟", "中心设备的时钟精度") == "0 至 20 ppm")
        #expect(connection.value("发起者地址")?.contains("Random") == false)
        let end = air.dissector.detail(of: air.control("02 13", from: Air.central), in: .chinese)
        #expect(end.value("控制 PDU", "原因") == "对方用户终止了连接 (0x13)")
        #expect(end.value("数据报头", "类型和标志", "更多数据") == "否")
        let failure = air.att("01 0A 0300 0A", from: Air.peripheral)
        let error = air.dissector.detail(of: failure, in: .chinese)
        #expect(error.value("L2CAP 帧", "属性 PDU", "错误") == "找不到属性 (0x0A)")
        #expect(failure.text(in: .chinese).hasSuffix("找不到属性"))
    }

    @Test func valuesOfAdoptedFormatsAreChineseAndTextsStay() {
        var air = Air()
        let location = air.value(of: 0x2A38, "02")
        #expect(location.detail.value("L2CAP 帧", "属性 PDU", "值") == "手腕")
        #expect(location.text.hasSuffix(" = 手腕"))
        let pulse = air.value(of: 0x2A37, "16 4A 00 01")
        #expect(pulse.detail.value("L2CAP 帧", "属性 PDU", "值", "心率") == "74 bpm")
        #expect(pulse.text.contains("RR 间期"))
        // The name of a device is data, also if it is a word of a choice.
        let name = air.value(of: 0x2A00, "57 72 69 73 74")
        #expect(name.detail.value("L2CAP 帧", "属性 PDU", "值") == "Wrist")
    }

    @Test func aWordHasItsChineseAloneAndInLists() {
        #expect(ValueWords.chinese("ringer + vibration") == "铃声 + 振动")
        #expect(ValueWords.chinese("rising, then steady") == "先升后稳")
        #expect(ValueWords.chinese("Finger, finger") == "手指，手指")
        #expect(ValueWords.chinese("bit 5") == "位 5")
        #expect(ValueWords.chinese("no such word") == "no such word")
    }

    @Test func truncatedFieldsAreChineseToo() {
        for octets in ["02 06 02 00 04 00 01 0A", "02 01 16", "60 03 01 02", "00 0A 010203040506 09 16 0D 18"] {
            var air = Air()
            let isAdvertising = octets.hasPrefix("6") || octets.hasPrefix("00")
            let summary = air.add(
                octets.split(separator: " ").flatMap(Self.octets), from: 0,
                accessAddress: isAdvertising ? LL.advertisingAccessAddress : Air.accessAddress)
            #expect(Self.compare(summary, air.dissector) == [])
        }
    }

    private static func octets(_ digits: Substring) -> [UInt8] {
        stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(digits.dropFirst($0).prefix(2), radix: 16) }
    }
}

extension Air {
    /// A notification of a characteristic with a known type, in Chinese.
    fileprivate mutating func value(of type: UInt16, _ octets: String) -> (detail: DissectedPacket, text: String) {
        _ = connect()
        // Declarations of the characteristics from handle 2 on: properties, value handle, UUID (Vol 3, Part G, 3.3.1).
        _ = att("08 0100 FFFF 0328", from: Air.central)
        let uuid = hexadecimal(type & 0xFF, digits: 2) + " " + hexadecimal(type >> 8, digits: 2)
        _ = att("09 07 0200 12 0300 \(uuid)", from: Air.peripheral)
        let summary = att("1B 0300 \(octets)", from: Air.peripheral)
        return (dissector.detail(of: summary, in: .chinese), summary.text(in: .chinese))
    }
}
