import Foundation

/// The observers that receive notifications by a method. A center does not retain them, and forgets those that were deallocated.
private final class NotificationObservers: @unchecked Sendable {
    private struct Entry {
        weak var center: NotificationCenter?
        let identity: ObjectIdentifier
        weak var observer: AnyObject?
        let name: NSNotification.Name?
        let object: ObjectIdentifier?
        let token: any NSObjectProtocol
    }

    static let shared = NotificationObservers()

    private let lock = NSLock()
    private var entries: [Entry] = []
    private var limit = 16

    /// Stands for an object that is a value: it has no identity, and the one of its box can be that of another object later.
    private static let value = ObjectIdentifier(NotificationObservers.self)

    private static func identity(_ object: Any) -> ObjectIdentifier {
        type(of: object) is AnyClass ? ObjectIdentifier(object as AnyObject) : value
    }

    func add(
        _ observer: AnyObject, to center: NotificationCenter, name: NSNotification.Name?, object: Any?,
        token: any NSObjectProtocol
    ) {
        let entry = Entry(
            center: center, identity: ObjectIdentifier(observer), observer: observer, name: name,
            object: object.map(Self.identity), token: token)
        let all: [Entry] = lock.withLock {
            entries.append(entry)
            return entries.count > limit ? entries : []
        }
        if !all.isEmpty { forget(all) }
    }

    /// Removes the entries of observers that no longer exist. The look at a weak reference can end its object, and the object then removes itself:
    /// the lock is not held meanwhile.
    private func forget(_ all: [Entry]) {
        let forgotten = all.filter { $0.observer == nil }
        let tokens = Set(forgotten.map { ObjectIdentifier($0.token) })
        lock.withLock {
            entries.removeAll { tokens.contains(ObjectIdentifier($0.token)) }
            limit = max(16, entries.count * 2)
        }
        for entry in forgotten { entry.center?.removeObserver(entry.token as Any) }
    }

    /// Compares identities only: an observer that removes itself in its `deinit` has no weak references any more.
    func remove(
        _ observer: AnyObject, from center: NotificationCenter, name: NSNotification.Name? = nil, object: Any? = nil
    ) {
        let identity = ObjectIdentifier(observer)
        let source = object.map(Self.identity)
        let isRemoved = { (entry: Entry) in
            entry.identity == identity && entry.center === center && (name == nil || entry.name == name)
                && (object == nil || entry.object == source && source != Self.value)
        }
        let removed: [Entry] = lock.withLock {
            let removed = entries.filter(isRemoved)
            if !removed.isEmpty { entries.removeAll(where: isRemoved) }
            return removed
        }
        for entry in removed { center.removeObserver(entry.token as Any) }
    }
}

/// The observer and its method, which a closure for any thread holds. The method runs in the thread that posts the notification.
private struct ObserverMethod: @unchecked Sendable {
    weak var observer: AnyObject?
    let call: (AnyObject, Notification) -> Void
}

/// Notifications with an observer, for methods in place of selectors. `Scripts/without-objective-c` replaces `#selector(Type.method)` by
/// `Type.method`.
extension NotificationCenter {
    /// Calls a method of an observer for each notification, in the thread that posts it. The center does not retain the observer.
    ///
    /// - Parameters:
    ///   - observer: The observer.
    ///   - selector: The method. Its parameter is the notification.
    ///   - name: The name of the notifications, nil for all.
    ///   - object: The object that posts them, nil for all.
    public func addObserver<Observer: AnyObject, Result>(
        _ observer: Observer, selector: @escaping (Observer) -> (Notification) -> Result, name: NSNotification.Name?,
        object: Any?
    ) {
        add(observer, name: name, object: object) { _ = selector($0)($1) }
    }

    /// Calls a method without parameters for each notification.
    public func addObserver<Observer: AnyObject, Result>(
        _ observer: Observer, selector: @escaping (Observer) -> () -> Result, name: NSNotification.Name?, object: Any?
    ) {
        add(observer, name: name, object: object) { observer, _ in _ = selector(observer)() }
    }

    /// Calls a method with a parameter of the class `NSNotification` for each notification.
    @_disfavoredOverload
    public func addObserver<Observer: AnyObject, Result>(
        _ observer: Observer, selector: @escaping (Observer) -> (NSNotification) -> Result, name: NSNotification.Name?,
        object: Any?
    ) {
        add(observer, name: name, object: object) { _ = selector($0)($1 as NSNotification) }
    }

    /// Removes an observer, whether it receives notifications by a method or by a closure.
    public func removeObserver<Observer: AnyObject>(_ observer: Observer) {
        NotificationObservers.shared.remove(observer, from: self)
        removeObserver(observer as Any)
    }

    /// Removes an observer of some notifications, whether it receives them by a method or by a closure.
    public func removeObserver<Observer: AnyObject>(
        _ observer: Observer, name: NSNotification.Name?, object: Any?
    ) {
        NotificationObservers.shared.remove(observer, from: self, name: name, object: object)
        removeObserver(observer as Any, name: name, object: object)
    }

    private func add<Observer: AnyObject>(
        _ observer: Observer, name: NSNotification.Name?, object: Any?, call: @escaping (Observer, Notification) -> Void
    ) {
        let method = ObserverMethod(observer: observer) { object, notification in
            if let observer = object as? Observer { call(observer, notification) }
        }
        let token = addObserver(forName: name, object: object, queue: nil) { notification in
            if let observer = method.observer { method.call(observer, notification) }
        }
        NotificationObservers.shared.add(observer, to: self, name: name, object: object, token: token)
    }
}
