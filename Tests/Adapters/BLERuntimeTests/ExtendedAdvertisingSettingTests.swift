import BLERuntime
import Testing

struct ExtendedAdvertisingSettingTests {
    @Test func onlyOnChoosesTheExtendedCommands() {
        #expect(ExtendedAdvertisingSetting.isOn("on") == (true, nil))
        for text in [nil, "", "off"] as [String?] { #expect(ExtendedAdvertisingSetting.isOn(text) == (false, nil)) }
        for text in ["On", "yes", "1"] {
            let (isOn, complaint) = ExtendedAdvertisingSetting.isOn(text)
            #expect(!isOn && complaint?.contains("BLUETOOTH_EXTENDED_ADVERTISING: \(text) ") == true)
        }
    }
}
