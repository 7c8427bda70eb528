import BLEAdapter
import Logging

/// The choice between the commands of extended advertising and the legacy ones that `BLUETOOTH_EXTENDED_ADVERTISING` makes, for a controller
/// whose extended commands do not work.
package enum ExtendedAdvertisingSetting {
    /// The setting of a text.
    ///
    /// - Parameter text: `off`: the legacy commands. Nil, empty or `on`: those of extended advertising on a controller that has them. Any other
    ///   text counts as `on`.
    /// - Returns: Whether to use the commands of extended advertising, and a sentence for the log if the text is unknown.
    package static func isOn(_ text: String?) -> (isOn: Bool, complaint: String?) {
        switch text {
        case "off": (false, nil)
        case nil, "", "on": (true, nil)
        case let text?:
            (
                true,
                "BLUETOOTH_EXTENDED_ADVERTISING: \(text) is neither on nor off. This program uses extended advertising."
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
