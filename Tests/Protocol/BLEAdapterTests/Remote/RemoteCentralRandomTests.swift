import BLEWire
import Testing

@testable import BLEAdapter

/// Checks that the events of a session have a possible order.
private final class GrammarObserver: CentralObserver {
    struct Content {
        /// The peers with a link of the session.
        var connected: Set<PeerIdentifier> = []
        /// The operations that have no result yet.
        var open: [PeerIdentifier: Int] = [:]
        var faults: [String] = []
    }

    let content = Lock(Content())

    private func note(_ peer: PeerIdentifier, _ event: String, _ isPossible: (inout Content) -> Bool) {
        content.withLock { content in
            if !isPossible(&content) { content.faults.append("\(event) of \(peer.low)") }
        }
    }

    func adapterStateChanged(_ state: AdapterState) {
        if state != .poweredOn { content.withLock { ($0.connected, $0.open) = ([], [:]) } }
    }
    func discovered(_ discovery: Discovery) {}
    func connected(_ peer: PeerRecord) {
        note(peer.identifier, "connected") {
            $0.connected.insert(peer.identifier)
            return true
        }
    }
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {
        note(peer, "failed") { !$0.connected.contains(peer) }
    }
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        note(peer, "disconnected") { content in
            content.open[peer] = nil
            return content.connected.remove(peer) != nil || end == .cancelled
        }
    }
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        // A session without a link may ask as well, and gets this failure.
        if case .failure(.notConnected) = result { return }
        note(peer, "completed") { content in
            content.open[peer, default: 0] -= 1
            return content.connected.contains(peer) && content.open[peer, default: 0] >= 0
        }
    }
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        note(peer, "received") { $0.connected.contains(peer) }
    }
    func readyForWriteCommands(to peer: PeerIdentifier) {}
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {
        note(peer, "changed") { $0.connected.contains(peer) }
    }
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
}

/// Requests of sessions and reports of a hostile host, in any order.
@Suite struct RemoteCentralRandomTests {
    private static let peers = (1...3 as ClosedRange<UInt64>).map(CentralBench.peer)

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func anyOrderIsTaken(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bench = CentralBench()
        var host = Host()
        var observers = (0...3).map { _ in GrammarObserver() }
        for number in 1...3 { bench.central.open(number, observers[number], at: bench.now) }
        bench.run(for: .milliseconds(10))
        for step in 0..<4000 {
            let number = Int.random(in: 1...3, using: &random)
            let peer = Self.peers.randomElement(using: &random) ?? Self.peers[0]
            let use = RemoteUse(session: number, peer: peer)
            let observer = observers[number]
            let isConnected = observer.content.withLock { $0.connected.contains(peer) }
            switch Int.random(in: 0..<20, using: &random) {
            case 0, 1, 2:
                let delay = TimeSpan.seconds(Int.random(in: -2...2, using: &random))
                bench.central.connect(
                    use, ConnectionOptions(startDelay: delay, reconnectsAutomatically: .random(using: &random)),
                    at: bench.now)
            case 3: bench.central.cancel(use, at: bench.now)
            case 4, 5, 6:
                let handle = UInt16.random(in: 1...3, using: &random)
                let modes: [GATTOperation.NotifyMode] = [.off, .notification, .indication]
                let operation =
                    Bool.random(using: &random)
                    ? GATTOperation.write(handle: handle, value: [UInt8](repeating: 0, count: 513 - Int(handle) % 2))
                    : .setNotify(valueHandle: handle, end: 9, mode: modes.randomElement(using: &random) ?? .off)
                // Only a session with a link asks for something.
                guard isConnected else { continue }
                observer.content.withLock { $0.open[peer, default: 0] += 1 }
                bench.central.submit(operation, use, at: bench.now)
            case 7, 8, 9: bench.central.connected(peer, mtu: .random(in: -1...1000, using: &random))
            case 10:
                let failures: [ConnectionError] = [.establishmentFailed, .endedByPeer, .limitReached]
                bench.central.ended(peer, failures.randomElement(using: &random) ?? .endedByPeer, at: bench.now)
            case 11, 12, 13:
                let results: [Result<GATTResult, GATTError>] = [
                    .success(.done), .failure(.attribute(1)), .failure(.notConnected), .success(.value([])),
                ]
                let result = results.randomElement(using: &random) ?? .success(.done)
                if result != .failure(.notConnected) { host.running.remove(peer) }
                bench.central.finished(peer, result, at: bench.now)
            case 14: bench.receive(.random(in: 1...3, using: &random), [1], peer.low)
            case 15: bench.central.servicesChanged(HandleRange(start: 1, end: 2), of: peer)
            case 16:
                let value = [UInt8](repeating: 0, count: .random(in: 0...512, using: &random))
                guard bench.snapshot.add(value.count, for: use) != .dropped else { continue }
                if .random(using: &random) { bench.central.ended(peer, .endedByPeer, at: bench.now) }
                bench.central.write(value, handle: 3, to: peer)
            case 17: bench.run(for: .milliseconds(.random(in: 0...30_000, using: &random)))
            case 18 where step % 10 == 0:
                bench.central.close(number, at: bench.now)
                observers[number] = GrammarObserver()
                bench.central.open(number, observers[number], at: bench.now)
                // A manager asks for nothing before it knows the state.
                bench.run(for: .milliseconds(10))
            case 19 where step % 20 == 0:
                bench.central.set(.resetting)
                bench.central.set(.poweredOn)
            default: break
            }
            host.carryOut(&bench)
            #expect(host.faults.isEmpty, "step \(step)")
            #expect(host.links == Set(Self.peers.filter(bench.central.hasLink)))
            for peer in Self.peers {
                let hasMTU = bench.snapshot.maximumTransmissionUnit(of: peer) != nil
                #expect(hasMTU == bench.central.isUp(peer))
            }
            for observer in observers { #expect(observer.content.withLock { $0.faults } == [], "step \(step)") }
        }
        // Everything ends with the sessions, and no octet is left.
        for number in 1...3 { bench.close(number) }
        for _ in 0..<3 {
            bench.run(for: .seconds(60))
            host.carryOut(&bench)
        }
        #expect(host.links.isEmpty && bench.central.deadline == nil && bench.central.sessions.isEmpty)
        bench.central.releaseWriters()
        let recorder = bench.open(9)
        let use = RemoteUse(session: 9, peer: Self.peers[0])
        bench.central.connect(use, ConnectionOptions(), at: bench.now)
        bench.central.connected(use.peer, mtu: 100)
        #expect(bench.snapshot.add(WriteAdmission.limit, for: use) == .accepted)
        #expect(recorder.take() == ["connected 1 -"])
    }

    /// What an adapter keeps of links, and the requests that it does not expect.
    private struct Host {
        var links: Set<PeerIdentifier> = []
        var running: Set<PeerIdentifier> = []
        var faults: [RemoteRequest] = []

        mutating func carryOut(_ bench: inout CentralBench) {
            for request in bench.central.takeRequests() {
                var isExpected = true
                switch request {
                case .connect(let peer): isExpected = links.insert(peer).inserted
                case .forget(let peer):
                    running.remove(peer)
                    isExpected = links.remove(peer) != nil
                case .disconnect(let peer): isExpected = links.contains(peer)
                case .perform(_, let peer): isExpected = links.contains(peer) && running.insert(peer).inserted
                case .write(let value, _, let peer):
                    bench.central.wrote(value.count)
                    isExpected = links.contains(peer)
                case .openChannel, .scan, .repeatReports: break
                }
                if !isExpected { faults.append(request) }
            }
        }
    }
}
