import BLEHost
import BLEWire

/// The use of private addresses that `BLUETOOTH_PRIVATE_ADDRESS` selects (Vol 3, Part C, 10.7).
package enum PrivateAddressSetting {
    /// The setting of a text.
    ///
    /// - Parameter text: Nil, empty or `off`: the identity address. `on`: private addresses that change every 15 min. A number from 1
    ///   to 3600: private addresses that change after so many seconds. Any other text counts as `on`, so that a spelling mistake
    ///   does not reveal the identity.
    /// - Returns: The setting, and a sentence for the log if the text is unknown.
    package static func configuration(_ text: String?) -> (setting: PrivacyConfiguration, complaint: String?) {
        var configuration = PrivacyConfiguration()
        guard let text, !text.isEmpty, text != "off" else { return (configuration, nil) }
        configuration.usesPrivateAddress = true
        if text == "on" { return (configuration, nil) }
        guard let seconds = UInt16(text), ResolvingList.intervals.contains(seconds) else {
            return (
                configuration,
                "BLUETOOTH_PRIVATE_ADDRESS: \(text) is none of on, off and 1 to 3600 seconds. This program uses private "
                    + "addresses that change every 15 minutes."
            )
        }
        configuration.addressLifetime = .seconds(Int(seconds))
        return (configuration, nil)
    }
}
