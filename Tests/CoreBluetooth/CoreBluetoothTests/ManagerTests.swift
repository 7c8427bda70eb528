import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

@Suite struct ManagerTests {
    @Test func row001_callbacksRunOnTheGivenQueue() {
        let bench = CentralBench(initialState: nil)
        bench.recorder.onEvent { [queue = bench.queue] in
            $0 = { _ in dispatchPrecondition(condition: .onQueue(queue)) }
        }
        bench.powerChanged(to: .poweredOn)
        #expect(bench.discover() != nil)
        #expect(bench.events == ["state 5", "discover Thing -50"])
    }

    @Test func row001_aNilQueueIsTheMainQueue() async {
        let adapter = FakeAdapter()
        let recorder = CentralRecorder()
        let manager = Locked<CBCentralManager?>(nil)
        let state = await withCheckedContinuation { (continuation: CheckedContinuation<Int?, Never>) in
            recorder.onEvent {
                $0 = { _ in
                    dispatchPrecondition(condition: .onQueue(.main))
                    continuation.resume(returning: manager { $0?.state.rawValue })
                }
            }
            DispatchQueue.main.async {
                manager { manager in
                    manager = AdapterBinding.$scoped.withValue(adapter) {
                        CBCentralManager(delegate: recorder, queue: nil)
                    }
                }
            }
        }
        #expect(state == 5)
    }

    @Test func row002_theStateIsUnknownAtFirstAndThenReportedOnce() {
        let adapter = FakeAdapter()
        let recorder = CentralRecorder()
        let queue = DispatchQueue(label: "delegate")
        adapter.executor.suspend()
        let manager = AdapterBinding.$scoped.withValue(adapter) {
            CBCentralManager(delegate: recorder, queue: queue)
        }
        #expect(manager.state == .unknown)
        adapter.executor.resume()
        adapter.executor.sync {}
        queue.sync {}
        #expect(recorder.events.value == ["state 5"])
        #expect(manager.state == .poweredOn)
    }

    @Test func row003_theFirstCallbackFollowsTheInitialiser() {
        let adapter = FakeAdapter()
        let recorder = CentralRecorder()
        let queue = DispatchQueue(label: "delegate")
        let returned = Locked(false)
        let seen = Locked<Bool?>(nil)
        recorder.onEvent { $0 = { _ in seen { $0 = returned.value } } }
        let manager: CBCentralManager = queue.sync {
            let manager = AdapterBinding.$scoped.withValue(adapter) {
                CBCentralManager(delegate: recorder, queue: queue)
            }
            adapter.executor.sync {}
            returned { $0 = true }
            return manager
        }
        queue.sync {}
        #expect(seen.value == true && manager.state == .poweredOn)
    }

    @Test func row004_eachStateChangeIsReported() {
        let bench = CentralBench()
        bench.powerChanged(to: .poweredOff)
        bench.powerChanged(to: .poweredOff)
        bench.powerChanged(to: .resetting)
        bench.powerChanged(to: .poweredOn)
        #expect(bench.events == ["state 5", "state 4", "state 1", "state 5"])
    }

