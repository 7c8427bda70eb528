import BLEWire
import Dispatch

/// Bluetooth by our own host: one host stack on one serial executor, shared by all sessions.
package final class HostAdapter: BluetoothAdapter {
    let executor: any AdapterExecutor
    private let core: Confined<HostCore>

    init(executor: any AdapterExecutor, core: HostCore) {
        self.executor = executor
        self.core = Confined(core)
    }

    package func openCentral(observer: any CentralObserver) -> any CentralSession {
        fatalError()
    }

    package func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        fatalError()
    }

    package func deliver(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        executor.deliver(on: queue, body)
    }

    /// Turns Bluetooth off: links end properly.
    package func powerOff() { submit { $0.powerOff() } }

    /// Turns Bluetooth on again.
    package func powerOn() { submit { $0.powerOn() } }

    /// Carries `call` out on the executor, and then what follows from it.
    func submit(_ call: @escaping @Sendable (HostCore) -> Void) {
        let core = self.core
        executor.submit {
            call(core.object)
            core.object.flush()
        }
    }
}
