import Foundation

/// Joins texts to a list in a sentence, as Apple's class does, by `ListFormatStyle`.
open class ListFormatter: Formatter {
    /// The locale of the sentence; nil for the present one.
    open var locale: Locale! = .autoupdatingCurrent
    /// Makes the text of an item that is no string; nil for its description.
    open var itemFormatter: Formatter?

    /// Joins texts for the present locale.
    open class func localizedString(byJoining strings: [String]) -> String {
        strings.formatted(.list(type: .and, width: .standard))
    }

    /// Joins items; nil if one of them has no text.
    open func string(from items: [Any]) -> String? {
        let texts = items.map { item -> String? in
            if let itemFormatter { return itemFormatter.string(for: item) }
            return item as? String ?? String(describing: item)
        }
        guard !texts.contains(nil) else { return nil }
        return texts.compactMap(\.self).formatted(
            .list(type: .and, width: .standard).locale(locale ?? .autoupdatingCurrent))
    }

    /// The text of an array; nil for anything else.
    open override func string(for obj: Any?) -> String? { (obj as? [Any]).flatMap(string(from:)) }
}
