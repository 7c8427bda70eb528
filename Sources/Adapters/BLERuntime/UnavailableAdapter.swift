import BLEAdapter
import BLEHostAdapter
import BLESessions
import BLEWire
import Dispatch

/// The adapter of a process without a usable controller: its state is `.unsupported`.
final class UnavailableAdapter: BluetoothAdapter {
    private let queue = DispatchQueue(label: "bluetooth.unavailable")

    func openCentral(observer: any CentralObserver) -> any CentralSession {
        reportState { [weak observer] in observer?.adapterStateChanged(.unsupported) }
        return UnavailableSession()
    }

    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        reportState { [weak observer] in observer?.adapterStateChanged(.unsupported) }
        return UnavailableSession()
    }

    private func reportState(_ body: @escaping @Sendable () -> Void) {
        let delay = DispatchTimeInterval.nanoseconds(Int(HostSessions.firstStateDelay.nanoseconds))
        queue.asyncAfter(deadline: .now() + delay, execute: body)
    }
}
