import Foundation

/// The abstract base class of central and peripheral managers. Create one of its subclasses; this class has no initialiser of its own.
open class CBManager: NSObject, _KeyValueCodingAndObserving, ChangeSource {
    private let source: any ManagerStateSource

    init(source: any ManagerStateSource) {
        self.source = source
        super.init()
    }

    func add(_ observer: ChangeObserver) { source.add(observer) }
    func remove(_ observer: ChangeObserver) { source.remove(observer) }

    /// The current state of the manager.
    ///
    /// The state is `.unknown` after the initialiser. The delegate's did-update-state method announces each change, and the value
    /// changes just before that call. A manager accepts commands only while it is `.poweredOn`. Any thread may read the state.
    open var state: CBManagerState { source.state }

    /// The authorization of the program to use Bluetooth. Always `.allowedAlways` on Linux, which has no permission dialog. If the
    /// process lacks the right to use the controller, the state is `.unauthorized`.
    open var authorization: CBManagerAuthorization { .allowedAlways }

    /// The authorization of the program to use Bluetooth, without a manager.
    open class var authorization: CBManagerAuthorization { .allowedAlways }
}
