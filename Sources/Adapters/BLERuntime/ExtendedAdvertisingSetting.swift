import BLEAdapter
import Logging

/// The choice between the commands of extended advertising and the legacy ones that `BLUETOOTH_EXTENDED_ADVERTISING` makes.
package enum ExtendedAdvertisingSetting {
    /// The setting of a text.
    ///
    /// - Parameter text: `on`: the commands of extended advertising on a controller that has them. Nil, empty or `off`: the legacy ones. Any other
    ///   text counts as `off`.
    /// - Returns: Whether to use the commands of extended advertising, and a sentence for the log if the text is unknown.
    package static func isOn(_ text: String?) -> (isOn: Bool, complaint: String?) {
        switch text {
        case "on": (true, nil)
        case nil, "", "off": (false, nil)
        case let text?:
            (
                false,
                "BLUETOOTH_EXTENDED_ADVERTISING: \(text) is neither on nor off. This program uses legacy advertising."
            )
        }
    }

    /// The setting of this process.
    static func ofProcess() -> Bool {
        let (isOn, complaint) = isOn(LocalDeviceName.variable("BLUETOOTH_EXTENDED_ADVERTISING"))
        if let complaint { LibraryLog.logger().error("\(complaint)") }
        return isOn
    }
}
