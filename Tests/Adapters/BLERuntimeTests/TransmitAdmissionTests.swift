import BLEAdapter
import BLEStore
import BLEWire
import Dispatch
import Synchronization
import Testing

@testable import BLEHostAdapter
@testable import BLERuntime
@testable import BLESessions

struct TransmitAdmissionTests {
    private let one = PeerIdentifier(high: 0, low: 1)
    private let two = PeerIdentifier(high: 0, low: 2)

    private func hasRoom(_ admission: TransmitAdmission.Admission) -> Bool? {
        if case .accepted(let hasRoom) = admission { hasRoom } else { nil }
    }

    @Test func aFullQueueOfWriteCommandsHasRoomWhenItIsEmpty() {
        let admission = TransmitAdmission()
        #expect(hasRoom(admission.admitCommand(to: one, session: 1)) == nil, "not connected")
        admission.addServer(one)
        for number in 1...TransmitAdmission.queueLimit {
            #expect(hasRoom(admission.admitCommand(to: one, session: 1)) == (number < TransmitAdmission.queueLimit))
        }
        #expect(!admission.hasRoomForCommand(to: one, session: 2))
        #expect(admission.commandsSent(TransmitAdmission.queueLimit - 1, to: one) == [])
        #expect(admission.commandsSent(1, to: one) == [1, 2])
        #expect(admission.hasRoomForCommand(to: one, session: 2))
        #expect(admission.commandsSent(1, to: one) == [], "called once")
    }

    @Test func aQueueThatBeginsFullHasRoomAfterTheFirstWriteCommand() {
        let admission = TransmitAdmission(beginsFull: true)
        for _ in 0..<2 {
            admission.addServer(one)
            #expect(!admission.hasRoomForCommand(to: one, session: 1))
            #expect(admission.commandsSent(0, to: two) == [])
            #expect(hasRoom(admission.admitCommand(to: one, session: 1)) == false)
            #expect(admission.commandsSent(1, to: one) == [1])
            #expect(admission.hasRoomForCommand(to: one, session: 1))
            #expect(hasRoom(admission.admitCommand(to: one, session: 1)) == true)
            // The next link begins in the same way.
            admission.removeServer(one)
        }
    }

    @Test func writeCommandsBeyondTheBoundAreRefused() {
        let admission = TransmitAdmission()
        admission.addServer(one)
        for _ in 0..<TransmitAdmission.queueBound { _ = admission.admitCommand(to: one, session: 1) }
        #expect(hasRoom(admission.admitCommand(to: one, session: 1)) == nil)
    }

    @Test func writeCommandsShareACallUntilAnotherCallOfASession() {
        let admission = TransmitAdmission()
        admission.addServer(one)
        var submitted = 0
        func write(_ number: UInt8, order: Int) {
            let value = [number]
            _ = admission.admitCommand(value.span, handle: 3, to: one, session: 1, order: order) { submitted += 1 }
        }
        func take() -> [UInt8] {
            var batch = WriteCommandBatch()
            admission.takeCommands(into: &batch)
            return batch.octets
        }
        for number in 1...3 { write(UInt8(number), order: 0) }
        write(4, order: 1)
        #expect(submitted == 2)
        #expect(take() == [1, 2, 3])
        write(5, order: 1)
        #expect(submitted == 2 && take() == [4, 5])
        // The executor took the batch, so the next value needs a call.
        write(6, order: 1)
        #expect(submitted == 3 && take() == [6] && take() == [])
        let refused = admission.admitCommand([7].span, handle: 3, to: two, session: 1, order: 1) { submitted += 1 }
        #expect(hasRoom(refused) == nil && submitted == 3, "not connected")
        #expect(take() == [])
    }

