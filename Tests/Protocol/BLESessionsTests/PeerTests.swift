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

    private func connected(_ bench: SessionBench) -> LinkIdentifier? { bench.sessions.context.links.first?.identifier }

    @Test func anIdentityReplacesTheAddressAndTheIdentifierStays() throws {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(first, session: 1)
        let link = try #require(connected(bench))
        _ = bench.takeAll()
        bench.call { sessions, _ in sessions.context.identityLearned(identity, of: link) }
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

    /// A store can have an identity at which the peer does not listen. What was heard last is better, unless it is a private address.
    @Test(arguments: [(0xC0DE_0000_0001, true), (0x4000_0000_0001, false)] as [(UInt64, Bool)])
    func anIdentityAddressThatWasHeardPrecedesALearnedOne(address: UInt64, isUsed: Bool) throws {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1)
        let link = try #require(connected(bench))
        bench.call { sessions, _ in sessions.context.identityLearned(identity, of: link) }
        for _ in 0..<2 {
            bench.cancel(address, session: 1)
            bench.call { $0.startScan(ScanRequest(), session: 1, at: $1) }
            for other in [7, address, 8] as [UInt64] { bench.controller.report(from: other) }
            bench.settle()
            bench.connect(address, session: 1)
        }
        let expected = isUsed ? address : identityValue
        #expect(bench.controller.attempts == [address, expected, expected])
    }

    @Test func aReconnectionUsesTheIdentityAddress() throws {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(first, session: 1, ConnectionOptions(reconnectsAutomatically: true))
        let link = try #require(connected(bench))
        bench.call { sessions, _ in sessions.context.identityLearned(identity, of: link) }
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
        bench.call { sessions, _ in sessions.context.identityLearned(identity, of: link) }
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
        #expect(bench.sessions.context.peers.count == 0)
        for number in 0..<200 {
            let handle = bench.controller.acceptLink(from: UInt64(0xC100_0000_0000 + number))
            bench.settle()
            #expect(bench.sessions.context.peers.count == 1)
            bench.controller.end(handle, 0x13)
            bench.settle()
        }
        #expect(bench.sessions.context.peers.count == 0 && bench.sessions.context.links.isEmpty)
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

    @Test func eachPeerKeepsItsIdentityAddress() {
        var table = PeerTable(PlainIdentities(), names: [:])
        func address(_ value: UInt64) -> DeviceAddress { DeviceAddress(kind: .random, value: value) }
        let keys = (1...3).map { table.claim(address($0)) }
        for (number, key) in keys.enumerated() {
            let isNew = table.learn(address(0xC001 + UInt64(number)), of: key)
            #expect(isNew)
        }
        for number in 1...3 as ClosedRange<UInt64> {
            #expect(table.identifier(for: address(0xC000 + number)) == SessionBench.peer(number))
            #expect(table.address(of: SessionBench.peer(number)) == address(0xC000 + number))
        }
        // A device that returns under another address, when nobody uses the first any more.
        table.release(keys[0])
        let again = table.claim(address(4))
        let isNew = table.learn(address(0xC001), of: again)
        let isRepeated = table.learn(address(0xC001), of: again)
        #expect(isNew && !isRepeated)
        #expect(table.identifier(for: address(0xC001)) == SessionBench.peer(4))
        #expect(table.identifier(for: address(0xC002)) == SessionBench.peer(2))
    }

    @Test func aPeerIsReleasedWithItsLastRecord() {
        var table = PeerTable(PlainIdentities(), names: [:])
        let address = DeviceAddress(kind: .random, value: 1)
        for _ in 0..<2 {
            let keys = (0..<3).map { _ in table.claim(address) }
            #expect(table.claim(SessionBench.peer(1)) == keys[0] && Set(keys).count == 1 && table.count == 1)
            for _ in 0..<3 { table.release(keys[0]) }
            #expect(table.count == 1 && table.key(at: address) == keys[0])
            table.release(keys[0])
            #expect(table.count == 0 && table.key(at: address) == nil && table.key(of: SessionBench.peer(1)) == nil)
        }
    }

    private func names(_ events: [SessionEvent]) -> [String] {
        events.compactMap { if case .nameChanged(_, let name, _) = $0 { name } else { nil } }
    }

    @Test func aChangedDeviceNameIsReported() {
        let bench = SessionBench.ready(centrals: 1)
        let peer = SessionBench.peer(first)
        var known: String?
        for name in ["One", "One", "Two"] {
            bench.controller.deviceName = Array(name.utf8)
            bench.connect(first, session: 1)
            bench.run(.seconds(30))
            let events = bench.takeAll()
            #expect(events.contains(.connected(PeerRecord(identifier: peer, name: known), session: 1)))
            #expect(events.contains(.named(peer, name)))
            #expect(names(events) == (name == known ? [] : [name]))
            known = name
            bench.cancel(first, session: 1)
            _ = bench.takeAll()
        }
    }

    /// A NUL, an empty value, octets that are no UTF-8 and more than 248 octets are no name.
    @Test(arguments: [[], [0x41, 0], [0xFF], [UInt8](repeating: 0x41, count: 249)] as [[UInt8]])
    func aValueThatIsNoNameIsIgnored(_ value: [UInt8]) {
        #expect(DeviceName.text(value) == nil)
        #expect(DeviceName.text([UInt8](repeating: 0x41, count: 248))?.count == 248)
        #expect(DeviceName.text([0x41]) == "A")
    }

    /// The name of a device that is forgotten for others is replaced by the advertised one.
    @Test func aForgottenNameLeavesTheAdvertisement() {
        let bench = SessionBench.ready(centrals: 1)
        bench.call { $0.startScan(ScanRequest(), session: 1, at: $1) }
        bench.controller.report(from: first, [2, 9, 0x41])
        bench.settle()
        bench.controller.deviceName = Array("Long".utf8)
        bench.connect(first, session: 1)
        bench.run(.seconds(30))
        bench.cancel(first, session: 1)
        bench.controller.report(from: first, [2, 9, 0x42])
        bench.settle()
        #expect(bench.heard.last?.content.name == "Long")
        for number in 1..<UInt64(PeerTable.nameCapacity) {
            _ = bench.sessions.context.peers.setDeviceName("\(number)", of: SessionBench.peer(number))
        }
        bench.heard = []
        _ = bench.takeAll()
        bench.connect(0xC000_0000_0099, session: 1)
        bench.run(.seconds(30))
        #expect(bench.takeAll().contains(.named(SessionBench.peer(first), nil)))
        #expect(bench.heard.map(\.content.name) == ["B"])
    }

    @Test func aRenamedHostIsReadAgainEachTime() {
        let pair = SessionPair()
        pair.connect(1)
        // The host subscribes to Service Changed in the pauses of the program.
        pair.run(.seconds(3))
        _ = pair.central.take()
        for name in ["New", "Newer", "Newest"] {
            pair.peripheral.sessions.rename(Array(name.utf8), at: pair.now)
            pair.run(.seconds(5))
            let events = pair.central.take()
            #expect(events.contains(.named(pair.peer, name)) && names(events) == [name])
        }
    }
}
