import BLEAdapter
import Foundation

/// An object with properties that can be observed by key path.
///
/// Without the Objective-C runtime, not every property is observable. The objects of this module report changes of these: `state` and `isScanning` or `isAdvertising` of managers; `state`, `name` and `canSendWriteWithoutResponse` of
/// peripherals. An observation of another property has no effect.
public protocol _KeyValueCodingAndObserving: AnyObject {}

/// An object that notifies observers; see ``_KeyValueCodingAndObserving``.
protocol ChangeSource: AnyObject {
    func add(_ observer: ChangeObserver)
    func remove(_ observer: ChangeObserver)
}

extension _KeyValueCodingAndObserving {
    /// Observes a property until the returned object is released.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - options: The values that each change carries.
    ///   - changeHandler: Called on the thread that sets the property: on the delegate's queue just before the delegate's method that
    ///     announces the change, or inside the program's call that changes it.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let observer = PropertyObserver(self, keyPath, options, changeHandler)
        let source = self as? any ChangeSource
        source?.add(observer)
        observer.start()
        return NSKeyValueObservation(observer: observer) { [weak source] in source?.remove($0) }
    }
}

/// Compares one property with its previous value.
private final class PropertyObserver<Object: AnyObject, Value>: ChangeObserver {
    private weak var object: Object?
    private let keyPath: KeyPath<Object, Value>
    private let options: NSKeyValueObservingOptions
    private let handler: (Object, NSKeyValueObservedChange<Value>) -> Void
    private let last: Lock<Value>

    init(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
    ) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
        self.handler = handler
        last = Lock(object[keyPath: keyPath])
    }

    func start() {
        guard options.contains(.initial), let object else { return }
        let value = object[keyPath: keyPath]
        handler(object, change(to: value, from: nil, isPrior: false))
    }

    override func watchedPropertiesChanged() {
        guard let object else { return }
        let new = object[keyPath: keyPath]
        // The comparison may call code of the program, and so runs outside the lock.
        let old = last.withLock { last in
            defer { last = new }
            return last
        }
        guard !Self.areEqual(old, new) else { return }
        if options.contains(.prior) { handler(object, change(to: nil, from: old, isPrior: true)) }
        handler(object, change(to: new, from: old, isPrior: false))
    }

    private func change(to new: Value?, from old: Value?, isPrior: Bool) -> NSKeyValueObservedChange<Value> {
        NSKeyValueObservedChange(
            newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil,
            isPrior: isPrior)
    }

    private static func areEqual(_ left: Value, _ right: Value) -> Bool {
        func compare<E: Equatable>(_ left: E) -> Bool { left == right as? E }
        guard let left = left as? any Equatable else { return false }
        return compare(left)
    }
}
