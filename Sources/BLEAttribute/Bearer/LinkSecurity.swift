/// How far a link is secured; decides which attributes its client may reach.
package enum LinkSecurity: Int, Comparable, Sendable {
    /// Not encrypted, and no key to do it with.
    case none
    /// Not encrypted, but both sides hold a key.
    case keyAvailable
    case encrypted
    /// Encrypted with a key from a pairing protected against a man in the middle.
    case authenticated

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
