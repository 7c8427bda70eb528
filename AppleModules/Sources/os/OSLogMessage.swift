/// A message with values, from a string literal. Use it as the argument of a log call only.
public struct OSLogMessage: ExpressibleByStringInterpolation {
    /// The written message.
    let text: String

    /// A message without values.
    public init(stringLiteral value: String) { text = value }

    /// A message with values.
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// Whether the log shows a value.
///
/// Apple's systems hide some values outside a debugger. On Linux, the log hides only values that the program marks `private` or `sensitive`,
/// and shows all others.
public struct OSLogPrivacy: Sendable {
    /// How the log distinguishes hidden values.
    public struct Mask: Sendable {
        let hashes: Bool

        /// By a hash that is equal for equal values within one run.
        public static let hash = Mask(hashes: true)
        /// Not at all.
        public static let none = Mask(hashes: false)
    }

    enum Kind { case open, hidden }

    let kind: Kind
    let mask: Mask

    /// The system's choice: shown on Linux.
    public static let auto = OSLogPrivacy(kind: .open, mask: .none)
    /// Shown.
    public static let `public` = OSLogPrivacy(kind: .open, mask: .none)
    /// Hidden.
    public static let `private` = OSLogPrivacy(kind: .hidden, mask: .none)
    /// Hidden.
    public static let sensitive = OSLogPrivacy(kind: .hidden, mask: .none)

    /// Shown on Linux; other systems mask it.
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

/// The width of a value.
public struct OSLogStringAlignment: Sendable {
    let width: Int

    /// The width of the value itself.
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
