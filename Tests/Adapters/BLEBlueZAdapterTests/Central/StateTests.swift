import BLEAdapter
import BLEStore
import BLEWire
import BlueZBench
import BusBench
import SystemBus
import TestDoubles
import Testing

@testable import BLEBlueZAdapter

/// Each state of bluetoothd and of its adapter is a state of CoreBluetooth with a sentence.
struct StateTests {
    private func last(_ bench: CentralBench) -> BlueZError?? { bench.failures.withLock { $0.last } }

    @Test func anAdapterThatIsOnIsPoweredOn() {
        let bench = CentralBench()
        bench.run()
        #expect(bench.lines() == ["poweredOn"])
        #expect(last(bench) == .some(nil))
    }

    @Test func withoutBluetoothdTheBusIsAskedToStartIt() {
        let bench = CentralBench(isStarted: false)
        bench.run()
        #expect(bench.lines() == ["unsupported"])
        #expect(last(bench) == .notRunning("ServiceUnknown"))
        // It comes later.
        bench.bluez.addAdapter()
        bench.bluez.start()
        bench.run()
        #expect(bench.lines() == ["poweredOn"])
    }

    @Test func theBusStartsBluetoothd() {
        let bench = CentralBench(isStarted: false)
        bench.bluez.addAdapter()
        bench.broker.activations["org.bluez"] = .starts { [bluez = bench.bluez] in bluez.start() }
        bench.run(.seconds(1))
        #expect(bench.lines() == ["poweredOn"])
    }

    @Test func anAdapterThatIsOffIsPoweredOff() {
        let bench = CentralBench.on()
        bench.bluez.setPowered(CentralBench.hci0, false)
        bench.run()
        #expect(bench.lines() == ["poweredOff"])
        #expect(last(bench) == .off("hci0"))
        bench.bluez.setPowered(CentralBench.hci0, true)
        bench.run()
        #expect(bench.lines() == ["poweredOn"])
    }

    @Test(arguments: [AdapterWatch.Block.soft, .hard])
    func aSwitchIsAStateBeforeBluetoothdNoticesIt(block: AdapterWatch.Block) {
        let bench = CentralBench.on()
        bench.block = block
        bench.switchesChanged?()
        bench.run()
        #expect(bench.lines() == ["poweredOff"])
        #expect(last(bench) == .blocked("hci0", isHard: block == .hard))
        bench.block = nil
        bench.switchesChanged?()
        bench.run()
        #expect(bench.lines() == ["poweredOn"])
    }

    @Test func newerVersionsTellThatTheRadioIsBlocked() {
        let bench = CentralBench.on()
        bench.bluez.setPowered(CentralBench.hci0, false, isBlocked: true)
        bench.run()
        #expect(bench.lines() == ["poweredOff"])
        #expect(last(bench) == .blocked("hci0", isHard: false))
    }

    @Test func aBluetoothdWithoutAnAdapterIsUnsupported() {
        let bench = CentralBench(isStarted: false)
        bench.bluez.start()
        bench.run()
        #expect(bench.lines() == ["unsupported"])
        #expect(last(bench) == .noAdapter(nil))
    }

    @Test func anAdapterThatIsNamedIsTheOneThatIsUsed() {
        let bench = CentralBench(adapter: "hci1")
        bench.run()
        #expect(bench.lines() == ["unsupported"])
        #expect(last(bench) == .noAdapter("hci1"))
        bench.bluez.addAdapter("hci1")
        bench.run()
        #expect(bench.lines() == ["poweredOn"])
    }

    @Test func anUnpluggedAdapterIsExpectedToReturnUnderAnotherNumber() {
        let bench = CentralBench.on()
        bench.bluez.removeAdapter(CentralBench.hci0)
        bench.run()
        #expect(bench.lines() == ["resetting"])
        #expect(last(bench) == .adapterGone(nil))
        bench.bluez.addAdapter("hci3")
        bench.run()
        #expect(bench.lines() == ["poweredOn"])
    }

    @Test func aFirstAdapterThatIsOffGivesWayToAnotherOne() {
        let bench = CentralBench(isStarted: false)
        bench.bluez.addAdapter("hci0", isPowered: false)
        bench.bluez.addAdapter("hci2")
        bench.bluez.addAdapter("hci10")
        bench.bluez.start()
        bench.run()
        #expect(bench.lines() == ["poweredOn"])
        bench.session?.startScan(ScanRequest())
        bench.run()
        #expect(bench.bluez.calls(of: "Adapter1.StartDiscovery").map(\.path) == ["/org/bluez/hci2"])
    }

