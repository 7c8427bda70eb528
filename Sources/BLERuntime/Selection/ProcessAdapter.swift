import Dispatch

/// The adapter of this process, chosen once.
enum ProcessAdapter {
    static let shared: any BluetoothAdapter = UnavailableAdapter()
}

/// Stands where there is no usable controller: every session hears that Bluetooth is unsupported here.
final class UnavailableAdapter: BluetoothAdapter {
    private let queue = DispatchQueue(label: "bluetooth.unavailable")

    func openCentral(observer: any CentralObserver) -> any CentralSession {
        queue.async { [weak observer] in observer?.adapterStateChanged(.unsupported) }
        return UnavailableSession()
    }

    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        queue.async { [weak observer] in observer?.adapterStateChanged(.unsupported) }
        return UnavailableSession()
    }

    func deliver(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
