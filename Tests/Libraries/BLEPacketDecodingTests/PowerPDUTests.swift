import BLEWire
import Testing

@testable import BLEPacketDecoding

/// The PDUs for power and channels, as lines and as trees, in both languages.
struct PowerPDUTests {
    private func line(_ octets: [UInt8], _ language: TextLanguage = .english) -> String {
        LLText.describe(octets.span, in: language).line
    }

    @Test func linesHavePowersAndChannels() {
        #expect(line([0x23, 2, 0xF6, 8]) == "LL_POWER_CONTROL_REQ 2M, change -10 dB, power 8 dBm")
        #expect(
            line([0x23, 0x80, 127, 127]) == "LL_POWER_CONTROL_REQ none, change to the maximum, power not available")
        #expect(line([0x24, 2, 5, 126, 255]) == "LL_POWER_CONTROL_RSP change +5 dB, power not managed")
        #expect(
            line([0x25, 0x0C, 0, 0xFB, 0xEC])
                == "LL_POWER_CHANGE_IND coded S=8/coded S=2, change -5 dB, power -20 dBm")
        #expect(line([0x28, 1, 5, 10]) == "LL_CHANNEL_REPORTING_IND on")
        #expect(line([0x28, 0, 5, 10]) == "LL_CHANNEL_REPORTING_IND off")
        let status: [UInt8] = [0x29, 0x3F, 0x40] + [UInt8](repeating: 0, count: 8)
        #expect(line(status) == "LL_CHANNEL_STATUS_IND good 7, bad 0-2")
        #expect(line([0x23, 2, 0xF6, 8], .chinese) == "LL_POWER_CONTROL_REQ 2M，变化 -10 dB，功率 8 dBm")
        #expect(line(status, .chinese) == "LL_CHANNEL_STATUS_IND 良好 7，不良 0-2")
    }

    @Test func treesHaveTheFields() {
        var air = Air()
        _ = air.connect()
        let answer = air.control("24 02 05 EC 0F", from: Air.peripheral)
        let english = air.dissector.detail(of: answer)
        #expect(english.value("Control PDU", "Limits", "At the minimum") == "no")
        #expect(english.value("Control PDU", "Limits", "At the maximum") == "yes")
        #expect(english.value("Control PDU", "Delta") == "+5 dB" && english.value("Control PDU", "Power") == "-20 dBm")
        #expect(english.value("Control PDU", "Acceptable reduction") == "15 dB")
        let chinese = air.dissector.detail(of: answer, in: .chinese)
        #expect(chinese.value("控制 PDU", "极限", "处于最大值") == "是" && chinese.value("控制 PDU", "功率") == "-20 dBm")
        let request = air.dissector.detail(of: air.control("23 08 00 7F", from: Air.central))
        #expect(request.value("Control PDU", "PHYs", "LE Coded, S=2") == "yes")
        #expect(request.value("Control PDU", "Power") == "not available")
        let reports = air.dissector.detail(of: air.control("28 01 05 96", from: Air.central))
        #expect(reports.value("Control PDU", "Is on") == "yes")
        #expect(reports.value("Control PDU", "Minimum spacing") == "1000 ms (5)")
        #expect(reports.value("Control PDU", "Maximum delay") == "30000 ms (150)")
        let status = air.dissector.detail(of: air.control("29 03 00 00 00 00 00 00 00 00 01", from: Air.peripheral))
        #expect(status.value("Control PDU", "Classification") == "good 36, bad 0")
    }
}
