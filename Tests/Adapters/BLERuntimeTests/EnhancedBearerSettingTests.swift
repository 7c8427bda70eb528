import BLERuntime
import Testing

struct EnhancedBearerSettingTests {
    @Test func aNumberSelectsTheLimit() {
        for (text, limit) in [(nil, nil), ("", nil), ("0", 0), ("1", 1), ("5", 5)] as [(String?, Int?)] {
            #expect(EnhancedBearerSetting.parse(text) == (limit, nil))
        }
        for text in ["6", "-1", "on", "2.0", " 1", "99999999999999999999"] {
            let (limit, complaint) = EnhancedBearerSetting.parse(text)
            #expect(limit == nil)
            #expect(complaint?.contains("BLUETOOTH_ENHANCED_BEARERS: \(text) is no number from 0 to 5") == true)
        }
    }
}