    /// A thread whose Write Command joins the batch of another thread goes on with a call that has to stay behind both.
    @Test func aBatchIsSubmittedBeforeAnyOfItsThreadsGoesOn() {
        for _ in 0..<2000 {
            let admission = TransmitAdmission()
            admission.addServer(one)
            let submitted = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                let value = [UInt8(number)]
                _ = admission.admitCommand(value.span, handle: 3, to: one, session: number, order: 0) {
                    submitted.add(1, ordering: .relaxed)
                }
                #expect(submitted.load(ordering: .relaxed) == 1)
            }
        }
    }

    @Test func valuesOfAnEarlierLinkDoNotMakeRoomBeyondTheLimit() {
        let admission = TransmitAdmission()
        admission.addServer(one)
        admission.addClient(one)
        // The executor reports values that were counted for the link before.
        #expect(admission.commandsSent(10, to: one) == [] && admission.updatesSent(10, to: one) == [])
        for number in 1...TransmitAdmission.queueLimit {
            #expect(hasRoom(admission.admitCommand(to: one, session: 1)) == (number < TransmitAdmission.queueLimit))
            #expect(admission.admitUpdate(to: [one], session: 1) != nil)
        }
        #expect(admission.admitUpdate(to: [one], session: 1) == nil)
    }

    /// A client that never confirms an indication must not stop the values of the others, and its own stay bounded.
    @Test func aFullClientDoesNotDelayTheOthers() {
        let admission = TransmitAdmission()
        admission.addClient(one)
        admission.addClient(two)
        var waiting = 0
        for _ in 0..<2 {
            var lost: [PeerIdentifier] = []
            for _ in 0..<2 * TransmitAdmission.updateBound {
                guard let update = admission.admitUpdate(to: [one, two], session: 1) else {
                    Issue.record("the client with room does not get the value")
                    return
                }
                lost += update.lost
                if update.receivers.contains(one) { waiting += 1 }
                #expect(update.receivers.contains(two))
                #expect(admission.updatesSent(1, to: two) == [])
            }
            #expect(waiting == TransmitAdmission.updateBound && lost == [one], "said once")
            #expect(admission.admitUpdate(to: [one], session: 1) == nil)
            // Both are full: the next value waits for one of them.
            for _ in 0..<TransmitAdmission.queueLimit { _ = admission.admitUpdate(to: [two], session: 1) }
            #expect(admission.admitUpdate(to: [one, two], session: 2) == nil)
            #expect(admission.updatesSent(TransmitAdmission.queueLimit, to: two) == [2])
            #expect(admission.updatesSent(waiting, to: one) == [1])
            waiting = 0
        }
    }

    @Test func theEndOfAFullClientMakesRoom() {
        let admission = TransmitAdmission()
        admission.addClient(one)
        for _ in 0..<TransmitAdmission.queueLimit { #expect(admission.admitUpdate(to: [one], session: 1) != nil) }
        for session in 1...2 { #expect(admission.admitUpdate(to: [one], session: session) == nil) }
        admission.forget(2)
        #expect(admission.removeClient(one) == [1])
    }
}

struct AdapterSnapshotTests {
    private let peer = PeerIdentifier(high: 0, low: 1)
    private let service = BluetoothUUID(UInt16(0x180D))

    @Test func namesAreAddedAndRemoved() {
        let snapshot = AdapterSnapshot(knownNames: [peer: PeerNames(deviceName: nil, advertisedName: "Old")])
        #expect(snapshot.record(of: peer).name == "Old")
        snapshot.setName("New", of: peer)
        #expect(snapshot.record(of: peer).name == "New")
        snapshot.setName(nil, of: peer)
        #expect(snapshot.record(of: peer).name == nil)
    }

    /// An advertiser in the third slot.
    private func heard(_ peer: PeerIdentifier, _ name: String?) -> DiscoveredAdvertiser {
        let content = DiscoveryContent(
            peer: PeerRecord(identifier: peer, name: name), address: nil, octets: AdvertisingOctets(),
            isConnectable: true)
        return DiscoveredAdvertiser(slot: 2, content: content)
    }

    @Test func anAdvertisedNameLastsAsLongAsItsSlot() {
        let snapshot = AdapterSnapshot(knownNames: [peer: PeerNames(deviceName: nil, advertisedName: "Old")])
        snapshot.setAdvertisers([heard(peer, "Heard")])
        #expect(snapshot.record(of: peer).name == "Heard")
        snapshot.setName("Device", of: peer)
        #expect(snapshot.record(of: peer).name == "Device", "the name in the GAP service precedes it")
        snapshot.setAdvertisers([heard(peer, "Again")])
        #expect(snapshot.record(of: peer).name == "Device", "also a later one")
        let other = PeerIdentifier(high: 0, low: 2)
        snapshot.setAdvertisers([heard(other, "Other")])
        #expect(snapshot.record(of: other).name == "Other")
        snapshot.setAdvertisers([heard(PeerIdentifier(high: 0, low: 3), nil)])
        #expect(snapshot.record(of: other).name == nil && snapshot.record(of: peer).name == "Device")
    }

    @Test func aConnectedPeerIsFoundByItsServices() {
        let snapshot = AdapterSnapshot(knownNames: [:])
        snapshot.connect(peer, mtu: 23)
        snapshot.setMTU(100, of: peer)
        #expect(snapshot.maximumTransmissionUnit(of: peer) == 100)
        #expect(snapshot.connectedPeers(services: [service]).isEmpty)
        // Every server has the GAP and GATT services.
        for service in [0x1800, 0x1801] as [UInt16] {
            #expect(snapshot.connectedPeers(services: [BluetoothUUID(service)]).map(\.identifier) == [peer])
        }
        // The advertisement before the link, and the last one.
        snapshot.setAdvertisement(AdvertisingOctets(data: [3, 3, 0x0D, 0x18]), of: peer)
        for _ in 0..<3 { snapshot.setAdvertisement(AdvertisingOctets(data: [2, 1, 6]), of: peer) }
        #expect(snapshot.connectedPeers(services: [service]).map(\.identifier) == [peer])
        // Discovered services stay for the next link.
        snapshot.add([service], of: peer)
        snapshot.disconnect(peer)
        #expect(snapshot.connectedPeers(services: [service]).isEmpty)
        #expect(snapshot.maximumTransmissionUnit(of: peer) == nil)
        snapshot.connect(peer, mtu: 23)
        #expect(snapshot.connectedPeers(services: [service]).map(\.identifier) == [peer])
    }

    @Test func servicesOfFormerPeersAreBounded() {
        let snapshot = AdapterSnapshot(knownNames: [:])
        let peers = (0..<UInt64(AdapterSnapshot.formerServerLimit + 1)).map { PeerIdentifier(high: 1, low: $0) }
        snapshot.connect(peer, mtu: 23)
        snapshot.add([service], of: peer)
        for peer in peers {
            snapshot.connect(peer, mtu: 23)
            snapshot.add([service], of: peer)
            snapshot.disconnect(peer)
        }
        // The first of them is forgotten. The connected peer is not.
        for peer in peers { snapshot.connect(peer, mtu: 23) }
        #expect(snapshot.connectedPeers(services: [service]).map(\.identifier) == [peer] + peers.dropFirst())
        // A peer that comes and goes takes one place.
        for _ in 0..<2 * AdapterSnapshot.formerServerLimit {
            snapshot.disconnect(peers[1])
            snapshot.connect(peers[1], mtu: 23)
        }
        #expect(snapshot.connectedPeers(services: [service]).count == peers.count)
    }

    @Test func subscribersKeepTheirOrder() {
        let snapshot = AdapterSnapshot(knownNames: [:])
        let characteristic = CharacteristicReference(service: 1, index: 0)
        let other = PeerIdentifier(high: 0, low: 2)
        snapshot.subscribe(other, to: characteristic, session: 1)
        snapshot.subscribe(peer, to: characteristic, session: 1)
        #expect(snapshot.subscribers(to: characteristic, session: 1) == [other, peer])
        #expect(snapshot.subscribers(to: characteristic, session: 2) == [])
        snapshot.unsubscribe(other, from: characteristic, session: 1)
        #expect(snapshot.subscribers(to: characteristic, session: 1) == [peer])
        snapshot.removeSubscriptions(token: 1, session: 1)
        #expect(snapshot.subscribers(to: characteristic, session: 1) == [])
    }
}

struct LearnedIdentityTests {
    @Test func anIdentityAddressLeadsToTheSameIdentifierInTheNextRun() {
        let store = DeviceStore(key: StoreKey(high: 1, low: 2))
        let first = DeviceAddress(kind: .random, value: 0x4000_0000_0001)
        let identity = DeviceAddress(kind: .public, value: 0x0012_3456_789A)
        let peer = store.identifier(for: first)
        store.remember(first, PeerNames(deviceName: "Watch"))
        store.learn(identity, of: peer)
        for store in [store, store.copy()] {
            #expect(store.identifier(for: identity) == peer && store.identifier(for: first) == peer)
            #expect(store.address(of: peer) == identity)
            #expect(store.knownNames[peer]?.deviceName == "Watch")
        }
    }
}
