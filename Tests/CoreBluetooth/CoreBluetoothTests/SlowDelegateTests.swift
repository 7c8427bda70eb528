import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

/// A delegate whose queue does not run for a while.
@Suite struct SlowDelegateTests {
    private static let limit = 16_384

    /// Lets events come while the delegate's queue stands still, and the queue run afterwards.
    private func whileSuspended(_ queue: DispatchQueue, _ body: () -> Void) {
        queue.suspend()
        body()
        queue.resume()
    }

    @Test func notificationsBeyondTheLimitAreDroppedAndLoggedOnce() throws {
        var device: ValueTests.Device?
        let flood = Self.limit + 1000
        let lines = misuses {
            device = try? ValueTests.Device()
            guard let bench = device?.bench else { return }
            for _ in 0..<2 {
                whileSuspended(bench.queue) {
                    bench.adapter.executor.sync {
                        for number in 0..<flood {
                            let value = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
                            bench.session.observer?.received(value.span, handle: 3, from: CentralBench.peer)
                        }
                    }
                }
                bench.settle()
            }
        }
        let values = try #require(device).bench.newEvents()
        #expect(values.count == 2 * Self.limit)
        #expect(values.first == "value [0, 0]" && values[Self.limit - 1] == "value [255, 63]", "the first ones stay")
        #expect(values[Self.limit] == "value [0, 0]", "after the queue has caught up, they come again")
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("too slow: \(Self.limit) callbacks") }, "\(lines)")
    }

    @Test func otherCallbacksAreDeliveredToASlowDelegate() throws {
        let device = try ValueTests.Device()
        let bench = device.bench
        whileSuspended(bench.queue) {
            bench.adapter.executor.sync {
                guard let observer = bench.session.observer else { return }
                for _ in 0...Self.limit { observer.received([1].span, handle: 3, from: CentralBench.peer) }
                observer.completed(.read(handle: 24), of: CentralBench.peer, .success(.value([9])))
                observer.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false)
                observer.adapterStateChanged(.poweredOff)
            }
        }
        bench.settle()
        #expect(bench.newEvents().suffix(3) == ["value [9]", "disconnect 0 CBErrorDomain 7", "state 4"])
    }

    @Test func aBlockedQueueHoldsAtMostItsLimit() throws {
        let total = 4 * Self.limit
        var bench: CentralBench?
        let lines = misuses {
            bench = CentralBench()
            guard let bench else { return }
            bench.settle()
            _ = bench.newEvents()
            for _ in 0..<2 {
                whileSuspended(bench.queue) {
                    bench.adapter.executor.sync {
                        for _ in 0..<total / 2 + 10 {
                            bench.session.observer?.adapterStateChanged(.poweredOff)
                            bench.session.observer?.adapterStateChanged(.poweredOn)
                        }
                    }
                }
                bench.settle()
            }
        }
        let events = try #require(bench).newEvents()
        #expect(events.count == 2 * total)
        #expect(events.prefix(2) == ["state 4", "state 5"] && events.suffix(1) == ["state 5"])
        #expect(
            lines.count == 2 && lines.allSatisfy { $0.contains("does not run: \(total) callbacks wait") }, "\(lines)")
    }

    /// As many pending callbacks as a queue holds, none of which reaches the delegate.
    private func fill(_ observer: (any PeripheralObserver)?) {
        for _ in 0..<4 * Self.limit { observer?.maximumUpdateLengthChanged(PeripheralBench.client) }
    }

    private func fill(_ observer: (any CentralObserver)?) {
        for _ in 0..<4 * Self.limit { observer?.nameChanged(nil, of: CentralBench.otherPeer) }
    }

    /// A client writes the first characteristic without response, on the adapter's executor.
    private func write(_ count: Int, to server: RequestTests.Server) {
        let item = WriteItem(characteristic: server.reference(0), offset: 0, value: [1])
        for number in 0..<UInt64(count) {
            server.bench.session.observer?.receivedWrite(
                RequestIdentifier(rawValue: number), [item], needsResponse: false, from: PeripheralBench.client)
        }
    }

    @Test func theLimitOfAQueueIncludesSeparatelyLimitedCallbacks() throws {
        var lastServer: RequestTests.Server?
        let lines = misuses {
            let server = RequestTests.Server()
            lastServer = server
            let bench = server.bench
            whileSuspended(bench.queue) {
                bench.adapter.executor.sync {
                    fill(bench.session.observer)
                    write(Self.limit + 10, to: server)
                }
            }
            bench.settle()
        }
        #expect(try #require(lastServer).bench.newEvents().isEmpty)
        #expect(lines.count == 1 && lines[0].contains("does not run: \(4 * Self.limit) callbacks wait"), "\(lines)")
    }

    @Test func aPeripheralManagerReportsSubscriptionsAndSpaceAfterAnOverflow() throws {
        var lastServer: RequestTests.Server?
        _ = misuses {
            let server = RequestTests.Server()
            lastServer = server
            let bench = server.bench
            whileSuspended(bench.queue) {
                bench.adapter.executor.sync {
                    fill(bench.session.observer)
                    bench.session.observer?.readyToUpdate()
                    for _ in 0..<20 {
                        bench.session.observer?.subscribed(PeripheralBench.client, to: server.reference(0))
                        bench.session.observer?.unsubscribed(PeripheralBench.client, from: server.reference(0))
                    }
                }
            }
            bench.settle()
            #expect(bench.newEvents().isEmpty)
            server.subscribe()
            bench.emit { $0.readyToUpdate() }
        }
        #expect(try #require(lastServer).bench.newEvents() == ["subscribe AA01 1", "ready"])
    }

    @Test func aCentralManagerReportsSpaceAndConfirmsIndicationsAfterAnOverflow() throws {
        let device = try ValueTests.Device()
        let bench = device.bench
        let confirmed = Locked(0)
        _ = misuses {
            whileSuspended(bench.queue) {
                bench.adapter.executor.sync {
                    fill(bench.session.observer)
                    bench.session.observer?.readyForWriteCommands(to: CentralBench.peer)
                    bench.session.observer?.indicated(
                        [1].span, handle: 21, from: CentralBench.peer,
                        confirmation: IndicationConfirmation { confirmed { $0 += 1 } })
                }
                #expect(confirmed.value == 1)
            }
            bench.settle()
            #expect(bench.newEvents().isEmpty)
            bench.adapter.executor.sync { bench.session.observer?.readyForWriteCommands(to: CentralBench.peer) }
            bench.settle()
        }
        let events = bench.newEvents()
        #expect(events.count == 1 && events[0].contains("ready"), "\(events)")
    }

    @Test func afterAnOverflowTheStateIsTheLatestOne() throws {
        var lastCentral: CentralBench?
        _ = misuses {
            let (central, server) = (CentralBench(), RequestTests.Server())
            lastCentral = central
            _ = (central.newEvents(), server.bench.newEvents())
            whileSuspended(central.queue) {
                whileSuspended(server.bench.queue) {
                    central.adapter.executor.sync {
                        fill(central.session.observer)
                        for state in [AdapterState.poweredOff, .poweredOn, .resetting] {
                            central.session.observer?.adapterStateChanged(state)
                        }
                    }
                    server.bench.adapter.executor.sync {
                        fill(server.bench.session.observer)
                        for state in [AdapterState.resetting, .poweredOn, .poweredOff] {
                            server.bench.session.observer?.adapterStateChanged(state)
                        }
                    }
                }
            }
            central.settle()
            server.bench.settle()
            #expect(central.newEvents() == ["state 1"] && central.manager.state == .resetting)
            #expect(server.bench.newEvents() == ["state 4 false"] && server.bench.manager.state == .poweredOff)
            // The next overflow gets a callback of its own.
            whileSuspended(central.queue) {
                central.adapter.executor.sync {
                    fill(central.session.observer)
                    central.session.observer?.adapterStateChanged(.poweredOn)
                }
            }
            central.settle()
        }
        #expect(try #require(lastCentral).newEvents() == ["state 5"])
    }

    @Test func requestsWithoutRoomInTheQueueAreRefused() throws {
        var lastServer: RequestTests.Server?
        _ = misuses {
            let server = RequestTests.Server()
            lastServer = server
            let bench = server.bench
            _ = bench.newCommands()
            whileSuspended(bench.queue) {
                bench.adapter.executor.sync {
                    fill(bench.session.observer)
                    bench.session.observer?.receivedRead(
                        RequestIdentifier(rawValue: 1), of: server.reference(0), offset: 0,
                        from: PeripheralBench.client)
                    let item = WriteItem(characteristic: server.reference(0), offset: 0, value: [1])
                    bench.session.observer?.receivedWrite(
                        RequestIdentifier(rawValue: 2), [item], needsResponse: true, from: PeripheralBench.client)
                    bench.session.observer?.receivedWrite(
                        RequestIdentifier(rawValue: 3), [item], needsResponse: false, from: PeripheralBench.client)
                }
            }
            bench.settle()
        }
        let bench = try #require(lastServer).bench
        #expect(bench.newEvents().isEmpty)
        // Insufficient Resources (Vol 3, Part F, 3.4.1.1).
        #expect(
            bench.newCommands() == [
                .respond(RequestIdentifier(rawValue: 1), error: 0x11, value: nil),
                .respond(RequestIdentifier(rawValue: 2), error: 0x11, value: nil),
            ])
    }

    @Test func callbacksOfAnAdapterWithoutAClockRunOnTheirQueue() {
        let adapter = ClocklessAdapter()
        let recorder = CentralRecorder()
        let queue = DispatchQueue(label: "delegate")
        let manager = AdapterBinding.$scoped.withValue(adapter) { CBCentralManager(delegate: recorder, queue: queue) }
        adapter.executor.sync {}
        queue.sync {}
        #expect(recorder.events.value == ["state 5"])
        withExtendedLifetime(manager) {}
    }

    /// An adapter such as one over a system daemon, which leaves callbacks to Dispatch.
    private final class ClocklessAdapter: BluetoothAdapter {
        private let adapter = FakeAdapter()
        var executor: DispatchQueue { adapter.executor }

        func openCentral(observer: any CentralObserver) -> any CentralSession {
            adapter.openCentral(observer: observer)
        }
        func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
            adapter.openPeripheral(observer: observer)
        }
    }

    @Test func discoveriesBeyondTheLimitAreDropped() {
        let bench = CentralBench()
        bench.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        let record = PeerRecord(identifier: CentralBench.peer, name: "Thing")
        _ = bench.newEvents()
        whileSuspended(bench.queue) {
            bench.adapter.executor.sync {
                for _ in 0..<Self.limit + 10 {
                    bench.session.observer?.discovered(
                        Discovery(peer: record, data: [], isConnectable: true, rssi: -50))
                }
            }
        }
        bench.settle()
        #expect(bench.newEvents().count == Self.limit)
    }

    @Test func anIndicationIsConfirmedAfterItsCallback() throws {
        let device = try ValueTests.Device()
        let bench = device.bench
        let duringCallback = Locked<Bool?>(nil)
        bench.queue.suspend()
        let isConfirmed = bench.indicate([7], handle: 21)
        bench.recorder.onEvent { $0 = { _ in duringCallback { $0 = isConfirmed.value } } }
        #expect(!isConfirmed.value)
        bench.queue.resume()
        bench.settle()
        #expect(bench.newEvents() == ["value [7]"])
        #expect(duringCallback.value == false && isConfirmed.value)
    }

    @Test func anIndicationForTwoManagersIsConfirmedAfterTheLaterOne() throws {
        let first = try ValueTests.Device()
        let second = try ValueTests.Device()
        let isConfirmed = Locked(false)
        first.bench.queue.suspend()
        second.bench.queue.suspend()
        do {
            let confirmation = IndicationConfirmation { isConfirmed { $0 = true } }
            first.bench.indicate([1], handle: 21, confirmation)
            second.bench.indicate([1], handle: 21, confirmation)
        }
        first.bench.queue.resume()
        first.bench.settle()
        #expect(first.bench.newEvents() == ["value [1]"] && !isConfirmed.value)
        second.bench.queue.resume()
        second.bench.settle()
        #expect(isConfirmed.value)
    }

    @Test func aReleasedManagerConfirmsItsIndications() throws {
        let device = try ValueTests.Device()
        let bench = device.bench
        bench.queue.suspend()
        let isConfirmed = bench.indicate([1], handle: 21)
        bench.manager = nil
        #expect(isConfirmed.value, "though the queue stands still")
        bench.queue.resume()
        bench.settle()
        #expect(bench.newEvents().isEmpty)
    }

    @Test func readinessForWritesIsReportedOnce() throws {
        let device = try ValueTests.Device()
        let bench = device.bench
        for _ in 0..<2 {
            whileSuspended(bench.queue) {
                bench.adapter.executor.sync {
                    for _ in 0..<100 { bench.session.observer?.readyForWriteCommands(to: CentralBench.peer) }
                }
            }
            bench.settle()
        }
        #expect(bench.newEvents() == ["ready true", "ready true"])
    }

    // MARK: The peripheral role

    @Test func readinessForUpdatesIsReportedOnce() {
        let bench = PeripheralBench()
        for _ in 0..<2 {
            whileSuspended(bench.queue) {
                bench.adapter.executor.sync { for _ in 0..<100 { bench.session.observer?.readyToUpdate() } }
            }
            bench.settle()
        }
        #expect(bench.newEvents() == ["ready", "ready"])
    }

    @Test func onlyWritesWithoutResponseAreDroppedBeyondTheLimit() {
        let server = RequestTests.Server()
        let bench = server.bench
        whileSuspended(bench.queue) {
            bench.adapter.executor.sync {
                write(Self.limit + 10, to: server)
                bench.session.observer?.receivedWrite(
                    RequestIdentifier(rawValue: 99_999),
                    [WriteItem(characteristic: server.reference(0), offset: 0, value: [2])],
                    needsResponse: true, from: PeripheralBench.client)
            }
        }
        bench.settle()
        let events = bench.newEvents()
        #expect(events.count == Self.limit + 1)
        #expect(events.last == "write AA01+0=[2]")
    }

    @Test func theLastOfManySubscriptionChangesIsDelivered() {
        let server = RequestTests.Server()
        let bench = server.bench
        let reference = server.reference(0)
        for isLastOn in [true, false] {
            whileSuspended(bench.queue) {
                bench.adapter.executor.sync {
                    for _ in 0..<1000 {
                        bench.session.observer?.subscribed(PeripheralBench.client, to: reference)
                        bench.session.observer?.unsubscribed(PeripheralBench.client, from: reference)
                    }
                    if isLastOn { bench.session.observer?.subscribed(PeripheralBench.client, to: reference) }
                }
            }
            bench.settle()
            let events = bench.newEvents()
            #expect(events.count == (isLastOn ? 17 : 16), "\(events.count)")
            #expect(events.last == (isLastOn ? "subscribe AA01 1" : "unsubscribe AA01 0"))
        }
        server.subscribe()
        #expect(bench.newEvents() == ["subscribe AA01 1"])
    }

    @Test func aNewUpdateLengthAppliesAlthoughWritesWereDropped() throws {
        let server = RequestTests.Server()
        let bench = server.bench
        server.subscribe()
        let central = try #require(server.first.subscribedCentrals?.first)
        whileSuspended(bench.queue) {
            bench.adapter.executor.sync {
                write(Self.limit + 10, to: server)
                bench.session.observer?.maximumUpdateLengthChanged(
                    CentralRecord(identifier: PeripheralBench.client.identifier, maximumUpdateLength: 244))
            }
        }
        bench.settle()
        #expect(central.maximumUpdateValueLength == 244)
    }
}
