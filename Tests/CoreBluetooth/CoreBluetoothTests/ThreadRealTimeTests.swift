import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import CoreBluetooth
import Testing

/// Callers on eight threads. What a test can see is that nothing is lost; ThreadSanitizer sees the rest, see
/// Scripts/sanitize-threads.
@Suite struct ThreadRealTimeTests {
    static let threads = 8

    /// Runs `body` on eight threads at once, and `meanwhile` on this task, over and over until all have returned.
    private func onEightThreads(
        _ body: @escaping @Sendable (_ thread: Int) -> Void, meanwhile: () async -> Void
    ) async {
        let remaining = Locked(Self.threads)
        for number in 0..<Self.threads {
            Thread.detachNewThread {
                body(number)
                remaining { $0 -= 1 }
            }
        }
        let end = ContinuousClock.now + .seconds(180)
        while remaining.value > 0, ContinuousClock.now < end {
            await meanwhile()
            // check-tests: wait: without a pause, for as many changes as possible; the loop has a deadline.
            await Task.yield()
        }
        #expect(remaining.value == 0, "a thread does not end")
    }

    @Test func row017_aManagerAndItsPeripheralAreUsableOnEightThreads() async throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        peripheral.discoverServices(nil)
        bench.answer(.success(.services([DiscoveredService(0xFEE7, 1, 9)])))
        let service = try #require(peripheral.services?.first)
        peripheral.discoverCharacteristics(nil, for: service)
        bench.answer(
            .success(.characteristics([DiscoveredCharacteristic(0xAA01, [.read, .write, .notify], value: 3, end: 9)])))
        let characteristic = try #require(service.characteristics?.first)
        let box = Unsendable(value: (bench.manager!, peripheral, characteristic, bench.recorder))
        let number = Locked<UInt8>(0)
        await onEightThreads(
            { thread in
                let (manager, peripheral, characteristic, recorder) = box.value
                for round in 0..<100 {
                    switch (thread + round) % 8 {
                    case 0: manager.scanForPeripherals(withServices: [CBUUID(string: "FEE7")])
                    case 1: peripheral.readValue(for: characteristic)
                    case 2: peripheral.writeValue(Data([1]), for: characteristic, type: .withResponse)
                    case 3: peripheral.setNotifyValue(round.isMultiple(of: 2), for: characteristic)
                    case 4: peripheral.delegate = round.isMultiple(of: 3) ? nil : recorder
                    case 5: peripheral.discoverServices(nil)
                    case 6: manager.stopScan()
                    default: _ = manager.retrievePeripherals(withIdentifiers: [peripheral.identifier])
                    }
                    _ = (manager.isScanning, manager.state, manager.delegate, peripheral.state, peripheral.name)
                    _ = (peripheral.services?.first?.characteristics, peripheral.canSendWriteWithoutResponse)
                    _ = (characteristic.value, characteristic.isNotifying, characteristic.description)
                }
            },
            meanwhile: {
                let value = number { number in
                    number &+= 1
                    return [number]
                }
                bench.adapter.executor.sync {
                    bench.session.observer?.received(value.span, handle: 3, from: CentralBench.peer)
                    bench.session.observer?.nameChanged("Thing \(value[0])", of: CentralBench.peer)
                    bench.session.observer?.readyForWriteCommands(to: CentralBench.peer)
                }
            })
        bench.settle()
        #expect(characteristic.value?.count == 1 && peripheral.state == .connected)
        #expect(bench.session.commands.contains { if case .submit(.discoverServices, _) = $0 { true } else { false } })
    }

    @Test func row090_writesFromEightThreadsAllArriveAndComplete() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        peripheral.setNotifyValue(true, for: characteristics[1])
        try await scene.wait("notifying true")
        let box = Unsendable(value: (peripheral, characteristics, scene.gadget))
        let each = 25
        let sent = Locked(0)
        await onEightThreads(
            { thread in
                let (peripheral, characteristics, gadget) = box.value
                for round in 0..<each {
                    peripheral.writeValue(
                        Data([UInt8(thread), UInt8(round)]), for: characteristics[0], type: .withResponse)
                    _ = (characteristics[0].value, peripheral.state, gadget.stream.subscribedCentrals?.count)
                    guard round.isMultiple(of: 5) else { continue }
                    let value = Data([UInt8(thread)])
                    if gadget.manager.updateValue(value, for: gadget.stream, onSubscribedCentrals: nil) {
                        sent { $0 += 1 }
                    }
                }
            }, meanwhile: { await scene.world.run(for: .milliseconds(100)) })
        let recorder = scene.phone.recorder
        let total = Self.threads * each
        let answered = await scene.world.run(timeout: .seconds(120)) {
            recorder.events.value.count { $0 == "write" } == total
        }
        #expect(answered)
        let writes = scene.gadget.recorder.writes.value.compactMap { $0.first?.value }
        #expect(writes.count == total)
        for thread in 0..<UInt8(Self.threads) {
            #expect(writes.filter { $0.first == thread }.map(\.last) == (0..<UInt8(each)).map { $0 }, "in order")
        }
        await scene.world.run(for: .seconds(5))
        #expect(recorder.events.value.count { $0.hasPrefix("value") } == sent.value && sent.value > 0)
    }

    @Test func row012_managersAreCreatedAndReleasedOnEightThreads() async {
        let adapter = FakeAdapter()
        await onEightThreads(
            { thread in
                for _ in 0..<20 {
                    AdapterBinding.$scoped.withValue(adapter) {
                        let queue = DispatchQueue(label: "thread \(thread)")
                        let central = CBCentralManager(delegate: CentralRecorder(), queue: queue)
                        let peripheral = CBPeripheralManager(delegate: PeripheralRecorder(), queue: queue)
                        central.scanForPeripherals(withServices: nil)
                        peripheral.add(CoreBluetoothTests.service("FEE7", [characteristic("AA01")]))
                    }
                }
            },
            meanwhile: {
                adapter.executor.sync {}
            })
        adapter.executor.sync {}
        let sessions = adapter.centrals.value
        #expect(sessions.count == 160 && sessions.allSatisfy { $0.commands.last == .closed })
    }
}
