import BLEAdapter
import BLEAttribute
import BLEHost
import BLELink
import BLESecurity
import BLEWire

/// The session layer, sans-IO: it owns a host and shares it among sessions. Its inputs are calls of sessions and the
/// time. Its outputs are events, the host's packets and the next deadline.
///
/// After each call the driver takes and handles the output, and sends `packets`. It repeats
/// this until nothing is left. It calls `handleTimeout` at `nextDeadline`. The driver identifies each session by a
/// number of its choice.
///
/// Each of its machines holds the state of one purpose and decides about it. This type routes calls of sessions and events of the host to them, and
/// what one machine reports to the next.
package struct HostSessions: ~Copyable {
    /// The shortest time between opening a session and its first report of the adapter's state.
    package static let firstStateDelay = SessionRegister.firstStateDelay

    var context: SessionContext

    var power = AdapterPower()
    var register = SessionRegister()
    var scans = ScanRequests()
    var connections = ConnectionRequests()
    var operations = OperationQueues()
    var server = LocalServer()
    var advertising = AdvertisingRequests()
    var channels = ChannelTable()
    var periodic = PeriodicRequests()
    var pairings: PairingTable

    /// - Parameters:
    ///   - identities: Maps addresses to identifiers and back.
    ///   - names: The names of devices that this host was connected to in earlier runs.
    ///   - bondStore: The bonds of earlier runs, the octets kept with them, and the IRK that this host distributes.
    package init(
        host: consuming HostStack, identities: any PeerIdentification, names: [PeerIdentifier: PeerNames] = [:],
        bondStore: any BondStore = MemoryBondStore()
    ) {
        context = SessionContext(host: host, peers: PeerTable(identities, names: names))
        pairings = PairingTable(bondStore)
        context.host.output.events.separatesCompletion = true
        for bond in bondStore.bonds {
            context.host.addBond(bond, signCounters: bondStore.attributes(.signCounters, of: bond.peer))
        }
        context.host.pairingSettings = pairings.settings(identityKey: bondStore.localIdentityKey)
    }

    package var host: HostStack {
        _read { yield context.host }
        _modify { yield &context.host }
    }

    /// Takes one H4 packet of the controller (Vol 4, Part A, 2).
    ///
    /// A report that the host would pass on as it is goes to the scans at once: as an event of the host, a report to a session takes 46 % more
    /// instructions.
    package mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        if let report = HCI.SoleAdvertisingReport(packet), context.host.passesReports {
            received(report, at: now)
        } else {
            context.host.receive(packet, at: now)
        }
    }

    /// Takes a report that the host would pass on as it is. It skips the host's events, but not those that precede it.
    private mutating func received(_ report: HCI.SoleAdvertisingReport, at now: Instant) {
        if context.hostHasEvents {
            processHostEvents(at: now)
            // Without an event of a session the driver does not take the arena.
            if context.output.isEmpty { context.host.output.events.attributes.arena.removeAll() }
            guard context.host.passesReports else { return }
        }
        guard let kind = AdvertisingReport.Kind(rawValue: report.eventType) else { return }
        scans.received(
            AdvertisingReport(kind: kind, address: report.device, rssi: report.rssi, data: 0..<0), report.data,
            &context, at: now)
    }

    /// The time at which `handleTimeout` is due; nil if no timer runs.
    package var nextDeadline: Instant? {
        var next = context.host.nextTimeout
        if let timer = context.timers.next { next = min(next ?? timer, timer) }
        if let hold = scans.holds.next { next = min(next ?? hold, hold) }
        return next
    }

    /// Handles the timers that are due. An early or a late call is allowed.
    package mutating func handleTimeout(at now: Instant) {
        if let deadline = context.host.nextTimeout, deadline <= now { context.host.handleTimeout(at: now) }
        while let task = context.timers.take(dueAt: now) { perform(task, at: now) }
        scans.handleTimeout(&context, at: now)
    }

    private mutating func perform(_ task: SessionTimers.Task, at now: Instant) {
        switch task {
        case .startConnecting(let peer, let session):
            connections.startDelayElapsed(peer, session: session, &context, at: now)
        case .useLink(let link): negotiationEnded(link, at: now)
        case .closeChannel(let channel): channels.lingerElapsed(channel, &context, at: now)
        case .reportFirstState(let session): register.reportFirst(power.state, to: session, &context)
        }
    }

    // MARK: Output

    /// The packets for the controller. The driver sends them and then calls `removePackets`.
    package var packets: Span<UInt8> {
        @_lifetime(borrow self)
        get { context.host.output.packets.span }
    }

    package mutating func removePackets() { context.host.output.packets.empty() }

    /// Whether the driver has events to handle. Packets do not count.
    package var hasEvents: Bool {
        context.hostHasEvents || !context.output.events.isEmpty || !context.output.heard.isEmpty
    }

    /// Converts the host's events into events of sessions, and exchanges all with an empty output.
    package mutating func takeOutput(into other: inout SessionOutput, at now: Instant) {
        processHostEvents(at: now)
        swap(&context.output.arena, &context.host.output.events.attributes.arena)
        swap(&context.output, &other)
    }

    /// Converts the host's events into events of sessions. Octets and subscribers stay in the host's arena until `takeOutput`.
    mutating func processHostEvents(at now: Instant) {
        // The handlers call the host, which may append events.
        var index = 0
        while context.hostHasEvents {
            if let done = context.host.output.events.takeCompletion() {
                operationCompleted(done.link, done.id, done.result)
            } else if index < context.host.output.events.pending.count {
                // The disconnections that a state change causes precede it (`HostEvent.stateChanged`).
                if case .disconnected = context.host.output.events.pending[index], !power.isGoingDown,
                    context.host.output.events.pending[index...].contains(where: \.endsEverything)
                {
                    power.beginGoingDown()
                }
                let event = context.host.output.events.pending.take(at: index)
                // The last event is taken out, and the next one takes its place.
                index = min(index + 1, context.host.output.events.pending.count)
                handle(event, at: now)
            } else {
                context.host.output.events.pending.empty()
                index = 0
            }
        }
    }
}

extension HostEvent {
    /// Whether all links have ended.
    fileprivate var endsEverything: Bool {
        switch self {
        case .stateChanged(.off), .stateChanged(.resetting), .stateChanged(.failed): true
        default: false
        }
    }
}
