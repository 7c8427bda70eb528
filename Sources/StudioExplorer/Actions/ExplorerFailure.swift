/// The reason why the explorer does not perform an action.
package struct ExplorerFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A word that selects the translated sentence, such as `not-connected`.
    package let code: String
    /// What happened, in English.
    package let description: String
    /// What the user can do next; nil if nothing helps.
    package let next: String?

    package init(_ code: String, _ description: String, next: String? = nil) {
        self.code = code
        self.description = description
        self.next = next
    }

    static let arguments = ExplorerFailure("arguments", "The action lacks an argument, or has one that is not valid.")
}
