import BLEAdapter
import BLEWire
import SystemBus
import Testing

@testable import BLEBlueZAdapter

@Suite struct PeripheralUpdatesTests {
    private typealias Bench = PeripheralBench
    private let path = "application1/service0/characteristic0"

    /// A bench with a lamp, a phone and a tablet.
    private func bench(version: Int = 87, isBonded: Bool = false) -> Bench {
        let bench = Bench(version: version)
        bench.connect(Bench.phone, isBonded: isBonded)
        bench.connect(Bench.tablet)
        bench.addLamp()
        return bench
    }

    @Test func eachSubscriberHasASocket() {
        let bench = bench()
        #expect(bench.update([1]))
        let answer = bench.acquireNotify(mtu: 100)
        #expect(bench.events == ["length 1/97", "1/97 subscribed 1.0"])
        guard case .success(let reply)? = answer.result else { return #expect(Bool(false)) }
        #expect(reply.body == [.descriptor(0), .uint16(100)] && reply.descriptors.count == 1)
        bench.acquireNotify(Bench.tablet)
        #expect(bench.events == ["2/20 subscribed 1.0"])
        #expect(bench.update([2]) && bench.update([3], centrals: [2]) && bench.update([4], centrals: [1, 9]))
        #expect(bench.update([5], centrals: [9]))
        #expect(bench.events == [])
        #expect(bench.pipes.map(\.values) == [[[2], [4]], [[2], [3]]])
        #expect(bench.managers.values == [])
    }

    @Test func theEndOfASocketEndsTheSubscription() {
        let bench = bench()
        bench.acquireNotify()
        bench.acquireNotify(Bench.tablet)
        _ = bench.events
        bench.pipes[0].onEnd?()
        #expect(bench.events == ["1/20 unsubscribed 1.0"])
        #expect(bench.update([1]))
        _ = bench.events
        #expect(bench.pipes.map(\.values) == [[], [[1]]])
        // The end of the first socket of a client that has a new one changes nothing.
        let end = bench.pipes[1].onEnd
        bench.acquireNotify(Bench.tablet)
        end?()
        #expect(bench.events == [])
        bench.scheduler.run(for: .seconds(2))
        bench.setConnected(Bench.tablet, false)
        #expect(bench.events == ["2/20 unsubscribed 1.0"])
        #expect(bench.pipes.allSatisfy { $0.isClosed })
    }

    @Test func anEmptyValueIsASignal() {
        let bench = bench()
        bench.acquireNotify()
        #expect(bench.update([]))
        _ = bench.events
        #expect(bench.managers.values == ["\(path): []"] && bench.pipes[0].values == [])
    }

    @Test func aBondBringsSubscriptionsBack() {
        let bench = bench(isBonded: true)
        bench.acquireNotify()
        _ = bench.events
        // The socket closes before the link's end is known.
        bench.pipes[0].onEnd?()
        bench.setConnected(Bench.phone, false)
        #expect(bench.events == ["1/20 unsubscribed 1.0"])
        bench.setConnected(Bench.phone, true)
        #expect(bench.events == ["1/20 subscribed 1.0"])
        // It has no socket, so all get the signal, and nobody a value twice.
        bench.acquireNotify(Bench.tablet)
        #expect(bench.update([1]) && bench.update([2], centrals: [1]) && bench.update([3], centrals: [2]))
        _ = bench.events
        #expect(bench.managers.values == ["\(path): [1]", "\(path): [2]"])
        #expect(bench.pipes.map(\.values) == [[], [[3]]])
        #expect(bench.log.count == 1 && bench.log[0].contains("chosen centrals"))
        // The last subscriber without a socket leaves.
        #expect(bench.call("StopNotify", "2A01", []).text == "ok")
        #expect(bench.events == ["1/20 unsubscribed 1.0"])
    }

    @Test func aClientThatUnsubscribedIsNotSubscribedLater() {
        let bench = bench(isBonded: true)
        bench.acquireNotify()
        bench.pipes[0].onEnd?()
        bench.scheduler.run(for: .milliseconds(1001))
        bench.setConnected(Bench.phone, false)
        bench.setConnected(Bench.phone, true)
        #expect(bench.events == ["1/20 subscribed 1.0", "1/20 unsubscribed 1.0"])
    }

    @Test func aSocketMayCloseLongBeforeTheEndOfTheLinkIsKnown() {
        let bench = bench(isBonded: true)
        bench.acquireNotify()
        bench.pipes[0].onEnd?()
        bench.scheduler.run(for: .seconds(1))
        bench.setConnected(Bench.phone, false)
        bench.setConnected(Bench.phone, true)
        #expect(bench.events == ["1/20 subscribed 1.0", "1/20 unsubscribed 1.0", "1/20 subscribed 1.0"])
        // What ended before the last link is over.
        _ = bench.call("StopNotify", "2A01", [])
        bench.scheduler.run(for: .seconds(2))
        bench.setConnected(Bench.phone, false)
        bench.setConnected(Bench.phone, true)
        #expect(bench.events == ["1/20 unsubscribed 1.0"])
    }

    /// bluetoothd closes the socket of the first subscriber when any without a bond leaves, sooner or later than it tells the end of the link.
    @Test(arguments: [true, false]) func theSocketOfAnotherSubscriberMayClose(isSooner: Bool) {
        let bench = bench()
        bench.acquireNotify()
        bench.acquireNotify(Bench.tablet)
        _ = bench.events
        if isSooner {
            bench.pipes[1].onEnd?()
            bench.pipes[0].onEnd?()
            bench.scheduler.run(for: .seconds(1))
            bench.setConnected(Bench.tablet, false)
            #expect(bench.events == ["2/20 unsubscribed 1.0", "1/20 unsubscribed 1.0", "1/20 subscribed 1.0"])
        } else {
            bench.setConnected(Bench.tablet, false)
            bench.scheduler.run(for: .seconds(1))
            bench.pipes[0].onEnd?()
            #expect(bench.events == ["2/20 unsubscribed 1.0"])
        }
        #expect(bench.update([1]))
        _ = bench.events
        #expect(bench.managers.values == ["\(path): [1]"])
        // It ends with its link.
        bench.setConnected(Bench.phone, false)
        #expect(bench.events == ["1/20 unsubscribed 1.0"])
    }

    @Test func aSocketThatClosesAtAnotherTimeEndsTheSubscription() {
        let bench = bench()
        bench.acquireNotify()
        bench.acquireNotify(Bench.tablet)
        bench.setConnected(Bench.tablet, false)
        bench.scheduler.run(for: .milliseconds(1001))
        bench.pipes[0].onEnd?()
        bench.scheduler.run(for: .milliseconds(1001))
        bench.connect(Bench.tablet)
        bench.acquireNotify(Bench.tablet)
        bench.setConnected(Bench.tablet, false)
        #expect(
            bench.events == [
                "1/20 subscribed 1.0", "2/20 subscribed 1.0", "2/20 unsubscribed 1.0", "1/20 unsubscribed 1.0",
                "2/20 subscribed 1.0", "2/20 unsubscribed 1.0",
            ])
    }

