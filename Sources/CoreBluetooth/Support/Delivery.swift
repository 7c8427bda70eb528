#if !canImport(Darwin)
internal import BLERuntime
import Dispatch

/// The one way by which callbacks leave the module: on the delegate's queue, in order, never under a lock and never from
/// within the call that caused them. The adapter carries them, so that virtual time can stand still meanwhile.
final class Delivery: Sendable {
    let adapter: any BluetoothAdapter
    let queue: DispatchQueue

    init(adapter: any BluetoothAdapter, queue: DispatchQueue?) {
        self.adapter = adapter
        self.queue = queue ?? .main
    }

    /// Runs `body` on the delegate's queue. What the objects in it guard, they guard themselves; the cast instead of a
    /// wrapping closure saves an allocation for each callback.
    func post(_ body: @escaping () -> Void) {
        adapter.deliver(on: queue, unsafeBitCast(body, to: (@Sendable () -> Void).self))
    }
}
#endif
