import BLEAdapter
import BLEAttribute
import BLEHost
import BLELink
import BLESecurity
import BLEWire

/// The session layer, sans-IO: it owns a host and shares it among sessions. Its inputs are calls of sessions and the
/// time. Its outputs are events, the host's packets and the next deadline.
///
/// After each call the driver calls `processHostEvents`, handles and empties `output`, and sends and empties
/// `host.outgoing`. It repeats this until nothing is left. It calls `handleTimeout` at `nextDeadline`. The driver
/// identifies each session by a number of its choice.
package struct HostSessions: ~Copyable {
    /// The shortest time between opening a session and its first report of the adapter's state. It lets a program
    /// observe a manager that it has just created. The wait runs in parallel with the start of the controller.
    package static let firstStateDelay = TimeSpan.milliseconds(5)

    /// The host's events, moved out of the host so that their handlers can call the host.
    struct HostBatch: ~Copyable {
        var events: [HostEvent] = []
        var bytes: [UInt8] = []
        var items: [ATTWriteItem] = []
        var subscribers: [UInt32] = []
    }

    struct Session {
        let number: Int
        /// Whether the session gets changes of the adapter's state; see `firstStateDelay`.
        var isOpen = false
    }

    package var host: HostStack
    package var output = SessionOutput()
    private var spareBatch = HostBatch()
    /// The start of the current batch's octets in `output.bytes`.
    var firstByte = 0

    // Power
    package internal(set) var state = AdapterState.unknown
    /// Whether the host has a controller.
    package internal(set) var isAttached = false
    var wantsPower = true
    /// The adapter is going away. Links that end now are not reported: sessions get the state instead.
    var isGoingDown = false
    /// The number of times that the host has become ready.
    package internal(set) var timesReady = 0
    /// The adapter's state after the host has failed and the controller is not expected to return.
    package var stateOfFailure = AdapterState.unsupported

    // Sessions, in the order in which they were opened
    var centrals: [Session] = []
    var peripherals: [Session] = []

    var timers = SessionTimers()
    var peers: PeerTable
    var advertisers = AdvertiserTable()
    var scans = ScanRequests()
    var links: [Link] = []
    var requests: [PeerRequest] = []
    var operationCount: UInt32 = 0
    var services = LocalServices()
    var advertising = AdvertisingRequests()
    var clientRequests = RequestTable()
    var channels = ChannelTable()
    var pairings = PairingTable()
    let bondStore: any BondStore

    /// - Parameters:
    ///   - identities: Maps addresses to identifiers and back.
    ///   - names: The names of devices that this host was connected to in earlier runs.
    ///   - bondStore: The bonds of earlier runs, the octets kept with them, and the IRK that this host distributes.
    package init(
        host: consuming HostStack, identities: any PeerIdentification, names: [PeerIdentifier: PeerNames] = [:],
        bondStore: any BondStore = MemoryBondStore()
    ) {
        self.host = host
        self.bondStore = bondStore
        self.host.separatesCompletion = true
        for bond in bondStore.bonds { self.host.addBond(bond) }
        self.host.pairingSettings = pairings.settings(identityKey: bondStore.localIdentityKey)
        peers = PeerTable(identities, names: names)
        prepareTables()
    }

    /// Prepares the tables that a connection fills: here the program waits for its controller anyway.
    private mutating func prepareTables() {
        links.prepareStorage()
        requests.prepareStorage()
        var users: [PeerRequest.User] = []
        users.prepareStorage()
    }

    package mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        if let report = HCI.SoleAdvertisingReport(packet), host.passesReports {
            received(report, at: now)
        } else {
            host.receive(packet, at: now)
        }
    }

    /// The time at which `handleTimeout` is due; nil if no timer runs.
    package var nextDeadline: Instant? {
        var next = host.nextTimeout
        if let timer = timers.next { next = min(next ?? timer, timer) }
        if let hold = scans.holds.next { next = min(next ?? hold, hold) }
        return next
    }

    /// Handles the timers that are due. An early or a late call is allowed.
    package mutating func handleTimeout(at now: Instant) {
        if let deadline = host.nextTimeout, deadline <= now { host.handleTimeout(at: now) }
        while let task = timers.take(dueAt: now) { perform(task, at: now) }
        while let slot = scans.holds.take(dueAt: now) { reportHeld(slot) }
    }

    private mutating func perform(_ task: SessionTimers.Task, at now: Instant) {
        switch task {
        case .startConnecting(let peer, let session): startDelayElapsed(peer, session: session, at: now)
        case .useLink(let link): negotiationEnded(link, at: now)
        case .closeChannel(let channel): channelLingerElapsed(channel, at: now)
        case .reportFirstState(let session): reportFirstState(session)
        }
    }

    /// Whether the driver has events to handle. Packets do not count.
    package var hasEvents: Bool { hasHostEvents || !output.events.isEmpty || !output.heard.isEmpty }

    /// Whether the host has events. A getter of the host would be a call for each report.
    @inline(__always)
    var hasHostEvents: Bool { !host.events.isEmpty || host.completion != nil || host.read != nil }

    /// Exchanges the events with an empty output.
    package mutating func takeOutput(into other: inout SessionOutput) { swap(&output, &other) }

    /// Converts the host's events into events of sessions.
    package mutating func processHostEvents(at now: Instant) {
        while hasHostEvents { processBatch(at: now) }
    }

    private mutating func processBatch(at now: Instant) {
        let done = host.takeCompletion()
        var batch = HostBatch()
        swap(&batch, &spareBatch)
        swap(&batch.events, &host.events)
        swap(&batch.bytes, &host.eventBytes)
        swap(&batch.items, &host.eventItems)
        swap(&batch.subscribers, &host.eventSubscribers)
        firstByte = output.bytes.count
        if let done { operationCompleted(done.link, done.id, done.result) }
        var index = 0
        while index < batch.events.count {
            // The disconnections that a state change causes precede it (`HostEvent.stateChanged`).
            if case .disconnected = batch.events[index], !isGoingDown {
                isGoingDown = batch.endsEverything(after: index)
            }
            handle(batch.events.take(at: index), batch, at: now)
            index += 1
        }
        if firstByte == 0 { swap(&batch.bytes, &output.bytes) } else { output.bytes += batch.bytes }
        batch.events.empty()
        batch.bytes.empty()
        batch.items.empty()
        batch.subscribers.empty()
        swap(&batch, &spareBatch)
    }

    // MARK: Output

    mutating func emit(_ event: SessionEvent) { output.events.append(event) }

    mutating func note(_ note: SessionDiagnostic) { output.events.append(.note(note)) }

    /// Converts a range of the host's octets to a range of the output's.
    func shifted(_ range: Range<Int>) -> Range<Int> {
        range.lowerBound + firstByte..<range.upperBound + firstByte
    }

    // Searches by index: a closure would copy each link with all its arrays.
    func linkIndex(_ link: LinkIdentifier) -> Int? {
        for index in links.indices where links[index].identifier == link { return index }
        return nil
    }

    func linkIndex(_ link: LinkIdentifier, role: LinkRole) -> Int? {
        for index in links.indices where links[index].identifier == link {
            return links[index].role == role ? index : nil
        }
        return nil
    }

    func linkIndex(to peer: PeerIdentifier, role: LinkRole) -> Int? {
        for index in links.indices where links[index].role == role && peers[links[index].peer].identifier == peer {
            return index
        }
        return nil
    }

    func linkIndex(to peer: PeerKey, role: LinkRole) -> Int? {
        for index in links.indices where links[index].role == role && links[index].peer == peer { return index }
        return nil
    }
}

extension HostSessions.HostBatch {
    fileprivate func endsEverything(after index: Int) -> Bool {
        events[index...].contains {
            switch $0 {
            case .stateChanged(.off), .stateChanged(.resetting), .stateChanged(.failed): true
            default: false
            }
        }
    }
}
