import BLEAdapter
import BLEAttribute
import BLEExecution
import BLEHost
import BLEWire
import Logging

/// The host and what its sessions share. On its executor alone.
///
/// Each batch (a call, received octets, a timeout) ends with `flush`, which carries the consequences out: packets to the
/// controller, events to the sessions, the next deadline to the clock.
package final class HostCore: ExecutorOwner {
    /// What happened in the host, taken out of it, so that acting on it may call the host.
    struct EventBatch {
        var events: [HostEvent] = []
        var bytes: [UInt8] = []
        var items: [ATTWriteItem] = []

        mutating func removeAll() {
            events.empty()
            bytes.empty()
            items.empty()
        }
    }

    struct CentralSlot {
        var number: Int
        /// Whether the session hears of the adapter's state; see `firstStateDelay`.
        var isOpen = false
        weak var observer: (any CentralObserver)?
    }

    struct PeripheralSlot {
        var number: Int
        var isOpen = false
        weak var observer: (any PeripheralObserver)?
    }

    let executor: any AdapterExecutor<HostCore>
    let identities: any IdentityStore
    let board: SharedBoard
    /// For handles that call back.
    weak var adapter: HostAdapter?
    let log: Logger
    var host: HostStack
    private(set) var link: (any ControllerLink)?
    var isAttached: Bool { link != nil }
    private var spareBatch = EventBatch()

    // Power
    var state = AdapterState.unknown
    var wantsPower = true
    /// Links that end now end because the adapter goes: sessions are told of the state instead.
    var isGoingDown = false
    var timesReady = 0
    /// What sessions are told when the host has given up and the controller is not to be expected back by itself.
    var stateOfFailure = AdapterState.unsupported
    /// Called when the host has given up.
    var onFailure: ((HostFailure) -> Void)?

    // Sessions, in the order in which they were opened
    var centrals: [CentralSlot] = []
    var peripherals: [PeripheralSlot] = []

    var timers = CoreTimers()
    var scanner = Scanner()
    var connections: [PeerConnection] = []
    var operationCount: UInt32 = 0
    var publisher = Publisher()
    var advertiser = AdvertisingSchedule()
    var clients: [ClientLink] = []
    var requests = RequestTable()
    var channels = ChannelTable()

    init(
        executor: any AdapterExecutor<HostCore>, host: consuming HostStack, identities: any IdentityStore,
        board: SharedBoard
    ) {
        self.executor = executor
        self.host = host
        self.identities = identities
        self.board = board
        log = LibraryLog.logger()
    }

    var now: Instant { executor.now }

    /// Connects the host to its controller and powers it on.
    package func attach(_ link: any ControllerLink) {
        self.link = link
        isGoingDown = false
        if wantsPower {
            host.start(at: now)
        } else if host.state == .off {
            setState(.poweredOff)
        } else {
            host.powerOff(at: now)
        }
    }

    /// The controller is gone.
    func detach() {
        guard link != nil else { return }
        link?.close()
        link = nil
        isGoingDown = true
        // A host that has given up already has nothing new to say.
        if case .failed = host.state { return }
        host.transportClosed(at: now)
    }

    /// The radio was switched off from outside. As after a power-off of the user's, local services and the wish to advertise stay.
    func block() {
        if let link {
            isGoingDown = true
            // A host that is going down calls the end of its transport a power-off.
            if host.state != .off { host.powerOff(at: now) }
            link.send(host.outgoing.span)
            link.close()
            self.link = nil
            if host.state != .off { host.transportClosed(at: now) }
        } else {
            setState(.poweredOff)
        }
    }

    package func receive(_ packet: Span<UInt8>) { host.receive(packet, at: now) }

    var nextDeadline: Instant? {
        var next = host.nextTimeout
        if let timer = timers.next { next = min(next ?? timer, timer) }
        if let hold = scanner.holds.next { next = min(next ?? hold, hold) }
        return next
    }

    package func handleTimeout() {
        let now = self.now
        if let deadline = host.nextTimeout, deadline <= now { host.handleTimeout(at: now) }
        while let task = timers.take(dueAt: now) { perform(task) }
        while let place = scanner.holds.take(dueAt: now) { reportHeld(place) }
    }

    private func perform(_ task: CoreTimers.Task) {
        switch task {
        case .startConnecting(let peer, let session): startDelayElapsed(peer, session: session)
        case .useLink(let link): linkIsReady(link)
        case .closeChannel(let link, let number):
            channelLingeredLongEnough(LinkIdentifier(rawValue: link), number)
        case .tellFirstState(let session): tellFirstState(session)
        }
    }

    /// Carries out what the last call brought, until nothing is left.
    package func flush() {
        while true {
            if !host.outgoing.isEmpty {
                link?.send(host.outgoing.span)
                host.outgoing.empty()
            }
            guard !host.events.isEmpty else { break }
            processEvents()
        }
        executor.schedule(self, at: nextDeadline)
    }

    /// Reports the events of the last call to the sessions. Packets wait for `flush`.
    package func deliverEvents() {
        while !host.events.isEmpty { processEvents() }
    }

    private func processEvents() {
        var batch = spareBatch
        spareBatch = EventBatch()
        swap(&batch.events, &host.events)
        swap(&batch.bytes, &host.eventBytes)
        swap(&batch.items, &host.eventItems)
        for index in batch.events.indices {
            // A state that ends everything comes after the disconnections it caused.
            if case .disconnected = batch.events[index], !isGoingDown {
                isGoingDown = batch.endsEverything(after: index)
            }
            handle(batch.events[index], batch)
        }
        batch.removeAll()
        spareBatch = batch
    }
}

extension HostCore.EventBatch {
    fileprivate func endsEverything(after index: Int) -> Bool {
        events[index...].contains {
            switch $0 {
            case .stateChanged(.off), .stateChanged(.resetting), .stateChanged(.failed): true
            default: false
            }
        }
    }
}
