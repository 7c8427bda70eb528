import BLEWire
import Testing

@testable import BLEAdapter

/// The state, scans and names of the sessions.
@Suite struct RemoteCentralTests {
    // MARK: The state

    /// A session receives the state 10 ms after it opens, and then each change.
    @Test func theFirstStateComesAfterAMoment() {
        var bench = CentralBench(isOn: false)
        let (one, other) = (EventRecorder(), EventRecorder())
        #expect(bench.central.deadline == nil)
        bench.central.open(1, one, at: bench.now)
        #expect(bench.central.deadline == .zero + .milliseconds(10))
        bench.run(for: .milliseconds(20))
        #expect(one.take() == [], "the state is unknown")
        bench.central.set(.poweredOn)
        bench.central.set(.poweredOn)
        #expect(one.take() == ["state poweredOn"])
        bench.central.open(2, other, at: bench.now)
        bench.central.set(.resetting)
        bench.central.handleTimeout(at: bench.now + .milliseconds(9))
        #expect(one.take() == ["state resetting"] && other.take() == [])
        bench.run(for: .milliseconds(10))
        #expect(other.take() == ["state resetting"] && bench.central.deadline == nil)
        bench.central.set(.poweredOn)
        bench.run(for: .seconds(1))
        #expect(one.take() == ["state poweredOn"] && other.take() == ["state poweredOn"])
        bench.close(1)
        bench.central.set(.poweredOff)
        #expect(one.take() == [] && other.take() == ["state poweredOff"])
    }

    /// Without power there are no links, scans and delays, and requests have no effect.
    @Test func theLossOfThePowerEndsEverything() {
        var bench = CentralBench()
        let one = bench.open(1)
        let other = bench.open(2)
        for peer in [9, 5, 7] as [UInt64] { bench.connect(1, peer) }
        bench.connect(2, 5, reconnects: true)
        bench.connect(2, 6, after: .seconds(5))
        bench.central.startScan(1, ScanRequest())
        bench.connected(5)
        bench.submit(1, .read(handle: 3))
        _ = (one.take(), other.take(), bench.requests())
        bench.central.set(.resetting)
        #expect(one.take() == ["state resetting"] && other.take() == ["state resetting"])
        #expect(bench.requests() == ["forget 5", "forget 7", "forget 9"])
        let peer = CentralBench.peer(5)
        #expect(!bench.central.hasLink(peer) && bench.snapshot.maximumTransmissionUnit(of: peer) == nil)
        #expect(bench.central.deadline == nil)
        bench.connect(1)
        bench.connect(2, 6, after: .seconds(5))
        bench.central.startScan(1, ScanRequest())
        bench.submit(1, .read(handle: 3))
        bench.central.openChannel(psm: 37, RemoteUse(session: 1, peer: peer))
        bench.finish()
        bench.connected()
        bench.ended()
        bench.receive(3)
        bench.advertise(5, [2, 1, 6])
        #expect(one.take() == ["read 3 notConnected", "channel 37 notConnected"])
        // The same loss once more, and another one.
        bench.central.set(.resetting)
        bench.central.set(.unauthorized)
        bench.central.set(.poweredOn)
        #expect(one.take() == ["state unauthorized", "state poweredOn"])
        bench.run(for: .seconds(60))
        #expect(bench.requests() == [] && one.take() == [])
    }

    /// Requests that were not carried out before the loss: the adapter still has to forget links, and no octets stay behind.
    @Test func requestsBeforeALossLeaveNothing() {
        var bench = CentralBench()
        let recorder = bench.open(1)
        bench.connect(1, 4)
        bench.ended(4, .establishmentFailed)
        bench.link([1])
        bench.cancel(1, 4)
        let use = RemoteUse(session: 1, peer: CentralBench.peer(5))
        #expect(bench.snapshot.add(65_536, for: use) == .accepted && !bench.snapshot.hasRoom(to: use.peer))
        bench.central.write([UInt8](repeating: 0, count: 65_536), handle: 3, to: use.peer)
        bench.submit(1, .read(handle: 3))
        bench.central.startScan(1, ScanRequest())
        bench.central.set(.poweredOff)
        #expect(bench.requests() == ["forget 4", "forget 5"])
        _ = recorder.take()
        bench.central.releaseWriters()
        bench.central.set(.poweredOn)
        bench.link([1])
        #expect(bench.snapshot.hasRoom(to: use.peer) && recorder.take() == ["state poweredOn", "connected 5 -"])
    }

    // MARK: Scans

    /// The host scans while a session does.
    @Test func theHostScansForAnySession() {
        var bench = CentralBench()
        let recorders = [bench.open(1), bench.open(2)]
        for _ in 0..<2 {
            for session in [1, 2, 1] { bench.central.startScan(session, ScanRequest(allowDuplicates: true)) }
            #expect(bench.requests() == ["scan true"])
            bench.central.stopScan(1)
            #expect(bench.requests() == [])
            bench.advertise(7, [2, 1, 6])
            #expect(recorders[0].take() == [] && recorders[1].take() == ["discovered 7 - (-, -) 3 -50"])
            bench.central.stopScan(2)
            bench.central.stopScan(2)
            #expect(bench.requests() == ["scan false"])
            bench.advertise(7, [2, 1, 6])
        }
        bench.central.startScan(3, ScanRequest())
        #expect(bench.requests() == [], "there is no such session")
        // The loss of the power ends a scan without a request, and another one begins anew.
        bench.central.startScan(1, ScanRequest())
        bench.central.set(.poweredOff)
        bench.central.set(.poweredOn)
        bench.advertise(7, [2, 1, 6])
        bench.central.stopScan(1)
        #expect(bench.requests() == [])
        bench.central.startScan(2, ScanRequest())
        #expect(bench.requests() == ["scan true"])
        bench.close(2)
        #expect(bench.requests() == ["scan false"])
        bench.advertise(7, [2, 1, 6])
        #expect(recorders[0].take() == ["state poweredOff", "state poweredOn"])
    }

