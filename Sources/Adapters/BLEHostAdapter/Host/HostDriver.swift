import BLEAdapter
import BLEHost
import BLESecurity
import BLESessions
import BLEWire
import Logging

/// Runs the session layer of one host on its executor. It passes calls and packets to the session layer, calls the
/// observers with the events, publishes the snapshot, and creates the objects that programs hold (channel handles,
/// confirmations).
///
/// Each step of the executor ends with `flush`: packets go to the controller, events to the observers, and the next deadline to the
/// clock. All members belong to the executor.
package final class HostDriver: ExecutorOwner {
    // Classes, because copies of a weak reference are expensive.
    private final class CentralEntry {
        let number: Int
        weak var observer: (any CentralObserver)?
        init(_ number: Int, _ observer: any CentralObserver) {
            self.number = number
            self.observer = observer
        }
    }

    private final class PeripheralEntry {
        let number: Int
        weak var observer: (any PeripheralObserver)?
        init(_ number: Int, _ observer: any PeripheralObserver) {
            self.number = number
            self.observer = observer
        }
    }

    private final class PairingEntry {
        let number: Int
        weak var observer: (any PairingObserver)?
        init(_ number: Int, _ observer: any PairingObserver) {
            self.number = number
            self.observer = observer
        }
    }

    /// Empty storage, which keeps its capacity. It is out of its property while a step uses it.
    struct Spare: ~Copyable {
        var output = SessionOutput()
        var commands = WriteCommandBatch()
        var octets: [UInt8] = []
        var values = ValueRun()
    }

    let executor: any AdapterExecutor<HostDriver>
    let store: any IdentityStore
    let snapshot: AdapterSnapshot
    let admission: TransmitAdmission
    /// The target of calls from handles.
    weak var adapter: HostAdapter?
    package let log: Logger
    // `@exclusivity(unchecked)`, here and below: each packet or event uses the property, and only the executor does.
    @exclusivity(unchecked) var sessions: HostSessions
    @exclusivity(unchecked) private(set) var link: (any ControllerLink)?
    package var isAttached: Bool { link != nil }
    @exclusivity(unchecked) var spare = Spare()
    /// Whether the code that runs is an observer's, which may use `sessions`: nothing is changing it.
    @exclusivity(unchecked) private var isReporting = false
    /// Called when the host has failed.
    package var onFailure: ((HostError) -> Void)?
    /// Receives the sentences about failures that the log would get, and whether the host resets the controller; nil for the log.
    package var onFailureNote: ((_ sentence: String, _ isReset: Bool) -> Void)?
    /// Called before a session gets the state `.poweredOn`.
    package var onPower: (() -> Void)?

    // In the order in which the sessions were opened
    @exclusivity(unchecked) private var centrals: [CentralEntry] = []
    @exclusivity(unchecked) private var peripherals: [PeripheralEntry] = []
    private var pairings: [PairingEntry] = []
    var periodics: [PeriodicEntry] = []
    var channels: [ChannelEndpoint] = []

    init(
        executor: any AdapterExecutor<HostDriver>, host: consuming HostStack, store: any IdentityStore,
        bonds: any BondStore, log: Logger, snapshot: AdapterSnapshot, admission: TransmitAdmission
    ) {
        self.executor = executor
        self.store = store
        self.snapshot = snapshot
        self.admission = admission
        sessions = HostSessions(
            host: host, identities: store, names: store.knownNames, bondStore: bonds)
        snapshot.setBonds(sessions.bondRecords)
        self.log = log
    }

    package var now: Instant { executor.now }

    // MARK: The controller

    /// Connects the host to its controller and powers it on.
    package func attach(_ link: any ControllerLink) {
        self.link = link
        sessions.attach(at: now)
    }

    /// Takes the loss of the controller.
    package func detach() {
        guard let link else { return }
        link.close()
        self.link = nil
        sessions.detach(at: now)
    }

    /// Takes the switch-off of the radio from outside.
    package func block() {
        sessions.prepareToBlock(at: now)
        if let link {
            sendPackets()
            link.close()
            self.link = nil
        }
        sessions.block(at: now)
    }

    package var state: AdapterState { sessions.state }
    /// The number of times that the host has become ready.
    package var timesReady: Int { sessions.timesReady }
    /// The adapter's state after the host has failed.
    package var stateOfFailure: AdapterState {
        get { sessions.stateOfFailure }
        set { sessions.stateOfFailure = newValue }
    }
    package func setState(_ state: AdapterState) { sessions.setState(state) }

    // MARK: Steps

    package func receive(_ packet: Span<UInt8>) { sessions.receive(packet, at: now) }

    /// Does the same at a known time.
    package func receive(_ packet: Span<UInt8>, at now: Instant) { sessions.receive(packet, at: now) }

    /// Takes the Write Commands that the sessions have queued.
    func sendWriteCommands() {
        var batch = WriteCommandBatch()
        swap(&batch, &spare.commands)
        admission.takeCommands(into: &batch)
        sessions.write(batch, at: now)
        batch.removeAll()
        swap(&batch, &spare.commands)
    }

    package func handleTimeout() { sessions.handleTimeout(at: now) }

    /// Handles events and packets until nothing is left.
    package func flush() {
        repeat {
            sendPackets()
            deliverEvents()
        } while !sessions.packets.isEmpty
        executor.schedule(self, at: sessions.nextDeadline)
    }

    private func sendPackets() {
        guard !sessions.packets.isEmpty else { return }
        link?.send(sessions.packets)
        sessions.removePackets()
    }

    /// Calls the observers with the events of the last call. Packets wait for `flush`.
    package func deliverEvents() {
        if sessions.hasEvents { deliverAllEvents() }
    }

    private func deliverAllEvents() {
        repeat {
            if deliverCompletion() { continue }
            var output = SessionOutput()
            swap(&output, &spare.output)
            sessions.takeOutput(into: &output, at: now)
            if !output.heard.isEmpty { snapshot.setAdvertisers(output.heard) }
            var index = 0
            while index < output.events.count {
                let next = deliverValues(from: index, output)
                if next == index {
                    handle(output.events.take(at: index), output)
                    index += 1
                } else {
                    index = next
                }
            }
            output.removeAll()
            swap(&output, &spare.output)
        } while sessions.hasEvents
    }

    /// Calls the observer of the end of an operation if that is the only event.
    private func deliverCompletion() -> Bool {
        if deliverRead() { return true }
        guard let done = sessions.takeSoleCompletion() else { return false }
        report { central(done.session)?.completed(done.operation, of: done.peer, done.result) }
        return true
    }

    /// The same for a read whose value is in the arena.
    private func deliverRead() -> Bool {
        var octets: [UInt8] = []
        swap(&octets, &spare.octets)
        let done = sessions.takeSoleRead(into: &octets)
        if let done {
            report {
                central(done.session)?.read(octets.span.extracting(done.value), of: done.handle, from: done.peer)
            }
            octets.empty()
        }
        swap(&octets, &spare.octets)
        return done != nil
    }

    /// Calls an observer of a request or of the end of an operation. Its answer or its next operation may run at once (`runWithinReport`).
    func report(_ body: () -> Void) {
        isReporting = true
        body()
        isReporting = false
    }

    /// Runs a call that an observer makes within `report`. Returns false, without effect, at any other time, also within such a call: it may
    /// reach a program's log handler.
    package func runWithinReport(_ call: (HostDriver) -> Void) -> Bool {
        guard isReporting else { return false }
        isReporting = false
        call(self)
        isReporting = true
        return true
    }

    // MARK: Sessions

    func openCentral(_ number: Int, _ observer: any CentralObserver) {
        centrals.append(CentralEntry(number, observer))
        sessions.openCentral(number, at: now)
    }

    func openPeripheral(_ number: Int, _ observer: any PeripheralObserver) {
        peripherals.append(PeripheralEntry(number, observer))
        sessions.openPeripheral(number, at: now)
    }

    func closeCentral(_ number: Int) {
        centrals.removeAll { $0.number == number }
        sessions.closeCentral(number, at: now)
    }

    func closePeripheral(_ number: Int) {
        peripherals.removeAll { $0.number == number }
        sessions.closePeripheral(number, at: now)
        admission.forget(number)
    }

    func central(_ session: Int) -> (any CentralObserver)? {
        for entry in centrals where entry.number == session { return entry.observer }
        return nil
    }

    func peripheral(_ session: Int) -> (any PeripheralObserver)? {
        for entry in peripherals where entry.number == session { return entry.observer }
        return nil
    }

    func forEachPeripheral(_ body: (any PeripheralObserver) -> Void) {
        for entry in peripherals { if let observer = entry.observer { body(observer) } }
    }

    func openPairing(_ number: Int, _ observer: any PairingObserver) {
        pairings.append(PairingEntry(number, observer))
    }

    func closePairing(_ number: Int) {
        pairings.removeAll { $0.number == number }
        sessions.setAgent(nil, session: number, at: now)
    }

    func pairing(_ session: Int) -> (any PairingObserver)? {
        for entry in pairings where entry.number == session { return entry.observer }
        return nil
    }

    func forEachPairing(_ body: (any PairingObserver) -> Void) {
        for entry in pairings { if let observer = entry.observer { body(observer) } }
    }
}
