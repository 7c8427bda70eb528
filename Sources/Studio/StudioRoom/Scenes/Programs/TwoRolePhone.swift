import CoreBluetooth

/// A phone that scans, and can advertise as well.
final class TwoRolePhone {
    var log: (String) -> Void = { print($0) }

    private let queue: DispatchQueue?
    private let scanner: ScanningPhone
    private var gadget: Gadget?

    init(queue: DispatchQueue? = nil) {
        self.queue = queue
        scanner = ScanningPhone(queue: queue)
    }

    func start() {
        scanner.log = log
        scanner.start()
    }

    // lesson: roles
    /// A second manager, for the other role. The scan goes on.
    func advertise() {
        let gadget = Gadget(queue: queue)
        gadget.name = "Phone as a device"
        gadget.log = log
        gadget.start()
        self.gadget = gadget
    }
    // lesson: end
}
