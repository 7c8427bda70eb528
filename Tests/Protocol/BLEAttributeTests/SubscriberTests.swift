import BLEWire
import Testing

@testable import BLEAttribute

/// The one queue of a bearer, and subscribers that share the peer's client characteristic configurations.
struct SubscriberTests {
    private let pair: Pair
    private let handle: UInt16
    private let end: UInt16

    init() throws {
        var database = AttributeDatabase()
        let service = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [CharacteristicDefinition(uuid(0x36F5), 0x3E, 3), CharacteristicDefinition(uuid(0x36F6), 0x02, 3)]))
        pair = Pair(database)
        handle = service.characteristics[0].valueHandle
        end = handle + 1
        pair.values[handle] = [1]
    }

    private func setNotify(_ mode: GATTOperation.NotifyMode) -> GATTOperation {
        .setNotify(valueHandle: handle, end: end, mode: mode)
    }

    private var configuration: UInt16 { pair.server.clientConfiguration(ofValueHandle: handle) }

    /// The Write Requests that went to the server.
    private var writes: [[UInt8]] { pair.toServer.filter { $0[0] == 0x12 }.map { Array($0[3...]) } }

    private func perform(_ operation: GATTOperation, subscriber: Int) -> Result<GATTResult, GATTError>? {
        let id = pair.submit(operation, subscriber: subscriber)
        pair.pump()
        return pair.result(id)
    }

    private var subscriptions: [ClientSubscription] { pair.client.clientSubscriptions }

    private func cancel(_ id: UInt32) -> Bool {
        var isTaken = false
        pair.withClient { isTaken = $0.cancelOperation(id, at: pair.now, output: &$1) }
        return isTaken
    }

    private func notify(_ value: [UInt8]) {
        pair.onServer { $0.notify(handle: handle, value: value.span, output: &$1) }
    }

    @Test func theConfigurationIsWrittenForTheFirstSubscriberAndAfterTheLast() {
        #expect(perform(setNotify(.notification), subscriber: 1) == .success(.done))
        #expect(perform(setNotify(.notification), subscriber: 2) == .success(.done))
        #expect(writes == [[1, 0]])
        #expect(perform(setNotify(.off), subscriber: 1) == .success(.done))
        #expect(writes == [[1, 0]] && configuration == 1)
        #expect(perform(setNotify(.off), subscriber: 2) == .success(.done))
        #expect(writes == [[1, 0], [0, 0]] && configuration == 0)
        #expect(subscriptions.isEmpty)
    }

    @Test func aSingleSubscriberWritesEveryChange() {
        for mode in [GATTOperation.NotifyMode.notification, .indication, .indication, .off, .off] {
            #expect(perform(setNotify(mode), subscriber: 7) == .success(.done))
        }
        #expect(writes == [[1, 0], [2, 0], [2, 0], [0, 0], [0, 0]])
    }

    @Test func theNeedForAWriteIsDecidedAtTheStart() {
        // When the second is submitted there is no other subscriber; when its turn comes there is one.
        let ids = [
            pair.submit(setNotify(.notification), subscriber: 1), pair.submit(setNotify(.notification), subscriber: 2),
            pair.submit(setNotify(.off), subscriber: 1), pair.submit(.read(handle: handle)),
            pair.submit(setNotify(.off), subscriber: 2),
        ]
        #expect(subscriptions.map(\.subscriber) == [1])
        pair.pump()
        let results: [Result<GATTResult, GATTError>?] = [
            .success(.done), .success(.done), .success(.done), .success(.value([1])), .success(.done),
        ]
        #expect(ids.map { pair.result($0) } == results)
        #expect(writes == [[1, 0], [0, 0]])
        let order = pair.clientEvents.compactMap { if case .completed(let id, _) = $0 { id } else { nil } }
        #expect(order == ids, "operations end in the order of the calls")
    }

    @Test func aSubscriptionThatFailsLeavesNoSubscriber() {
        let missing = GATTOperation.setNotify(valueHandle: handle + 3, end: handle + 3, mode: .notification)
        #expect(perform(missing, subscriber: 1) == .failure(.attribute(0x0A)))
        #expect(subscriptions.isEmpty)
        #expect(perform(missing, subscriber: 2) == .failure(.attribute(0x0A)), "not taken for shared")
    }

    @Test func aMalformedAnswerLeavesNoSubscriber() {
        var bearer = ATTBearer()
        var database = AttributeDatabase()
        _ = bearer.act { $0.submit(setNotify(.notification), id: 1, subscriber: 1, at: .zero, output: &$1) }
        #expect(bearer.client.subscriptions.entries.count == 1)
        #expect(bearer.answer([0x05], &database).events == [.completed(id: 1, .failure(.attribute(0x04)))])
        #expect(bearer.client.subscriptions.entries.isEmpty)
    }

    @Test func valuesListTheirSubscribers() {
        notify([0])
        _ = perform(setNotify(.notification), subscriber: 5)
        notify([1])
        _ = perform(setNotify(.notification), subscriber: 9)
        notify([2])
        _ = perform(setNotify(.off), subscriber: 5)
        notify([3])
        #expect(pair.received.map(\.value) == [[0], [1], [2], [3]])
        #expect(pair.receivers == [[], [5], [5, 9], [9]])
    }

    @Test func droppingASubscriberDisablesItsUnsharedValues() throws {
        let other = try pair.database.added(
            ServiceDefinition(uuid(0xFEE8), [CharacteristicDefinition(uuid(0x36F7), 0x3E, 3)]))
        let second = other.characteristics[0].valueHandle
        _ = perform(setNotify(.notification), subscriber: 1)
        _ = perform(setNotify(.notification), subscriber: 2)
        _ = perform(.setNotify(valueHandle: second, end: second + 1, mode: .indication), subscriber: 1)
        let events = pair.clientEvents.count
        pair.onClient { $0.dropSubscriber(1, at: .zero, output: &$1) }
        #expect(pair.clientEvents.count == events, "without completed")
        #expect(configuration == 1 && pair.server.clientConfiguration(ofValueHandle: second) == 0)
        #expect(
            subscriptions == [ClientSubscription(subscriber: 2, valueHandle: handle, end: end)])
        pair.onClient { $0.dropSubscriber(2, at: .zero, output: &$1) }
        #expect(configuration == 0 && subscriptions.isEmpty)
    }

    @Test func aRunningSubscriptionOfADroppedSubscriberIsUndone() {
        let first = pair.submit(setNotify(.notification), subscriber: 1)
        let second = pair.submit(setNotify(.indication), subscriber: 1)
        pair.onClient { $0.dropSubscriber(1, at: .zero, output: &$1) }
        #expect(pair.result(first) == .success(.done))
        #expect(pair.result(second) == nil, "it had not started")
        #expect(writes == [[1, 0], [0, 0]] && configuration == 0)
        #expect(subscriptions.isEmpty)
    }

    @Test func aNewSubscriberKeepsAConfigurationAboutToBeDisabled() {
        _ = perform(setNotify(.notification), subscriber: 1)
        let read = pair.submit(.read(handle: handle))
        let subscribe = pair.submit(setNotify(.notification), subscriber: 2)
        pair.onClient { $0.dropSubscriber(1, at: .zero, output: &$1) }
        #expect(pair.result(read) == .success(.value([1])) && pair.result(subscribe) == .success(.done))
        #expect(writes == [[1, 0], [1, 0]] && configuration == 1)
        notify([4])
        #expect(pair.receivers == [[2]])
    }

    @Test func queuedOperationsCanBeCancelled() {
        let ids = (0..<3).map { _ in pair.submit(.read(handle: handle)) }
        #expect(!cancel(ids[0]), "it runs")
        #expect(cancel(ids[1]))
        #expect(!cancel(ids[1]), "once")
        pair.pump()
        #expect(ids.map { pair.result($0) } == [.success(.value([1])), nil, .success(.value([1]))])
        #expect(!cancel(ids[2]), "it is over")
        #expect(pair.reads.count == 2)
    }

    @Test func serviceChangedEndsTheSubscriptionsInItsRange() {
        pair.run { $0.enableServiceChanged(id: $1, at: $2, output: &$3) }
        pair.now = .zero + .seconds(1)
        pair.onClient { $0.handleTimeout(at: pair.now, output: &$1) }
        _ = perform(setNotify(.notification), subscriber: 1)
        var database = pair.database
        let changed = [0x1D, 8, 0, UInt8(handle + 1), 0, 0xFF, 0xFF]
        #expect(pair.client.answer(changed, &database).events.count == 1)
        #expect(subscriptions.count == 1, "behind the value")
        _ = pair.client.act { $0.confirmIndication(output: &$1) }
        let whole = pair.client.answer([0x1D, 8, 0, UInt8(handle), 0, UInt8(handle), 0], &database)
        #expect(whole.events == [.servicesChanged(HandleRange(start: handle, end: handle))])
        #expect(subscriptions.isEmpty)
    }

    @Test(arguments: [GATTOperation.NotifyMode.notification, .off])
    func aSubscriptionThatRunsDuringServiceChangedFails(_ mode: GATTOperation.NotifyMode) {
        pair.run { $0.enableServiceChanged(id: $1, at: $2, output: &$3) }
        pair.now = .zero + .seconds(1)
        pair.onClient { $0.handleTimeout(at: pair.now, output: &$1) }
        pair.pump()
        var database = pair.database
        let id: UInt32 = 900
        let started = pair.client.act {
            $0.submit(setNotify(mode), id: id, subscriber: 1, at: pair.now, output: &$1)
        }
        #expect(started.pdus.count == 1)
        let changed = pair.client.answer([0x1D, 8, 0, UInt8(handle), 0, 0xFF, 0xFF], &database)
        #expect(changed.events == [.servicesChanged(HandleRange(start: handle, end: 0xFFFF))])
        // The server answers: the configuration at the next handle, then the Write Response.
        _ = pair.client.answer([0x05, 1, UInt8(handle + 1), 0, 0x02, 0x29], &database)
        let done = pair.client.answer([0x13], &database)
        let failure = Result<GATTResult, GATTError>.failure(.attribute(0x01))
        #expect(done.events == [.completed(id: id, mode == .off ? .success(.done) : failure)])
        #expect(subscriptions.isEmpty)

        // A later subscription finds its way.
        _ = pair.client.act { $0.confirmIndication(output: &$1) }
        _ = pair.client.act { $0.submit(setNotify(.notification), id: 901, subscriber: 1, at: pair.now, output: &$1) }
        _ = pair.client.answer([0x05, 1, UInt8(handle + 1), 0, 0x02, 0x29], &database)
        #expect(pair.client.answer([0x13], &database).events == [.completed(id: 901, .success(.done))])
        #expect(subscriptions.count == 1)
    }

    @Test func readRSSIIsQueuedLikeOtherOperations() {
        var bearer = ATTBearer()
        var database = AttributeDatabase()
        let asked = bearer.act {
            $0.submit(.read(handle: 3), id: 1, at: .zero, output: &$1)
            $0.submit(.readRSSI, id: 2, at: .zero, output: &$1)
            $0.submit(.read(handle: 4), id: 3, at: .zero, output: &$1)
        }
        #expect(asked.pdus == [octets("0A 0300")] && asked.events.isEmpty)
        let turn = bearer.answer(octets("0B AA"), &database)
        #expect(turn.pdus.isEmpty)
        #expect(turn.events == [.completed(id: 1, .success(.value([0xAA]))), .rssiRequested(id: 2)])
        #expect(bearer.deadline == nil, "no request is outstanding")
        #expect(bearer.answer(octets("0B BB"), &database).events.isEmpty, "a response to nothing is dropped")
        #expect(bearer.act { $0.finishOperation(1, .success(.rssi(0)), at: .zero, output: &$1) }.events.isEmpty)
        let done = bearer.act { $0.finishOperation(2, .success(.rssi(-40)), at: .zero, output: &$1) }
        #expect(done.events == [.completed(id: 2, .success(.rssi(-40)))])
        #expect(done.pdus == [octets("0A 0400")])
    }

    @Test func theEndOfABearerEndsItsSubscriptions() {
        _ = perform(setNotify(.notification), subscriber: 1)
        let ids = [pair.submit(.read(handle: handle)), pair.submit(setNotify(.off), subscriber: 1)]
        pair.now = .zero + ATT.transactionTimeout
        let reply = pair.client.act { $0.handleTimeout(at: pair.now, output: &$1) }
        #expect(
            reply.events == ids.map { ATTEvent.completed(id: $0, .failure(.bearerLost)) } + [.bearerFailed])
        #expect(subscriptions.isEmpty)
    }
}
