import BLEAdapter
import BLEExecution
import BLEHost
import BLEWire
import Synchronization

/// Bluetooth by our own host: one host stack on one serial executor, shared by all sessions.
package final class HostAdapter: BluetoothAdapter {
    let executor: any AdapterExecutor<HostCore>
    package let store: DeviceStore
    let board: SharedBoard
    private let core: ExecutorIsolated<HostCore>
    private let sessionCount = Atomic(0)

    /// - Parameters:
    ///   - store: what this host remembers.
    ///   - random: decides every random draw of the host.
    package init(
        executor: any AdapterExecutor<HostCore>, configuration: HostConfiguration, store: DeviceStore,
        random: SeededRandom
    ) {
        self.executor = executor
        self.store = store
        board = SharedBoard(knownNames: store.knownNames)
        core = ExecutorIsolated(
            HostCore(
                executor: executor, host: HostStack(configuration: configuration, random: random),
                identities: store,
                board: board))
        core.object.adapter = self
    }

    package var restorationStore: (any RestorationStore)? { store }
    package var callbackScheduler: (any CallbackScheduling)? { executor }

    package func openCentral(observer: any CentralObserver) -> any CentralSession {
        let number = sessionCount.add(1, ordering: .relaxed).newValue
        submit { [weak observer] core in
            if let observer { core.openCentral(number, observer) }
        }
        return CentralHostSession(adapter: self, number: number)
    }

    package func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        let number = sessionCount.add(1, ordering: .relaxed).newValue
        submit { [weak observer] core in
            if let observer { core.openPeripheral(number, observer) }
        }
        return PeripheralHostSession(adapter: self, number: number)
    }

    /// Turns Bluetooth off: links end properly.
    package func powerOff() { submit { $0.powerOff() } }

    /// Turns Bluetooth on again.
    package func powerOn() { submit { $0.powerOn() } }

    /// Gives this host another GAP device name.
    package func rename(_ name: String) {
        let octets = Array(name.utf8)
        submit { $0.rename(octets) }
    }

    /// Carries `call` out on the executor, and then what follows from it.
    func submit(_ call: @escaping @Sendable (HostCore) -> Void) {
        executor.submit(to: core, call)
    }

    /// The same, perhaps on the calling thread, which must hold no lock.
    func carryOut(_ call: @escaping @Sendable (HostCore) -> Void) {
        executor.perform(on: core, call)
    }

    /// The core, for code that is on the executor.
    package var onExecutor: HostCore { core.object }
}
