import BLERuntime
import Testing

struct ExtendedAdvertisingSettingTests {
    @Test func aTextSelectsASetting() {
        for (text, setting) in [(nil, .on), ("", .on), ("on", .on), ("off", .off), ("coded", .coded)]
            as [(String?, ExtendedAdvertisingSetting)]
        {
            #expect(ExtendedAdvertisingSetting.parse(text) == (setting, nil))
        }
        for text in ["Off", "no", "0"] {
            let (setting, complaint) = ExtendedAdvertisingSetting.parse(text)
            #expect(
                setting == .on && complaint?.contains("BLUETOOTH_EXTENDED_ADVERTISING: \(text) is none of") == true)
        }
    }
}
