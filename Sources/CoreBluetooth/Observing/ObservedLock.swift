import BLEAdapter

#if !canImport(Darwin)
/// A guarded state with properties that a program can observe.
protocol WatchedState {
    associatedtype Watched: Equatable
    /// What observers are told of.
    var watched: Watched { get }
}

/// A ``Lock`` value that tells observers, after the lock is released, when a watched property has another value than before.
/// As long as nobody observes, that costs a look at an empty array.
struct ObservedLock<Value: WatchedState>: ~Copyable, Sendable {
    private let guarded: Lock<ObservedContent<Value>>

    init(_ value: Value) {
        guarded = Lock(ObservedContent(value: value))
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
        guarded.withLock { $0.observers.append(WeakObserver(object: observer)) }
    }

    func remove(_ observer: ChangeObserver) {
        // An observer that is being released reads as nil already.
        guarded.withLock { $0.observers.removeAll { $0.object == nil || $0.object === observer } }
    }
}

struct ObservedContent<Value> {
    var value: Value
    var observers: [WeakObserver] = []
}

struct WeakObserver {
    weak var object: ChangeObserver?
}

/// Who is told that some watched property changed, and finds out itself which.
class ChangeObserver {
    func watchedPropertiesChanged() {}
}
#endif
