import BLEAdapter
import Glibc

/// Knows whether the calling thread is inside a callback for which virtual time stands still: there, waiting for something to
/// come over the air would be waiting for ever.
package enum CallbackScope {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    package static var isInside: Bool { pthread_getspecific(key) != nil }

    package static func run(_ body: () -> Void) {
        let before = pthread_getspecific(key)
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        body()
        pthread_setspecific(key, before)
    }
}
