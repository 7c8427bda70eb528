/// The reason why a command of a user is refused, in both languages.
package struct PhrasedError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
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
