import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

/// Peers are records under a key; their address may change.
struct PeerTests {
    private let first: UInt64 = 0x4000_0000_0001
    private let identityValue: UInt64 = 0xC000_0000_00FF
    private var identity: DeviceAddress { DeviceAddress(kind: .random, value: identityValue) }

    private func connected(_ bench: SessionBench) -> LinkIdentifier? { bench.sessions.links.first?.identifier }

    @Test func anIdentityReplacesTheAddressAndTheIdentifierStays() throws {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(first, session: 1)
        let link = try #require(connected(bench))
        _ = bench.takeAll()
        bench.call { sessions, _ in sessions.identityLearned(identity, of: link) }
        let peer = SessionBench.peer(first)
        #expect(bench.takeAll() == [.identityLearned(peer, identity)])

        // The session still uses the link, and the next one goes to the identity address.
        bench.call { $0.submit(.read(handle: 3), to: peer, session: 1, at: $1) }
        bench.cancel(first, session: 1)
        #expect(bench.take().last == .disconnected(peer, .cancelled, isReconnecting: false, session: 1))
        bench.connect(first, session: 1)
        #expect(bench.take() == [.connected(PeerRecord(identifier: peer, name: nil), session: 1)])
        #expect(bench.controller.attempts == [first, identityValue])
    }

    @Test func aReconnectionUsesTheIdentityAddress() throws {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(first, session: 1, ConnectionOptions(reconnectsAutomatically: true))
        let link = try #require(connected(bench))
        bench.call { sessions, _ in sessions.identityLearned(identity, of: link) }
        _ = bench.take()
        bench.controller.end(0x40, 0x08)
        bench.settle()
        let peer = SessionBench.peer(first)
        #expect(
            bench.take() == [
                .disconnected(peer, .failed(.supervisionTimeout), isReconnecting: true, session: 1),
                .connected(PeerRecord(identifier: peer, name: nil), session: 1),
            ])
        #expect(bench.controller.attempts == [first, identityValue])
    }

    @Test func advertisingFromTheIdentityAddressIsReportedAsTheSamePeer() throws {
        let bench = SessionBench.ready(centrals: 1)
        bench.call { $0.startScan(ScanRequest(), session: 1, at: $1) }
        // It was an advertiser of its own before.
        bench.controller.report(from: identityValue)
        bench.settle()
        #expect(bench.takeDiscoveries().map(\.discovery.peer.identifier) == [SessionBench.peer(identityValue)])
        bench.connect(first, session: 1)
        let link = try #require(connected(bench))
        bench.call { sessions, _ in sessions.identityLearned(identity, of: link) }
        bench.controller.report(from: identityValue)
        bench.settle()
        #expect(bench.takeDiscoveries().map(\.discovery.peer.identifier) == [SessionBench.peer(first)])

        // Also in a later scan, when the table has forgotten the address.
        for number in 0..<AdvertiserTable.capacity { bench.controller.report(from: UInt64(0x1000 + number)) }
        bench.settle()
        _ = bench.takeDiscoveries()
        bench.controller.report(from: identityValue)
        bench.settle()
        #expect(bench.takeDiscoveries().map(\.discovery.peer.identifier) == [SessionBench.peer(first)])
    }

    @Test func advertisersAndClientsWithRandomAddressesDoNotFillTheTable() {
        let bench = SessionBench.ready(centrals: 1)
        bench.call { $0.startScan(ScanRequest(), session: 1, at: $1) }
        for number in 0..<10_000 { bench.controller.report(from: UInt64(number)) }
        bench.settle()
        #expect(bench.sessions.peers.count == 0)
        for number in 0..<200 {
            let handle = bench.controller.acceptLink(from: UInt64(0xC100_0000_0000 + number))
            bench.settle()
            #expect(bench.sessions.peers.count == 1)
            bench.controller.end(handle, 0x13)
            bench.settle()
        }
        #expect(bench.sessions.peers.count == 0 && bench.sessions.links.isEmpty)
    }

    @Test func namesAreBounded() {
        let stored = PeerIdentifier(high: 2, low: 2)
        var table = PeerTable(PlainIdentities(), names: [stored: PeerNames(deviceName: "stored")])
        var forgotten: [PeerIdentifier] = []
        for number in 0..<UInt64(3 * PeerTable.nameCapacity) {
            if let peer = table.setDeviceName("\(number)", of: SessionBench.peer(number)) { forgotten.append(peer) }
            // The first device comes again and again under one identifier.
            #expect(table.setDeviceName("first", of: SessionBench.peer(0)) == nil)
        }
        #expect(table.names.count == PeerTable.nameCapacity + 1)
        #expect(forgotten.count == 2 * PeerTable.nameCapacity && forgotten.first == SessionBench.peer(1))
        #expect(table.names[SessionBench.peer(0)]?.deviceName == "first")
        #expect(table.names[stored]?.deviceName == "stored", "the store bounds its own names")
    }

    @Test func identitiesAreBounded() {
        var table = PeerTable(PlainIdentities(), names: [:])
        let key = table.claim(DeviceAddress(kind: .random, value: 1))
        for number in 0..<3 * PeerTable.identityCapacity {
            let isNew = table.learn(DeviceAddress(kind: .random, value: UInt64(0xC000 + number)), of: key)
            #expect(isNew)
        }
        let last = UInt64(0xC000 + 3 * PeerTable.identityCapacity - 1)
        #expect(table[key].identifier == SessionBench.peer(1) && table[key].address.value == last)
        #expect(table.identifier(for: DeviceAddress(kind: .random, value: last)) == SessionBench.peer(1))
        #expect(table.identifier(for: DeviceAddress(kind: .random, value: 0xC000)) == SessionBench.peer(0xC000))
    }

    @Test func anIdentityAddressInUseByAnotherPeerIsIgnored() {
        var table = PeerTable(PlainIdentities(), names: [:])
        let one = table.claim(DeviceAddress(kind: .random, value: 1))
        let two = table.claim(DeviceAddress(kind: .random, value: 2))
        let isTaken = table.learn(DeviceAddress(kind: .random, value: 2), of: one)
        #expect(!isTaken)
        #expect(table[one].address.value == 1 && table[two].address.value == 2)
    }

    @Test func namesOfEarlierRunsAreKnown() {
        let peer = SessionBench.peer(first)
        let bench = SessionBench(names: [peer: PeerNames(deviceName: "Watch", advertisedName: "W")])
        bench.attach()
        bench.call { $0.openCentral(1, at: $1) }
        bench.connect(first, session: 1)
        let events = bench.takeAll()
        #expect(events.contains(.connected(PeerRecord(identifier: peer, name: "Watch"), session: 1)))
        #expect(
            events.contains(
                .remember(
                    DeviceAddress(kind: .random, value: first),
                    PeerNames(deviceName: "Watch", advertisedName: "W"))))
    }
}