    @Test func aDeviceWithABondClosesNoOtherSocket() {
        let bench = bench(isBonded: true)
        bench.acquireNotify()
        bench.acquireNotify(Bench.tablet)
        _ = bench.events
        bench.setConnected(Bench.phone, false)
        bench.pipes[1].onEnd?()
        #expect(bench.events == ["1/20 unsubscribed 1.0", "2/20 unsubscribed 1.0"])
    }

    @Test func aServiceThatIsAddedAgainHasNoSubscribers() {
        let bench = bench(isBonded: true)
        bench.acquireNotify()
        bench.setConnected(Bench.phone, false)
        bench.session.remove(token: 1)
        _ = bench.events
        bench.addLamp()
        bench.setConnected(Bench.phone, true)
        #expect(bench.events == [])
    }

    @Test func withoutABondSubscriptionsEndWithTheLink() {
        let bench = bench()
        bench.acquireNotify()
        bench.setConnected(Bench.phone, false)
        bench.setConnected(Bench.phone, true)
        #expect(bench.events == ["1/20 subscribed 1.0", "1/20 unsubscribed 1.0"])
    }

    @Test func olderVersionsTellTheSubscriberByARefusedCall() {
        let bench = bench(version: 66)
        #expect(bench.acquireNotify().text == "NotSupported")
        #expect(bench.call("StartNotify", "2A01", []).text == "ok")
        bench.acquireNotify(Bench.tablet)
        #expect(bench.events == ["1/20 subscribed 1.0", "2/20 subscribed 1.0"])
        #expect(bench.pipes.isEmpty)
        #expect(bench.update([1]) && bench.update([2], centrals: [2]))
        _ = bench.events
        #expect(bench.managers.values == ["\(path): [1]", "\(path): [2]"])
        bench.setConnected(Bench.phone, false)
        _ = bench.call("StopNotify", "2A01", [])
        #expect(bench.events == ["1/20 unsubscribed 1.0", "2/20 unsubscribed 1.0"])
    }

