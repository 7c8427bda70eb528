import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

@Suite struct ObservingTests {
    @Test func keyValueObserversReceiveTheConnectionStateBeforeTheDelegate() {
        let bench = CentralBench()
        let peripheral = bench.discover()!
        peripheral.delegate = bench.recorder
        let seen = Locked<[String]>([])
        bench.recorder.onEvent { $0 = { event in seen { $0.append(event) } } }
        let observation = peripheral.observe(\.state, options: [.old, .new, .initial]) { peripheral, change in
            let old = change.oldValue.map { "\($0.rawValue)" } ?? "-"
            seen { $0.append("\(old)>\(change.newValue!.rawValue) \(peripheral.state.rawValue)") }
        }
        bench.manager.connect(peripheral)
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        bench.manager.cancelPeripheralConnection(peripheral)
        bench.emit { $0.disconnected(CentralBench.peer, .cancelled, isReconnecting: false) }
        #expect(
            seen.value == ["->0 0", "0>1 1", "1>2 2", "connect 2", "2>3 3", "3>0 0", "disconnect 0"])
        withExtendedLifetime(observation) {}
    }

    @Test func anObservationEndsWithItsTokenOrItsInvalidation() {
        let bench = CentralBench()
        let count = Locked(0)
        var first: NSKeyValueObservation? = bench.manager.observe(\.isScanning) { _, _ in count { $0 += 1 } }
        let second = bench.manager.observe(\.isScanning) { _, _ in count { $0 += 10 } }
        bench.manager.scanForPeripherals(withServices: nil)
        #expect(count.value == 11)
        first = nil
        bench.manager.stopScan()
        #expect(count.value == 21)
        second.invalidate()
        bench.manager.scanForPeripherals(withServices: nil)
        #expect(count.value == 21)
        _ = first
    }

    @Test func anObserverReceivesOnlyItsKeyPath() {
        let bench = CentralBench()
        let states = Locked<[Int]>([])
        let observation = bench.manager.observe(\.state, options: [.new, .prior]) { _, change in
            if !change.isPrior { states { $0.append(change.newValue!.rawValue) } }
        }
        bench.manager.scanForPeripherals(withServices: nil)
        bench.powerChanged(to: .poweredOff)
        bench.powerChanged(to: .poweredOn)
        #expect(states.value == [4, 5])
        withExtendedLifetime(observation) {}
    }

    @Test func anObserverMayCallTheObservedObject() {
        let bench = CentralBench()
        let observation = bench.manager.observe(\.isScanning, options: [.new]) { manager, change in
            if change.newValue == true { manager.stopScan() }
        }
        bench.manager.scanForPeripherals(withServices: nil)
        #expect(!bench.manager.isScanning)
        withExtendedLifetime(observation) {}
    }

    @Test func advertisingCanBeObserved() {
        let bench = PeripheralBench()
        let seen = Locked<[Bool]>([])
        let observation = bench.manager.observe(\.isAdvertising, options: [.new]) { _, change in
            seen { $0.append(change.newValue!) }
        }
        bench.manager.startAdvertising(nil)
        bench.emit { $0.advertisingStarted(nil) }
        bench.manager.stopAdvertising()
        #expect(seen.value == [true, false])
        withExtendedLifetime(observation) {}
    }
}