    /// A scan without duplicates reports a device again when its content changes, for each session on its own.
    @Test func eachSessionHasItsOwnFilter() {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        func counts() -> [Int] { [one.take().count, other.take().count] }
        bench.central.startScan(1, ScanRequest())
        for (data, isNew) in [
            ([2, 1, 6], true), ([2, 1, 6], false), ([2, 1, 4], true), ([2, 1, 4], false), ([2, 1, 6], true), ([], true),
            ([], false), ([2, 1, 6, 0], true),
        ] as [([UInt8], Bool)] {
            bench.advertise(7, data)
            #expect(counts() == [isNew ? 1 : 0, 0], "\(data)")
        }
        bench.central.startScan(2, ScanRequest())
        bench.advertise(7, [2, 1, 6, 0])
        #expect(counts() == [0, 1])
        bench.advertise(8, [2, 1, 6, 0])
        #expect(counts() == [1, 1], "another device")
        // A new scan begins with an empty filter.
        bench.central.startScan(1, ScanRequest())
        bench.advertise(7, [2, 1, 6, 0])
        #expect(counts() == [1, 0])
        bench.central.startScan(2, ScanRequest(allowDuplicates: true))
        for _ in 0..<2 {
            bench.advertise(7, [2, 1, 6, 0])
            #expect(counts() == [0, 1])
        }
        // A scan for services selects.
        bench.central.startScan(2, ScanRequest(services: [BluetoothUUID(0x180D as UInt16)], allowDuplicates: true))
        bench.advertise(9, [3, 3, 0x0F, 0x18])
        bench.advertise(9, [3, 3, 0x0D, 0x18])
        #expect(counts() == [2, 1])
    }

    /// 4,096 names and 4,096 reported devices are kept. A device with a name may change it when the table is full.
    @Test func theTablesAreBounded() {
        var bench = CentralBench()
        let recorder = bench.open(1)
        bench.central.startScan(1, ScanRequest())
        for peer in 1...4096 as ClosedRange<UInt64> { bench.advertise(peer, [2, 9, 0x41]) }
        #expect(recorder.take().count == 4096)
        #expect(bench.central.sessions[1]?.reported.count == 4096)
        func names(_ peers: UInt64...) -> [String?] { peers.map { bench.snapshot.record(CentralBench.peer($0)).name } }
        bench.advertise(4097, [2, 9, 0x41])
        #expect(recorder.take() == ["discovered 4097 A (-, -) 3 -50"])
        #expect(bench.central.sessions[1]?.reported.count == 1)
        bench.advertise(7, [2, 9, 0x42])
        bench.central.named(CentralBench.peer(8), "C")
        bench.central.named(CentralBench.peer(4098), "D")
        #expect(names(4096, 4097, 4098, 7, 8) == ["A", nil, nil, "B", "C"])
    }

    // MARK: Names

    /// The name in the GAP service comes before an advertised one, and sessions with a link receive its changes.
    @Test func theTwoNamesOfADevice() {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        bench.central.startScan(2, ScanRequest(allowDuplicates: true))
        bench.connect(1)
        bench.advertise(5, [3, 9, 0x41, 0x42])
        bench.advertise(5, [2, 1, 6])
        bench.connected()
        #expect(one.take() == ["connected 5 AB"])
        let peer = CentralBench.peer(5)
        for _ in 0..<2 { bench.central.named(peer, "Lamp") }
        #expect(one.take() == ["named Lamp"])
        bench.advertise(5, [2, 9, 0x43])
        bench.connect(1)
        #expect(one.take() == ["connected 5 Lamp"])
        #expect(
            other.take() == [
                "discovered 5 AB (-, AB) 4 -50", "discovered 5 AB (-, AB) 3 -50", "discovered 5 Lamp (Lamp, C) 3 -50",
            ])
        #expect(
            bench.snapshot.names(of: AdvertiserIdentity(peer)) == PeerNames(deviceName: "Lamp", advertisedName: "C"))
        // A device name has at most 248 octets (Vol 3, Part C, 12.1).
        bench.central.named(peer, String(repeating: "é", count: 124) + "x")
        #expect(one.take() == [])
        let longest = String(repeating: "é", count: 124)
        bench.central.named(peer, longest)
        #expect(one.take() == ["named \(longest)"])
        // Identifiers of this host have a record, in the order of the request.
        let foreign = PeerIdentifier(high: 2, low: 5)
        #expect(
            bench.snapshot.records([CentralBench.peer(6), foreign, peer]) == [
                PeerRecord(identifier: CentralBench.peer(6), name: nil), PeerRecord(identifier: peer, name: longest),
            ])
    }

    /// Peers are found by their services while they have a link, of whichever program.
    @Test func connectedPeersHaveOneOfTheServices() {
        var bench = CentralBench()
        let services = [0x180D, 0x180F].map { BluetoothUUID($0 as UInt16) }
        bench.snapshot.setServices([services[0]], of: CentralBench.peer(6))
        bench.snapshot.setServices(Set(services), of: CentralBench.peer(5))
        bench.snapshot.setServices([], of: CentralBench.peer(4))
        func found(_ services: [BluetoothUUID]) -> [UInt64] {
            bench.snapshot.connectedPeers(services).map(\.identifier.low)
        }
        #expect(found([services[0]]) == [5, 6] && found([services[1]]) == [5] && found([]) == [])
        bench.snapshot.setServices(nil, of: CentralBench.peer(5))
        #expect(found(services) == [6])
        bench.central.set(.poweredOff)
        #expect(found(services) == [])
    }
}
