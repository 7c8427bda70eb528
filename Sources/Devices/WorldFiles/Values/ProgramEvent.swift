import Phrases

/// Something that a program did or heard.
package struct ProgramEvent: Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable {
        /// The program called a method.
        case call
        /// A delegate method was called.
        case callback
        case note
        case error
    }

    package var kind: Kind
    /// The step of the walkthrough, 1 to 23.
    package var step: Int?
    /// What happened, for people.
    package var text: Phrase
    /// The line of Swift or the delegate method.
    package var swift: String?

    package init(_ kind: Kind, _ text: Phrase, step: Int? = nil, swift: String? = nil) {
        self.kind = kind
        self.step = step
        self.text = text
        self.swift = swift
    }
}
