/// A message with values in it, as a string literal makes it. Use it as the argument of a log call only.
public struct OSLogMessage: ExpressibleByStringInterpolation {
    /// The message as it will be written.
    let text: String

    /// A message without values.
    public init(stringLiteral value: String) { text = value }

    /// A message with values.
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// Whether a value may be read by those who read the log.
///
/// Apple's system hides some values from others on the same device, and shows them to a debugger. On Linux there is no such reader,
/// so a value is hidden only where the program says `private` or `sensitive`; a value without a word about it is shown.
public struct OSLogPrivacy: Sendable {
    /// How a hidden value may still be told from others.
    public struct Mask: Sendable {
        let hashes: Bool

        /// By a number computed from it, equal for equal values within one run.
        public static let hash = Mask(hashes: true)
        /// Not at all.
        public static let none = Mask(hashes: false)
    }

    enum Kind { case open, hidden }

    let kind: Kind
    let mask: Mask

    /// As the system likes: shown, on Linux.
    public static let auto = OSLogPrivacy(kind: .open, mask: .none)
    /// Shown.
    public static let `public` = OSLogPrivacy(kind: .open, mask: .none)
    /// Hidden.
    public static let `private` = OSLogPrivacy(kind: .hidden, mask: .none)
    /// Hidden.
    public static let sensitive = OSLogPrivacy(kind: .hidden, mask: .none)

    /// Shown on Linux; the mask is for systems that would hide it.
    public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
    /// Hidden behind a mask.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: mask) }
    /// Hidden behind a mask.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: mask) }

    func apply(to text: String) -> String {
        guard kind == .hidden else { return text }
        guard mask.hashes else { return "<private>" }
        return "<mask.hash: \(String(UInt(bitPattern: text.hashValue), radix: 16))>"
    }
}

/// How wide a value is written.
public struct OSLogStringAlignment: Sendable {
    let width: Int

    /// As wide as it is.
    public static let none = OSLogStringAlignment(width: 0)
    /// Spaces before it, up to a width in characters.
    public static func right(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(width: columns())
    }
    /// Spaces after it, up to a width in characters.
    public static func left(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(width: -columns())
    }

    func apply(to text: String) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? text + spaces : spaces + text
    }
}
