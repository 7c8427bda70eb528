/// The limit of enhanced ATT bearers on a link that `BLUETOOTH_ENHANCED_BEARERS` selects (Vol 3, Part F, 3.2.11).
package enum EnhancedBearerSetting {
    /// The limit of a text.
    ///
    /// - Parameter text: A number from 0 to 5. Nil and empty: no choice, so that the limit is that of the platform, otherwise 0.
    /// - Returns: The limit, nil without a choice, and a sentence for the log if the text is no such number, which counts as no choice.
    package static func parse(_ text: String?) -> (setting: Int?, complaint: String?) {
        guard let text, !text.isEmpty else { return (nil, nil) }
        guard let limit = Int(text), (0...5).contains(limit) else {
            return (nil, "BLUETOOTH_ENHANCED_BEARERS: \(text) is no number from 0 to 5. This program ignores it.")
        }
        return (limit, nil)
    }
}
