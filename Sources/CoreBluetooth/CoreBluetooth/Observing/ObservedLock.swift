import BLEAdapter

/// A guarded state with properties that programs observe.
protocol WatchedState {
    associatedtype Watched: Equatable
    /// The values whose changes observers receive.
    var watched: Watched { get }
}

/// A ``Lock`` value that notifies observers of changes of its watched properties, after the lock is released. Without observers the
/// cost is the check of an empty array.
struct ObservedLock<Value: WatchedState>: ~Copyable, Sendable {
    private let guarded: Lock<ObservedContent<Value>>

    init(_ value: @autoclosure () -> Value) {
        guarded = Lock(ObservedContent(value: value()))
    }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        var observers: [WeakObserver] = []
        let result = guarded.withLock { content in
            guard !content.observers.isEmpty else { return body(&content.value) }
            let before = content.value.watched
            let result = body(&content.value)
            if before != content.value.watched { observers = content.observers }
            return result
        }
        for observer in observers { observer.object?.watchedPropertiesChanged() }
        return result
    }

    func add(_ observer: ChangeObserver) {
        guarded.withLock { $0.observers.append(WeakObserver(observer)) }
    }

    func remove(_ observer: ChangeObserver) {
        // By identity: a strong reference that ends here would release an observer, and the program's closure, under the lock.
        let identity = ObjectIdentifier(observer)
        guarded.withLock { content in content.observers.removeAll { $0.identity == identity } }
    }
}

struct ObservedContent<Value> {
    var value: Value
    var observers: [WeakObserver] = []
}

struct WeakObserver {
    private(set) weak var object: ChangeObserver?
    let identity: ObjectIdentifier

    init(_ object: ChangeObserver) {
        self.object = object
        identity = ObjectIdentifier(object)
    }
}

/// An observer of watched properties. Each observer determines itself which property changed.
class ChangeObserver {
    func watchedPropertiesChanged() {}
}
