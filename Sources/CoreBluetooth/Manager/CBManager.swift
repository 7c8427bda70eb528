#if !canImport(Darwin)
import Foundation

/// What central and peripheral managers have in common. Make one of those; this class has no initialiser of its own.
open class CBManager: NSObject, _KeyValueCodingAndObserving, ChangeSource {
    let delivery: Delivery

    init(delivery: Delivery) {
        self.delivery = delivery
        super.init()
    }

    /// The state as the subclass keeps it.
    var currentState: CBManagerState { .unknown }

    // Observers are kept with the state, in the subclass.
    func add(_ observer: ChangeObserver) {}
    func remove(_ observer: ChangeObserver) {}

    /// What Bluetooth can do for this manager at the moment.
    ///
    /// `.unknown` right after the initialiser; each change is announced by the delegate's did-update-state method, and the value
    /// changes just before that call. Commands are for `.poweredOn` alone. May be read from any thread.
    open var state: CBManagerState { currentState }

    /// Whether the program may use Bluetooth. On Linux always `.allowedAlways`: there is no permission dialog. A missing right
    /// to the controller shows as the state `.unauthorized`.
    open var authorization: CBManagerAuthorization { .allowedAlways }

    /// The same before there is a manager.
    open class var authorization: CBManagerAuthorization { .allowedAlways }
}
#endif
