import Testing

@testable import ImprovWiFi

/// Flags as NetworkManager shows them: CCMP in both directions is 0x88.
struct AccessPointSecurityTests {
    @Test(arguments: [
        (0 as UInt64, 0 as UInt64, 0 as UInt64, "NO", "wpa-psk"), (1, 0, 0, "WEP", "wpa-psk"),
        (1, 0x144, 0, "WPA", "wpa-psk"), (1, 0, 0x188, "WPA2", "wpa-psk"), (1, 0x144, 0x188, "WPA/WPA2", "wpa-psk"),
        (1, 0, 0x488, "WPA3", "sae"), (1, 0, 0x588, "WPA2/WPA3", "wpa-psk"), (1, 0, 0x288, "WPA2 EAP", "wpa-psk"),
        (1, 0x100, 0x488, "WPA/WPA3", "wpa-psk"), (1, 0, 0x888, "NO", "wpa-psk"),
    ])
    func theFlagsSelectTheNameAndTheKeyManagement(
        _ flags: UInt64, _ wpa: UInt64, _ rsn: UInt64, _ text: String, _ management: String
    ) {
        let security = AccessPointSecurity(flags: flags, wpa: wpa, rsn: rsn)
        #expect(security.text == text)
        #expect(AccessPointSecurity.keyManagement(security, hasPassword: true) == management)
        #expect(
            AccessPointSecurity.keyManagement(security, hasPassword: false) == (rsn & 0x800 != 0 ? "owe" : nil))
    }

    @Test func aHiddenNetworkWithAPasswordUsesAPreSharedKey() {
        #expect(AccessPointSecurity.keyManagement(nil, hasPassword: true) == "wpa-psk")
        #expect(AccessPointSecurity.keyManagement(nil, hasPassword: false) == nil)
    }
}