    @Test(arguments: [71, 82]) func socketsOfSomeVersionsTellAndCarryNothing(version: Int) {
        let bench = bench(version: version)
        bench.acquireNotify()
        bench.acquireNotify(Bench.tablet)
        #expect(bench.update([1]) && bench.update([2], centrals: [1]))
        #expect(bench.events == ["1/20 subscribed 1.0", "2/20 subscribed 1.0"])
        // Each of them would get what is on the socket of the other as well.
        #expect(bench.pipes.map(\.values) == [[], []])
        #expect(bench.managers.values == ["\(path): [1]", "\(path): [2]"])
        bench.pipes[0].onEnd?()
        #expect(bench.events == ["1/20 unsubscribed 1.0"])
    }

    @Test func withoutADeviceItIsTheOnlyOne() {
        let bench = bench()
        #expect(bench.call("StartNotify", "2A01", []).text == "ok")
        #expect(bench.events == [])
        bench.setConnected(Bench.tablet, false)
        _ = bench.call("StartNotify", "2A01", [])
        #expect(bench.events == ["1/20 subscribed 1.0"])
        #expect(bench.call("Confirm", "2A01", []).text == "ok")
    }

    @Test func aFullSocketHoldsTheProgramBack() {
        let bench = bench()
        bench.acquireNotify()
        bench.acquireNotify(Bench.tablet)
        _ = bench.events
        bench.pipes[1].room = 1
        // One value is in the socket, one waits beside it, and the queue is full.
        var sent = 0
        while bench.update([UInt8(sent)]) {
            sent += 1
            bench.scheduler.run()
        }
        #expect(sent == 2 + UpdateQueue.limit)
        #expect(bench.events == [])
        #expect(bench.pipes[0].values == [[0], [1]] && bench.pipes[1].values == [[0]])
        bench.pipes[1].room = 3
        bench.pipes[1].onRoom?()
        #expect(bench.events == [])
        bench.pipes[1].room = 100
        bench.pipes[1].onRoom?()
        #expect(bench.events == ["ready"])
        let all = (0..<sent).map { [UInt8($0)] }
        #expect(bench.pipes.map(\.values) == [all, all])
        #expect(bench.update([1]))
    }

    @Test func aSubscriberThatLeavesHoldsNobodyBack() {
        let bench = bench()
        bench.acquireNotify()
        bench.acquireNotify(Bench.tablet)
        bench.pipes[1].room = 0
        #expect(bench.update([1]) && bench.update([2]))
        _ = bench.events
        #expect(bench.pipes[0].values == [[1]])
        bench.pipes[1].onEnd?()
        #expect(bench.events == ["2/20 unsubscribed 1.0"])
        #expect(bench.pipes[0].values == [[1], [2]])
    }

    @Test func whatWaitsForASocketGoesWithIt() {
        let bench = bench()
        bench.acquireNotify()
        bench.pipes[0].room = 0
        while bench.update([1]) { bench.scheduler.run() }
        _ = bench.events
        // The client has another socket, and bluetoothd has closed the first.
        bench.acquireNotify()
        #expect(bench.events == ["ready"])
        #expect(bench.pipes[1].values.count == UpdateQueue.limit)
        bench.pipes[1].room = 0
        while bench.update([1]) { bench.scheduler.run() }
        bench.session.remove(token: 1)
        #expect(bench.events == ["ready"])
    }

