/// The reason why a command of the page failed, as the page shows it.
package struct StudioFailure: Error, Hashable, Codable, Sendable {
    /// A word that selects the translated sentence, such as `unknown-command`.
    package var code: String
    /// What happened, in English. The page shows it if it has no translation of `code`.
    package var text: String
    /// What the user can do next; nil if nothing helps.
    package var next: String?

    package init(_ code: String, _ text: String, next: String? = nil) {
        self.code = code
        self.text = text
        self.next = next
    }
}