    @Test func aRestartIsResettingAndBack() {
        let bench = CentralBench.on()
        bench.bluez.end()
        bench.run(.seconds(30))
        #expect(bench.lines() == ["resetting"])
        #expect(last(bench) == .gone)
        // What somebody stopped is not started again.
        bench.bluez.start()
        bench.run()
        #expect(bench.lines() == ["poweredOn"])
    }

    @Test func aBusThatEndsIsTriedAgain() {
        let bench = CentralBench.on()
        bench.broker.end()
        bench.run()
        #expect(bench.lines() == ["resetting"])
        bench.bluez.end()
        bench.bluez.start()
        bench.run(.seconds(2))
        #expect(bench.lines() == ["poweredOn"])
    }

    @Test func aBluetoothdThatTellsNothingIsAskedAgain() {
        let bench = CentralBench(isStarted: false)
        bench.bluez.addAdapter()
        bench.bluez.script("ObjectManager.GetManagedObjects", .hangs, .answers([.string("nonsense")]))
        bench.bluez.start()
        bench.run(.seconds(20))
        #expect(bench.lines() == [])
        bench.run(.seconds(11))
        #expect(bench.lines() == ["resetting"])
        #expect(last(bench) == .silent)
        bench.run(.seconds(5))
        #expect(bench.lines() == [] && last(bench) == .silent)
        bench.run(.seconds(5))
        #expect(bench.lines() == ["poweredOn"])
    }

    @Test func aPolicyThatRefusesIsUnauthorized() {
        let bench = CentralBench(isStarted: false)
        bench.bluez.addAdapter()
        let refused = ScriptedFailure(full: "org.freedesktop.DBus.Error.AccessDenied", "No.")
        bench.bluez.script("ObjectManager.GetManagedObjects", .fails(refused))
        bench.bluez.start()
        bench.run()
        #expect(bench.lines() == ["unauthorized"])
        #expect(last(bench) == .refused)
    }

    @Test func theStoreOfTheProgramKeepsRestorableState() {
        let bench = CentralBench.on()
        let scan = ScanRequest(services: [BluetoothUUID(0x180D as UInt16)])
        bench.adapter?.restorationStore?.keep(CentralRestoration(scan: scan), of: "one")
        #expect(bench.adapter?.restorationStore?.central("one")?.scan == scan)
    }

    @Test func aSessionThatOpensLaterGetsTheState() {
        let bench = CentralBench.on()
        let recorder = Recorder()
        let session = bench.adapter?.openCentral(observer: recorder)
        bench.scheduler.run(for: .milliseconds(9))
        #expect(recorder.take() == [])
        bench.scheduler.run(for: .milliseconds(1))
        #expect(recorder.take() == ["poweredOn"])
        withExtendedLifetime(session) {}
    }

    /// Properties of wrong types are as good as missing ones.
    @Test func propertiesOfWrongTypesAreNone() {
        let bench = CentralBench.on()
        bench.bluez.set(CentralBench.hci0, BlueZ.adapter, ["Powered": .string("yes")])
        bench.run()
        #expect(bench.lines() == ["poweredOff"])
        bench.bluez.set(CentralBench.hci0, BlueZ.adapter, ["Powered": .bool(true)])
        bench.run()
        #expect(bench.lines() == ["poweredOn"])
    }

    /// Nothing of the program stays on the bus.
    @Test func anAdapterThatIsReleasedLeavesTheBus() {
        let bench = CentralBench.on()
        bench.session?.startScan(ScanRequest())
        bench.run()
        weak let adapter = bench.adapter
        bench.release()
        bench.run(.seconds(1))
        #expect(adapter == nil)
        #expect(bench.bluez.property(CentralBench.hci0, BlueZ.adapter, "Discovering")?.flag == false)
    }

    /// A callback of the bus may run on the scheduler while another thread drops the last reference.
    @Test func anAdapterThatIsReleasedClosesItsConnectionOnTheScheduler() {
        let scheduler = ManualScheduler()
        let broker = MemoryBroker(scheduler)
        let connection = broker.connect()
        var adapter: BlueZAdapter? = BlueZAdapter(
            adapter: nil, identification: DeviceStore(key: StoreKey(high: 0, low: 1)), scheduler: scheduler,
            surroundings: BlueZAdapter.Surroundings(
                makeBus: { connection }, makeSocket: { PolledSocket($0, scheduler) }, channels: FakeChannels(),
                blocks: { _ in nil }))
        scheduler.run()
        weak let released = adapter
        adapter = nil
        #expect(released == nil && connection.end == nil)
        scheduler.run()
        #expect(connection.end == .closed)
    }
}
