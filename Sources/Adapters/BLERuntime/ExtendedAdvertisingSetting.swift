/// The use of a controller's extended advertising, as `BLUETOOTH_EXTENDED_ADVERTISING` says it.
package enum ExtendedAdvertisingSetting: String {
    /// The legacy commands, for a controller whose extended commands do not work.
    case off
    /// The commands of extended advertising on a controller that has them.
    case on
    /// The same, and scans and attempts on the Coded PHY as well.
    case coded

    /// The setting of a text, and a sentence for the log if the text is unknown, which counts as `on`. So does nil.
    package static func parse(_ text: String?) -> (setting: ExtendedAdvertisingSetting, complaint: String?) {
        guard let text, !text.isEmpty else { return (.on, nil) }
        if let setting = ExtendedAdvertisingSetting(rawValue: text) { return (setting, nil) }
        return (
            .on,
            "BLUETOOTH_EXTENDED_ADVERTISING: \(text) is none of off, on and coded. This program uses extended advertising."
        )
    }
}
