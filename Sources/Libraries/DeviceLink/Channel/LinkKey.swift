import NoiseChannel

/// The key that a device and its clients share: 32 octets. Its text is base64, 44 characters; `bluelab gateway key` makes one.
///
/// No description and no dump shows the octets. Each client with the key can send the device any request, and can pretend to be the device: give
/// each device a key of its own.
public struct LinkKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    package let key: PreSharedKey

    package init(_ key: PreSharedKey) { self.key = key }

    /// Reads the text of a key. White space around it is ignored.
    ///
    /// - Throws: ``LinkKeyError`` unless the text decodes to 32 octets, and not all of them are 0.
    public init(base64 text: String) throws(LinkKeyError) {
        guard let key = try? PreSharedKey(base64: text) else { throw LinkKeyError() }
        self.key = key
    }

    /// Makes a random key.
    public static func random() -> LinkKey {
        var random = SystemRandomNumberGenerator()
        return LinkKey(PreSharedKey(using: &random))
    }

    /// The key in base64, for the file that keeps it. Do not log it.
    public var base64Text: String { key.base64Text }
    /// A word instead of the key.
    public var description: String { "LinkKey(hidden)" }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A text that is no key. The error does not contain the text.
public struct LinkKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence about the text of a key.
    public var description: String {
        "A key is base64 of 32 octets that are not all 0. `bluelab gateway key` makes one."
    }
}

/// Why a secure channel ended.
package enum LinkChannelError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The other end has another key, or the octets were changed.
    case authentication
    /// The other end sent octets that do not belong to the channel.
    case malformed

    package var description: String {
        switch self {
        case .authentication: "The channel does not authenticate. Compare the keys of both ends."
        case .malformed: "The other end does not speak this protocol."
        }
    }
}
