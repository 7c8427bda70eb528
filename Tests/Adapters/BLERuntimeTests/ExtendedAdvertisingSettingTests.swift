import BLERuntime
import Testing

struct ExtendedAdvertisingSettingTests {
    @Test func onlyOffChoosesTheLegacyCommands() {
        #expect(ExtendedAdvertisingSetting.isOn("off") == (false, nil))
        for text in [nil, "", "on"] as [String?] { #expect(ExtendedAdvertisingSetting.isOn(text) == (true, nil)) }
        for text in ["Off", "no", "0"] {
            let (isOn, complaint) = ExtendedAdvertisingSetting.isOn(text)
            #expect(isOn && complaint?.contains("BLUETOOTH_EXTENDED_ADVERTISING: \(text) ") == true)
        }
    }
}
