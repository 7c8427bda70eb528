/// The reason why a part of the studio refuses a command, as the page shows it.
package struct StudioError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    /// A word for programs, such as `unknown-command`.
    package var code: String
    /// What happened.
    package var text: Phrase
    /// What the user can do next; nil if nothing helps.
    package var next: Phrase?

    package init(_ code: String, _ text: Phrase, next: Phrase? = nil) {
        self.code = code
        self.text = text
        self.next = next
    }

    /// The English sentence.
    package var description: String { text.description }
}