    @Test func aRemovedDeviceIsForgotten() {
        let bench = bench(isBonded: true)
        bench.acquireNotify()
        bench.setConnected(Bench.phone, false)
        bench.remove(Bench.phone)
        bench.connect(Bench.phone, isBonded: true)
        #expect(bench.events == ["1/20 subscribed 1.0", "1/20 unsubscribed 1.0"])
        bench.acquireNotify()
        bench.remove(Bench.phone)
        #expect(bench.events == ["1/20 subscribed 1.0", "1/20 unsubscribed 1.0"])
    }

    @Test func devicesOfAnotherAdapterAreNoClients() {
        let bench = bench()
        bench.connect("/org/bluez/hci1/dev_00_00_00_00_00_03")
        #expect(bench.role.clients.clients.count == 2)
    }

    @Test func aBusyBusHoldsTheProgramBack() {
        let bench = bench(version: 66)
        bench.acquireNotify()
        _ = bench.events
        bench.broker.setReading(bench.bus, false)
        let value = [UInt8](repeating: 7, count: 512)
        var sent = 0
        while bench.update(value), sent < 100_000 {
            sent += 1
            bench.scheduler.run()
        }
        #expect((1000..<100_000).contains(sent))
        #expect(bench.events == [])
        bench.bus.onDrain = { bench.role.drained() }
        bench.broker.setReading(bench.bus, true)
        #expect(bench.events == ["ready"])
        #expect(bench.managers.values.count == sent)
    }

    @Test func aRemovedServiceEndsItsSubscriptions() {
        let bench = bench()
        bench.session.add(Bench.service(0xA002, included: [1]), token: 2)
        _ = bench.events
        bench.acquireNotify()
        #expect(bench.events == ["1/20 subscribed 1.0"])
        // bluetoothd loses the subscriptions of the service that goes on as well.
        bench.session.remove(token: 2)
        #expect(bench.events == ["1/20 unsubscribed 1.0"])
        bench.acquireNotify()
        _ = bench.events
        bench.session.remove(token: 1)
        #expect(bench.events == [])
        #expect(bench.pipes.allSatisfy { $0.isClosed })
        #expect(bench.update([1]))
    }

    @Test func powerOffEndsSubscriptionsAndTellsThatThereIsRoom() {
        let bench = bench()
        bench.acquireNotify()
        _ = bench.events
        bench.pipes[0].room = 0
        while bench.update([1]) { bench.scheduler.run() }
        bench.role.end(.poweredOff)
        #expect(bench.events == ["1/20 unsubscribed 1.0", "ready", "state poweredOff"])
        #expect(bench.update([1]))
        // Nothing is left for those that subscribe later.
        bench.begin()
        bench.connect(Bench.phone)
        _ = bench.events
        bench.acquireNotify()
        #expect(bench.events == ["1/20 subscribed 1.0"])
        #expect(bench.pipes[1].values == [] && bench.update([2]))
        _ = bench.events
        #expect(bench.pipes[1].values == [[2]])
    }

    @Test func whatIsRememberedIsBounded() {
        var subscriptions = PublishedSubscriptions()
        let key = PublishedSubscriptions.Key(session: 1, characteristic: CharacteristicReference(service: 1, index: 0))
        for number in 0..<200 {
            _ = subscriptions.add(.init(key: key, device: "\(number)"))
            let ended = subscriptions.disconnected("\(number)", isBonded: true, at: .zero)
            #expect(ended.ended == [key] && ended.mistaken == [])
        }
        let back = (0..<200).filter { !subscriptions.connected("\($0)", isBonded: true).isEmpty }
        #expect(back.count == PublishedSubscriptions.limit)
        // An unpaired device has nothing.
        _ = subscriptions.disconnected("0", isBonded: true, at: .zero)
        let unpaired = subscriptions.connected("0", isBonded: false)
        #expect(unpaired == [])
    }
}
