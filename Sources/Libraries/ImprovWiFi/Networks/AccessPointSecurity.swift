/// How an access point is protected, from the flags that NetworkManager shows (NM80211ApFlags, NM80211ApSecurityFlags).
struct AccessPointSecurity: Hashable, Sendable {
    private static let privacy: UInt64 = 0x1
    private static let preSharedKey: UInt64 = 0x100
    private static let enterprise: UInt64 = 0x200
    private static let sae: UInt64 = 0x400
    private static let opportunistic: UInt64 = 0x800

    /// NM80211ApFlags.
    var flags: UInt64
    /// NM80211ApSecurityFlags of the WPA and of the RSN element.
    var wpa: UInt64
    var rsn: UInt64

    /// The words of Improv: `WPA`, `WPA2`, `WPA2 EAP`, `WPA3`, `WEP`, or `NO`; several have slashes between them.
    var text: String {
        var words: [String] = []
        if wpa & (Self.preSharedKey | Self.enterprise) != 0 { words.append("WPA") }
        if rsn & Self.preSharedKey != 0 { words.append("WPA2") }
        if rsn & Self.enterprise != 0 { words.append("WPA2 EAP") }
        if rsn & Self.sae != 0 { words.append("WPA3") }
        if !words.isEmpty { return words.joined(separator: "/") }
        // Opportunistic encryption (OWE) asks for no password.
        return flags & Self.privacy != 0 && rsn & Self.opportunistic == 0 ? "WEP" : "NO"
    }

    /// The property `key-mgmt` of a connection; nil for an open network.
    ///
    /// NetworkManager's `wpa-psk` covers WPA2 and the transition to WPA3. An access point of WPA3 alone needs `sae`.
    ///
    /// - Parameter security: Nil for a network that is not visible.
    static func keyManagement(_ security: AccessPointSecurity?, hasPassword: Bool) -> String? {
        guard hasPassword else { return security.map { $0.rsn & opportunistic != 0 } ?? false ? "owe" : nil }
        guard let security else { return "wpa-psk" }
        let needsSAE = security.rsn & sae != 0 && (security.rsn | security.wpa) & preSharedKey == 0
        return needsSAE ? "sae" : "wpa-psk"
    }
}
