import Glibc

/// Records whether the calling thread is inside a callback during which virtual time stands still. Such code must not
/// wait for a packet: none arrives before the callback returns.
package enum CallbackScope {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The value of the key while no clock is known.
    private static var anyClock: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: 1) }

    /// Whether the thread runs a callback.
    package static var isInside: Bool { pthread_getspecific(key) != nil }

    /// Whether the thread runs a callback of `clock`, or a callback without a known clock.
    package static func isInside(of clock: AnyObject) -> Bool {
        let current = pthread_getspecific(key).map { UnsafeRawPointer($0) }
        return current != nil && (current == anyClock || current == pointer(to: clock))
    }

    /// Runs `body` as a callback.
    ///
    /// - Parameter clock: the clock that stands still meanwhile; nil if it is not known here.
    package static func run<Result>(holding clock: AnyObject? = nil, _ body: () -> Result) -> Result {
        let before = pthread_getspecific(key)
        pthread_setspecific(key, clock.map { pointer(to: $0) } ?? anyClock)
        defer { pthread_setspecific(key, before) }
        return body()
    }

    private static func pointer(to clock: AnyObject) -> UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(clock).toOpaque())
    }
}
