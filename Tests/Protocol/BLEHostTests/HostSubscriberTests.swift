import BLEAttribute
import BLEWire
import Testing

@testable import BLEHost

/// Several subscribers of one link, through the host.
struct HostSubscriberTests {
    private let bench = Bench()
    private let central: BenchHost
    private let peripheral: BenchHost
    private let link: LinkIdentifier
    private let peripheralLink: LinkIdentifier
    private let handle: UInt16
    private let end: UInt16

    init() throws {
        central = bench.ready()
        peripheral = bench.ready()
        let added = try #require(peripheral.addService(TestService.definition))
        (link, peripheralLink) = try #require(bench.link(central, peripheral))
        handle = try #require(added.characteristics.first?.valueHandle)
        end = added.range.end
        peripheral.values[handle] = [1]
    }

    private func setNotify(_ mode: GATTOperation.NotifyMode, _ subscriber: Int, id: UInt32) {
        central.host.submit(
            .setNotify(valueHandle: handle, end: end, mode: mode), id: id, subscriber: subscriber, on: link,
            at: bench.now)
    }

    private var configuration: UInt16 {
        peripheral.host.clientConfiguration(ofValueHandle: handle, on: peripheralLink)
    }

    private func notify(_ value: [UInt8]) {
        peripheral.host.notify(value.span, handle: handle, on: peripheralLink, at: bench.now)
        bench.settle()
    }

    @Test func eachValueListsItsSubscribers() {
        setNotify(.notification, 4, id: 1)
        setNotify(.notification, 6, id: 2)
        bench.settle()
        notify([1])
        central.host.dropSubscriber(4, on: link, at: bench.now)
        bench.settle()
        notify([2])
        #expect(central.notifications == [[1], [2]])
        #expect(central.receivers == [[4, 6], [6]])
        #expect(central.host.clientSubscriptions(on: link).map(\.subscriber) == [6])
        central.host.dropSubscriber(6, on: link, at: bench.now)
        bench.settle()
        #expect(configuration == 0)
        #expect(central.completions == [1, 2], "dropping brings no completion")
    }

    @Test func valuesBeforeADisconnectionKeepTheirSubscribers() throws {
        setNotify(.notification, 4, id: 1)
        bench.settle()
        peripheral.host.notify([9].span, handle: handle, on: peripheralLink, at: bench.now)
        peripheral.host.disconnect(peripheralLink, at: bench.now)
        bench.settle()
        #expect(central.disconnected.count == 1)
        #expect(central.notifications == [[9]] && central.receivers == [[4]])
        #expect(central.host.clientSubscriptions(on: link).isEmpty)
    }

    @Test func operationsCompleteInOrderAndQueuedOnesCanBeCancelled() {
        for id in 10..<14 as Range<UInt32> {
            central.host.submit(id == 11 ? .readRSSI : .read(handle: handle), id: id, on: link, at: bench.now)
        }
        let isTaken = central.host.cancelOperation(12, on: link, at: bench.now)
        #expect(isTaken)
        bench.settle()
        #expect(central.completions == [10, 11, 13])
    }

    @Test func theEndOfTheLinkEndsOperationsWithoutCompletion() {
        for id in 10..<14 as Range<UInt32> {
            central.host.submit(.read(handle: handle), id: id, on: link, at: bench.now)
        }
        central.host.disconnect(link, at: bench.now)
        bench.settle()
        #expect(central.completions.isEmpty && central.disconnected == [.requested])
        let isTaken = central.host.cancelOperation(12, on: link, at: bench.now)
        #expect(!isTaken)
        central.host.submit(.read(handle: handle), id: 20, on: link, at: bench.now)
        bench.settle()
        #expect(central.result(20) == .failure(.notConnected))
    }
}
