import BLEAdapter
import BLEHostAdapter
import BLEWire
import Synchronization
import Testing

@testable import CoreBluetooth

/// Several callbacks in one block of the delegate's queue.
@Suite struct CallbackBlockTests {
    private func scanningBench() -> CentralBench {
        let bench = CentralBench()
        bench.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        _ = bench.newEvents()
        return bench
    }

    private func discovery(_ number: Int) -> Discovery {
        Discovery(
            peer: PeerRecord(identifier: PeerIdentifier(high: 7, low: UInt64(number)), name: "\(number)"), data: [],
            isConnectable: true, rssi: -50)
    }

    /// Lets the manager find the devices 0 to 9, some of them together, in one block.
    private func discover(_ bench: CentralBench, repeating: Int = 1) {
        bench.adapter.runInOneBlock {
            for _ in 0..<repeating {
                bench.session.observer?.discovered((0..<4).map(discovery)[...])
                for number in 4..<7 { bench.session.observer?.discovered(discovery(number)) }
                bench.session.observer?.discovered((7..<10).map(discovery)[...])
            }
        }
        bench.settle()
    }

    @Test func discoveriesKeepTheirOrder() {
        let bench = scanningBench()
        discover(bench, repeating: 2)
        let once = (0..<10).map { "discover \($0) -50" }
        #expect(bench.newEvents() == once + once)
        #expect(bench.recorder.peripherals.value.count == 10, "one object for each device")
    }

    @Test func callbacksOfDifferentKindsKeepTheirOrder() throws {
        let device = try ValueTests.Device()
        let bench = device.bench
        bench.adapter.runInOneBlock {
            guard let observer = bench.session.observer else { return }
            for number in 0..<3 as Range<UInt8> {
                observer.received([number].span, handle: 3, from: CentralBench.peer)
                observer.received([UInt8](repeating: number, count: 40).span, handle: 3, from: CentralBench.peer)
            }
            observer.discovered(discovery(1))
            observer.received([9].span, handle: 3, from: CentralBench.peer)
            observer.completed(.read(handle: 24), of: CentralBench.peer, .success(.value([8])))
            let empty: [UInt8] = []
            observer.received(empty.span, handle: 3, from: CentralBench.peer)
            observer.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false)
            observer.received([7].span, handle: 3, from: CentralBench.peer)
        }
        bench.settle()
        let values = (0..<3).flatMap { ["value [\($0)]", "value \([Int](repeating: $0, count: 40))"] }
        #expect(
            bench.newEvents() == values + [
                "discover 1 -50", "value [9]", "value [8]", "value []", "disconnect 0 CBErrorDomain 7",
            ])
    }

    @Test func aScanThatTheDelegateStopsReportsNoOtherDevice() {
        let bench = scanningBench()
        bench.recorder.onEvent { $0 = { event in if event.hasPrefix("discover 5") { bench.manager.stopScan() } } }
        discover(bench)
        #expect(bench.newEvents().last == "discover 5 -50")
        bench.recorder.onEvent { $0 = nil }
    }

    @Test func aNewDelegateGetsTheNextDiscovery() {
        let bench = scanningBench()
        let other = CentralRecorder()
        bench.recorder.onEvent { $0 = { event in if event.hasPrefix("discover 2") { bench.manager.delegate = other } } }
        discover(bench)
        #expect(bench.newEvents().last == "discover 2 -50")
        #expect(other.events.value == (3..<10).map { "discover \($0) -50" })
        bench.recorder.onEvent { $0 = nil }
    }

    @Test func noDelegateGetsNothing() {
        let bench = scanningBench()
        bench.recorder.onEvent { $0 = { event in if event.hasPrefix("discover 2") { bench.manager.delegate = nil } } }
        discover(bench)
        #expect(bench.newEvents().count == 3)
        bench.recorder.onEvent { $0 = nil }
    }

    @Test func aReleasedManagerReportsNoOtherDevice() {
        let bench = scanningBench()
        weak let manager = bench.manager
        bench.recorder.onEvent { $0 = { event in if event.hasPrefix("discover 5") { bench.manager = nil } } }
        discover(bench)
        #expect(bench.newEvents().last == "discover 5 -50" && manager == nil)
        bench.recorder.onEvent { $0 = nil }
    }

    /// A delegate that the program releases while the delegate handles a discovery.
    private final class Listener: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
        static let calls = Locked(0)
        static let kept = Locked<Listener?>(nil)
        func centralManagerDidUpdateState(_ central: CBCentralManager) {}
        func centralManager(
            _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            Self.calls { $0 += 1 }
            if Self.calls.value == 3 { Self.kept { $0 = nil } }
        }
    }

    @Test func aReleasedDelegateGetsNoOtherDiscovery() {
        let bench = scanningBench()
        Listener.kept { $0 = Listener() }
        weak let listener = Listener.kept.value
        bench.manager.delegate = listener
        discover(bench)
        #expect(Listener.calls.value == 3)
        #expect(listener == nil)
    }

    /// Threads of a concurrent queue take callbacks at the same time.
    @Test func aConcurrentQueueRunsEachCallbackOnce() {
        let waiting = WaitingCallbacks()
        let calls = Atomic(0)
        let count = 5000
        for round in 1...4 {
            for _ in 0..<count {
                #expect(waiting.append([1].span, handle: 3, from: CentralBench.peer) == .taken)
                #expect(waiting.append(.call { calls.add(1, ordering: .relaxed) }, .total) == .taken)
            }
            DispatchQueue.concurrentPerform(iterations: 4) { _ in for _ in 0..<count / 2 { waiting.run(1) } }
            #expect(calls.load(ordering: .relaxed) == round * count)
        }
    }
}
