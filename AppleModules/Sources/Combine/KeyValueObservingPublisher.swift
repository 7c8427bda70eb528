import CoreBluetooth
import Foundation

extension NSObject {
    /// Publishes the values of an observed property. It never ends.
    ///
    /// A value that the subscriber did not ask for gives way to the next.
    public struct KeyValueObservingPublisher<Subject: NSObject & _KeyValueCodingAndObserving, Value>: Publisher {
        /// The property's values.
        public typealias Output = Value
        /// It does not fail.
        public typealias Failure = Never

        /// Whose property it is.
        public let object: Subject
        /// The property.
        public let keyPath: KeyPath<Subject, Value>
        /// Whether the first value comes at once.
        public let options: NSKeyValueObservingOptions

        /// Publishes a property.
        public init(object: Subject, keyPath: KeyPath<Subject, Value>, options: NSKeyValueObservingOptions) {
            self.object = object
            self.keyPath = keyPath
            self.options = options
        }

        /// Starts to observe for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
            let outbox = Outbox(subscriber)
            let subscription = ObservationSubscription(outbox: outbox)
            subscriber.receive(subscription: subscription)
            // The options new and old select the values in a change; a publisher needs the new value only.
            subscription.keep(
                object.observe(keyPath, options: options.union(.new)) { _, change in
                    guard let value = change.newValue else { return }
                    let old = outbox.put(latest: value)
                    withExtendedLifetime(old) {}
                    outbox.flush()
                })
        }
    }
}

extension NSObject.KeyValueObservingPublisher: Equatable {
    /// Whether both publish the same property of the same object in the same way.
    public static func == (left: Self, right: Self) -> Bool {
        left.object === right.object && left.keyPath == right.keyPath && left.options == right.options
    }
}

extension _KeyValueCodingAndObserving where Self: NSObject {
    /// Publishes a property's values.
    ///
    /// - Parameters:
    ///   - keyPath: The property: on Linux one of those that ``CoreBluetooth/_KeyValueCodingAndObserving`` names.
    ///   - options: With `.initial` the first value comes at once.
    public func publisher<Value>(
        for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> NSObject.KeyValueObservingPublisher<Self, Value> {
        NSObject.KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
}

/// Holds the observation as long as the subscriber wants it.
private final class ObservationSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable {
    private let lock = NSLock()
    private let outbox: Outbox<Downstream>
    private var observation: NSKeyValueObservation?
    private var isCancelled = false

    init(outbox: Outbox<Downstream>) { self.outbox = outbox }

    func keep(_ observation: NSKeyValueObservation) {
        let isLate = lock.withLock {
            if !isCancelled { self.observation = observation }
            return isCancelled
        }
        if isLate { observation.invalidate() }
    }

    func request(_ demand: Subscribers.Demand) { outbox.request(demand) }

    func cancel() {
        let old = lock.withLock {
            isCancelled = true
            defer { observation = nil }
            return observation
        }
        old?.invalidate()
        outbox.cancel()
    }
}
