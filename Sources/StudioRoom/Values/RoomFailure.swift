/// The reason why the room refuses a command.
package struct RoomFailure: Error, Hashable, Codable, Sendable {
    /// A word that selects the translated sentence, such as `unknown-device`.
    package var code: String
    /// What happened.
    package var text: String
    /// What the user can do next; nil if nothing helps.
    package var next: String?

    package init(_ code: String, _ text: String, next: String? = nil) {
        self.code = code
        self.text = text
        self.next = next
    }

    package static let ended = RoomFailure("ended", "The room has ended.", next: "Start the studio again.")

    package static func unknownAction(_ action: String) -> RoomFailure {
        RoomFailure("unknown-action", "The program of this device has no action \(action.prefix(64)).")
    }
}
