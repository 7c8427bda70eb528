import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import TestConditions
import Testing

/// The state that managers with a restore identifier hand to the store.
@Suite struct RestorationRecordTests {
    /// A store whose first `keep` returns when the test permits it.
    private final class SlowStore: RestorationStore {
        let scan = Locked<ScanRequest?>(nil)
        let isKeeping = Locked(false)
        let mayReturn = DispatchSemaphore(value: 0)
        private let calls = Locked(0)

        func central(_ identifier: String) -> CentralRestoration? { nil }
        func peripheral(_ identifier: String) -> PeripheralRestoration? { nil }
        func keep(_ state: PeripheralRestoration?, of identifier: String) {}
        func record(of peer: PeerIdentifier) -> PeerRecord { PeerRecord(identifier: peer, name: nil) }

        func keep(_ state: CentralRestoration?, of identifier: String) {
            let isFirst = calls { calls in
                calls += 1
                return calls == 1
            }
            if isFirst {
                isKeeping { $0 = true }
                mayReturn.wait()
            }
            scan { $0 = state?.scan }
        }
    }

    private final class RestoringAdapter: BluetoothAdapter {
        let adapter = FakeAdapter()
        let store = SlowStore()
        var restorationStore: (any RestorationStore)? { store }

        func openCentral(observer: any CentralObserver) -> any CentralSession {
            adapter.openCentral(observer: observer)
        }
        func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
            adapter.openPeripheral(observer: observer)
        }
    }

    /// A program may change a manager on one thread while another thread hands an earlier change to the store, and then end.
    @Test func theStoreHasAChangeWhenItsCallReturns() async {
        let adapter = RestoringAdapter()
        let queue = DispatchQueue(label: "delegate")
        // The manager may be used on any thread.
        nonisolated(unsafe) let manager = AdapterBinding.$scoped.withValue(adapter) {
            CBCentralManager(
                delegate: nil, queue: queue, options: [CBCentralManagerOptionRestoreIdentifierKey: "restored"])
        }
        adapter.adapter.executor.sync {}
        queue.sync {}
        let (first, second) = (CBUUID(string: "FEE7"), CBUUID(string: "FEE8"))
        Thread.detachNewThread { manager.scanForPeripherals(withServices: [first]) }
        #expect(await eventually { adapter.store.isKeeping.value })
        let found = Locked<ScanRequest?>(nil)
        let call = ThreadedCall {
            manager.scanForPeripherals(withServices: [second])
            found { $0 = adapter.store.scan.value }
        }
        #expect(await call.waits())
        adapter.store.mayReturn.signal()
        #expect(await call.end())
        #expect(found.value?.services == [BluetoothUUID(UInt16(0xFEE8))])
    }
}
