#if !canImport(Darwin)
import BLEAdapter
import Foundation

/// What an observer wants to know of a change.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt

    /// Options by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The old value.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// A first call at once.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// A call before each change as well. On Linux it comes right after the change, just before the other one.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The kind of a change. On Linux every one is a setting.
public enum NSKeyValueChange: UInt, Sendable {
    /// The property has another value.
    case setting = 1
    /// Something was inserted into a collection.
    case insertion = 2
    /// Something was removed from a collection.
    case removal = 3
    /// Something in a collection was replaced.
    case replacement = 4
}

/// One change of an observed property.
public struct NSKeyValueObservedChange<Value> {
    /// The kind of a change.
    public typealias Kind = NSKeyValueChange

    /// What happened to the property.
    public let kind: Kind
    /// The new value, if it was asked for.
    public let newValue: Value?
    /// The old value, if it was asked for. Nil in the first call.
    public let oldValue: Value?
    /// Which elements changed: nil on Linux.
    public let indexes: IndexSet?
    /// Whether this is the call before the change.
    public let isPrior: Bool

    init(newValue: Value?, oldValue: Value?, isPrior: Bool) {
        kind = .setting
        self.newValue = newValue
        self.oldValue = oldValue
        indexes = nil
        self.isPrior = isPrior
    }
}

/// An observation. It ends when this object does, or with ``invalidate()``.
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
#endif
