import BLEAdapter
import Foundation

/// The values and calls that an observer requests.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits, with the values of Apple's framework.
    public let rawValue: UInt

    /// Creates options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The old value.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// A first call at the start of the observation.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// A call before each change. On Linux the call follows the change, just before the other call.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The kind of a change. Always `.setting` on Linux.
public enum NSKeyValueChange: UInt, Sendable {
    /// The property has a new value.
    case setting = 1
    /// Elements were inserted into a collection.
    case insertion = 2
    /// Elements were removed from a collection.
    case removal = 3
    /// Elements of a collection were replaced.
    case replacement = 4
}

/// One change of an observed property.
public struct NSKeyValueObservedChange<Value> {
    /// The kind of a change.
    public typealias Kind = NSKeyValueChange

    /// The kind of this change.
    public let kind: Kind
    /// The new value, if the observer requested it.
    public let newValue: Value?
    /// The old value, if the observer requested it. Nil in the first call.
    public let oldValue: Value?
    /// The indexes of changed elements. Always nil on Linux.
    public let indexes: IndexSet?
    /// Whether this call precedes the change.
    public let isPrior: Bool

    init(newValue: Value?, oldValue: Value?, isPrior: Bool) {
        kind = .setting
        self.newValue = newValue
        self.oldValue = oldValue
        indexes = nil
        self.isPrior = isPrior
    }
}

/// An observation of a property. It ends with the release of this object or with ``invalidate()``.
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
    private let content: Lock<(observer: ChangeObserver, end: (ChangeObserver) -> Void)?>

    init(observer: ChangeObserver, end: @escaping (ChangeObserver) -> Void) {
        content = Lock((observer, end))
        super.init()
    }

    deinit { invalidate() }

    /// Ends the observation.
    public func invalidate() {
        let old = content.withLock { content in
            defer { content = nil }
            return content
        }
        if let old { old.end(old.observer) }
    }
}