    @Test func row005_commandsAreDroppedAndLoggedUnlessPoweredOn() {
        let bench = CentralBench(initialState: .poweredOff)
        let lines = misuses {
            bench.manager.scanForPeripherals(withServices: nil)
            bench.manager.stopScan()
            bench.manager.registerForConnectionEvents()
        }
        #expect(lines.count == 3)
        #expect(
            lines.allSatisfy {
                $0.hasPrefix("API MISUSE: ")
                    && $0.hasSuffix("can only accept this command while in the powered on state")
            })
        #expect(!bench.manager.isScanning)
        bench.powerChanged(to: .poweredOn)
        #expect(bench.session.commands.isEmpty && bench.events == ["state 4", "state 5"])
    }

    @Test func row006_row007_losingPowerEndsScanAndConnectionsWithoutDisconnectCallbacks() throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        bench.complete(.discoverServices(nil), .success(.services([DiscoveredService(0x180F, 1, 5)])))
        _ = bench.newEvents()
        let seen = Locked<[String]>([])
        bench.recorder.onEvent {
            $0 = { _ in seen { $0.append("\(peripheral.state.rawValue) \(peripheral.services == nil)") } }
        }
        bench.emit { observer in
            observer.disconnected(CentralBench.peer, .failed(.adapterLost), isReconnecting: false)
            observer.adapterStateChanged(.poweredOff)
        }
        #expect(bench.events == ["state 4"])
        #expect(seen.value == ["0 true"])
        #expect(!bench.manager.isScanning && peripheral.state == .disconnected)
    }

    @Test func row006_theOrderOfTheAdaptersEventsDoesNotMatter() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        bench.emit { observer in
            observer.adapterStateChanged(.poweredOff)
            observer.disconnected(CentralBench.peer, .failed(.adapterLost), isReconnecting: false)
        }
        #expect(bench.events == ["state 4"] && peripheral.state == .disconnected)
    }

    @Test func row008_belowPoweredOffPeripheralsBecomeInvalid() throws {
        let bench = CentralBench()
        let old = try #require(bench.discover())
        bench.powerChanged(to: .unsupported)
        bench.powerChanged(to: .poweredOn)
        _ = bench.newCommands()
        #expect(misuses { bench.manager.connect(old) }.count == 1)
        #expect(bench.newCommands().isEmpty)
        bench.session.record.known { $0 = [PeerRecord(identifier: CentralBench.peer, name: "Thing")] }
        let new = try #require(bench.manager.retrievePeripherals(withIdentifiers: [old.identifier]).first)
        #expect(new !== old)
        bench.manager.connect(new)
        #expect(bench.newCommands() == [.connect(CentralBench.peer, ConnectionOptions())])
    }

    @Test func row008_switchedOffPeripheralsStayValid() throws {
        let bench = CentralBench()
        let peripheral = try #require(bench.discover())
        bench.powerChanged(to: .poweredOff)
        bench.powerChanged(to: .poweredOn)
        _ = bench.newCommands()
        bench.manager.connect(peripheral)
        #expect(bench.newCommands() == [.connect(CentralBench.peer, ConnectionOptions())])
    }

    @Test func row010_delegatesAreWeak() {
        let adapter = FakeAdapter()
        let queue = DispatchQueue(label: "delegate")
        var recorder: CentralRecorder? = CentralRecorder()
        weak let weakRecorder = recorder
        let manager = AdapterBinding.$scoped.withValue(adapter) {
            CBCentralManager(delegate: recorder, queue: queue)
        }
        adapter.executor.sync {}
        queue.sync {}
        recorder = nil
        #expect(weakRecorder == nil && manager.delegate == nil)
        adapter.executor.sync { adapter.centrals.value[0].observer?.adapterStateChanged(.poweredOff) }
        queue.sync {}
        #expect(manager.state == .poweredOff)
    }

    @Test func row011_theDelegateIsReadAtDelivery() {
        let bench = CentralBench()
        let second = CentralRecorder()
        bench.queue.suspend()
        bench.adapter.executor.sync { bench.session.observer?.adapterStateChanged(.poweredOff) }
        bench.manager.delegate = second
        bench.queue.resume()
        bench.settle()
        #expect(bench.events == ["state 5"] && second.events.value == ["state 4"])
    }

    @Test func row012_releasingTheManagerEndsItsSession() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        bench.manager = nil
        bench.settle()
        #expect(bench.session.commands == [.closed])
        #expect(bench.session.observer != nil, "the peripheral keeps what it needs")
        #expect(peripheral.state == .disconnected)
        bench.emit { $0.adapterStateChanged(.poweredOff) }
        #expect(bench.newEvents().isEmpty)
        #expect(misuses { peripheral.readRSSI() }.count == 1)
    }

    @Test func row014_row057_row163_optionsWithoutEffectAreAccepted() {
        let adapter = FakeAdapter()
        let queue = DispatchQueue(label: "delegate")
        let recorder = CentralRecorder()
        let manager = AdapterBinding.$scoped.withValue(adapter) {
            CBCentralManager(
                delegate: recorder, queue: queue,
                options: [
                    CBCentralManagerOptionShowPowerAlertKey: true,
                    CBCentralManagerOptionRestoreIdentifierKey: "identifier",
                ])
        }
        adapter.executor.sync {}
        queue.sync {}
        #expect(manager.state == .poweredOn && recorder.events.value == ["state 5"])
    }

    @Test func row015_anotherManagersPeripheralIsRefused() throws {
        let bench = CentralBench()
        let other = CentralBench()
        let peripheral = try #require(bench.discover())
        let lines = misuses {
            other.manager.connect(peripheral)
            other.manager.cancelPeripheralConnection(peripheral)
        }
        #expect(lines.count == 2 && other.session.commands.isEmpty)
        #expect(peripheral.state == .disconnected)
    }

    @Test func row016_noCallbackRunsInsideACall() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        let depth = Locked(0)
        let nested = Locked(0)
        bench.recorder.onEvent { $0 = { _ in if depth.value > 0 { nested { $0 += 1 } } } }
        // On the delegate's own queue a synchronous callback would be possible; none may come.
        bench.queue.sync {
            depth { $0 = 1 }
            peripheral.openL2CAPChannel(0x80)
            peripheral.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
            bench.manager.connect(peripheral)
            bench.manager.cancelPeripheralConnection(peripheral)
            depth { $0 = 0 }
        }
        bench.settle()
        #expect(nested.value == 0)
    }

    @Test func row062_featuresCanBeQueriedAtAnyTime() {
        #expect(!CBCentralManager.supports(.extendedScanAndConnect) && CBCentralManager.supports([]))
        for isSupported in [false, true] {
            let adapter = FakeAdapter(supportsExtendedAdvertising: isSupported)
            AdapterBinding.$scoped.withValue(adapter) {
                #expect(CBCentralManager.supports(.extendedScanAndConnect) == isSupported)
                #expect(!CBCentralManager.supports([.extendedScanAndConnect, .channelSounding]))
                #expect(CBCentralManager.supports([]))
            }
        }
    }
}

/// Carries a value that is not Sendable over a suspension.
struct Unsendable<Value>: @unchecked Sendable { let value: Value }
