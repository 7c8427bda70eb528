import BLEAdapter
import BLECrypto
import BLEHost
import BLESecurity
import BLEWire
import Testing

@testable import BLESessions

/// Identifiers that are the address.
struct PlainIdentities: PeerIdentification {
    func identifier(for address: DeviceAddress) -> PeerIdentifier {
        PeerIdentifier(high: UInt64(address.kind.rawValue), low: address.value)
    }

    func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        guard identifier.high <= 1 else { return nil }
        return DeviceAddress(kind: identifier.high == 1 ? .random : .public, value: identifier.low)
    }
}

/// A session layer on a scripted controller, in time that moves when the test says so.
final class SessionBench {
    var sessions: HostSessions
    let controller = ScriptedController()
    private(set) var now = Instant.zero
    private var events: [SessionEvent] = []
    private(set) var discoveries: [(discovery: Discovery, sessions: [Int])] = []

    init(
        names: [PeerIdentifier: PeerNames] = [:], bondStore: any BondStore = MemoryBondStore(),
        scansCodedPHY: Bool = false
    ) {
        var configuration = HostConfiguration()
        configuration.suspendsForSecurity = true
        configuration.scansCodedPHY = scansCodedPHY
        sessions = HostSessions(
            host: HostStack(
                configuration: configuration, random: SeededRandom(seed: 1),
                crypto: SwiftCryptoProvider(generator: SeededRandom(seed: 2))),
            identities: PlainIdentities(), names: names, bondStore: bondStore)
    }

    /// The values of the write requests, a list for each.
    private(set) var written: [[[UInt8]]] = []

    /// The data of the reports of trains, with the sessions that got them.
    private(set) var trainReports: [(data: [UInt8], session: Int)] = []

    func takeTrainReports() -> [(data: [UInt8], session: Int)] {
        settle()
        defer { trainReports = [] }
        return trainReports
    }

    /// The published advertisers so far.
    var heard: [DiscoveredAdvertiser] = []

    /// One with a controller, on, and these central sessions.
    static func ready(
        centrals: Int..., scansCodedPHY: Bool = false, _ adjust: (ScriptedController) -> Void = { _ in }
    ) -> SessionBench {
        let bench = SessionBench(scansCodedPHY: scansCodedPHY)
        adjust(bench.controller)
        bench.attach()
        for number in centrals { bench.call { $0.openCentral(number, at: $1) } }
        bench.run(.milliseconds(5))
        _ = bench.take()
        return bench
    }

    static func peer(_ address: UInt64) -> PeerIdentifier { PeerIdentifier(high: 1, low: address) }

    func attach() { call { $0.attach(at: $1) } }

    /// A call with all its consequences.
    func call(_ body: (inout HostSessions, Instant) -> Void) {
        body(&sessions, now)
        settle()
    }

    func settle() {
        var moved = true
        var rounds = 0
        while moved {
            rounds += 1
            if rounds > 100_000 {
                Issue.record("the host and the controller send packets without end")
                return
            }
            moved = false
            var output = SessionOutput()
            sessions.takeOutput(into: &output, at: now)
            for event in output.events {
                events.append(event)
                if case .writeRequest(_, let items, _, _, _) = event {
                    written.append(
                        output.items[items].map { output.arena.copy($0.value) })
                }
                if case .periodic(.report(let data, _, _, let session)) = event {
                    trainReports.append((output.arena.copy(data), session))
                }
                if case .discovered(let number) = event {
                    let run = output.runs[number]
                    for discovery in output.discoveries[run.discoveries] {
                        discoveries.append((discovery, Array(output.sessions[run.sessions])))
                    }
                }
            }
            heard += output.heard
            if !sessions.host.output.packets.isEmpty {
                controller.receive(sessions.host.output.packets)
                sessions.host.output.packets.removeAll()
                moved = true
            }
            for packet in controller.takeOutput() {
                sessions.receive(packet.span, at: now)
                moved = true
            }
        }
    }

    /// Lets time pass, from deadline to deadline.
    func run(_ span: TimeSpan) {
        let end = now + span
        settle()
        while let next = sessions.nextDeadline, next <= end {
            now = max(now, next)
            sessions.handleTimeout(at: now)
            settle()
        }
        now = end
    }

    /// All events since the last call.
    func takeAll() -> [SessionEvent] {
        defer { events = [] }
        return events
    }

    /// Those for sessions.
    func take() -> [SessionEvent] {
        takeAll().filter {
            switch $0 {
            case .linkUp, .linkDown, .mtuChanged, .advertised, .servicesFound, .named,
                .serviceRemoved, .commandsSent,
                .updatesSent, .remember, .identityLearned, .failed, .note, .discovered:
                false
            default: true
            }
        }
    }

    func takeDiscoveries() -> [(discovery: Discovery, sessions: [Int])] {
        defer { discoveries = [] }
        return discoveries
    }

    /// Connects a session to a peer.
    func connect(_ address: UInt64, session: Int, _ options: ConnectionOptions = ConnectionOptions()) {
        call { $0.connect(Self.peer(address), options: options, session: session, at: $1) }
    }

    func cancel(_ address: UInt64, session: Int) {
        call { $0.cancelConnection(Self.peer(address), session: session, at: $1) }
    }
}
