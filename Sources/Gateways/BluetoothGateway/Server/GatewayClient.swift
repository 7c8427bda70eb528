import BLEAdapter
import BLETransport
import BLEWire
import ESPHomeAPI

/// One connection to the gateway: its stream, its session of the adapter, and the `GatewaySession` between both. The session of the
/// adapter begins when the greeting is done.
///
/// Threads: all methods run on the gateway's scheduler. `AdapterInbox` brings the adapter's events to it.
final class GatewayClient: @unchecked Sendable {
    /// The octets that wait for the client's network before advertisements are dropped, and before notifications are.
    static let advertisementBacklog = 256 * 1024
    static let notificationBacklog = 1 << 19
    /// The octets before the gateway reads no more requests of the client.
    static let requestBacklog = 512 * 1024

    private let server: GatewayServer
    private let stream: any ByteStream
    private var session: GatewaySession
    private var inbox: AdapterInbox!
    /// Nil before the greeting is done.
    private var central: (any CentralSession)?
    private var pairing: (any PairingSession)?
    private let adapter: any BluetoothAdapter
    /// Peers whose buffer for write commands is full. The client's requests wait.
    private var fullPeers: Set<PeerIdentifier> = []
    private var isPaused = false
    private var outgoing: [UInt8] = []
    private var received = AdapterInbox.Content()
    private(set) var isClosed = false
    /// What all connections of one machine have in common; nil if the stream does not tell.
    let machine: [UInt8]?

    init(
        _ stream: any ByteStream, server: GatewayServer, adapter: any BluetoothAdapter, session: GatewaySession
    ) {
        self.stream = stream
        self.server = server
        self.adapter = adapter
        self.session = session
        if case .tcp(let host, _)? = try? TransportAddress(parsing: stream.name) {
            machine = NumericAddress.octets(of: host).map(NumericAddress.machine)
        } else {
            machine = nil
        }
        let scheduler = server.scheduler
        inbox = AdapterInbox { [weak self] in scheduler.submit { [weak self] in self?.drain() } }
    }

    func start() {
        stream.onReceive = { [weak self] octets in self?.receive(octets) }
        stream.onClose = { [weak self] reason in self?.close("\(reason)") }
        stream.onDrain = { [weak self] in self?.resumeIfPossible() }
        stream.onEmpty = { [weak self] in self?.resumeIfPossible() }
        stream.start()
    }

    /// Whether the greeting is done and the server has room.
    var isAdmitted: Bool { central != nil }
    var name: String { stream.name }

    // MARK: The client's octets

    private func receive(_ octets: Span<UInt8>) {
        let now = server.scheduler.now
        session.connection.receive(octets, at: now)
        do throws(APIError) {
            while let message = try next() {
                var failure: APIError?
                session.withSlots(&server.slots) { session in
                    do throws(APIError) {
                        try session.handle(message, at: now)
                    } catch {
                        failure = error
                    }
                }
                if let failure { throw failure }
                carryOut()
            }
            flush()
        } catch {
            flush()
            close(error.description)
        }
    }

    /// Returns the next request of the client, and begins its session of the adapter when the greeting is done.
    private func next() throws(APIError) -> IncomingMessage? {
        let message = try session.connection.next()
        if central == nil, session.connection.isReady {
            guard server.admits(self) else {
                close("the gateway has \(GatewayServer.clientLimit) clients already")
                return nil
            }
            central = adapter.openCentral(observer: inbox)
        }
        return message
    }

    /// Carries out the commands of the session.
    private func carryOut() {
        while !session.commands.isEmpty {
            let commands = session.commands
            session.commands.removeAll(keepingCapacity: true)
            for command in commands { carryOut(command) }
        }
        server.tellSlots(if: &session.slotsChanged)
    }

    private func carryOut(_ command: GatewayCommand) {
        guard let central else { return }
        switch command {
        case .startScan: central.startScan(ScanRequest(allowDuplicates: true))
        case .stopScan: central.stopScan()
        case .connect(let peer): central.connect(peer, options: ConnectionOptions())
        case .cancelConnection(let peer):
            fullPeers.remove(peer)
            central.cancelConnection(peer)
        case .submit(let operation, let peer): central.submit(operation, to: peer)
        case .writeCommand(let value, let handle, let peer):
            if !central.writeCommand(value.span, handle: handle, to: peer),
                central.maximumTransmissionUnit(of: peer) != nil
            {
                // The flush that follows pauses the stream.
                fullPeers.insert(peer)
            }
        case .pair(let peer): pairingSession().pair(peer, minimum: .unauthenticated)
        case .unpair(let peer): pairingSession().unpair(peer)
        }
    }

    private func pairingSession() -> any PairingSession {
        if let pairing { return pairing }
        let session = adapter.openPairing(observer: inbox)
        pairing = session
        return session
    }

    // MARK: The adapter's events

    private var backlog: Int { stream.queuedOctets + session.connection.outgoingCount }

    private func drain() {
        guard !isClosed else { return }
        inbox.take(&received)
        server.counts.droppedAdvertisements += received.droppedAdvertisements
        server.counts.droppedValues += received.droppedValues
        for event in received.events { handle(event) }
        sendAdvertisements()
        carryOut()
        resumeIfPossible()
        flush()
    }

    private func handle(_ event: AdapterInbox.Event) {
        switch event {
        case .value(let peer, let handle, let range):
            let octets = received.octets
            switch session.received(
                octets.span.extracting(range), handle: handle, from: peer,
                limit: Self.notificationBacklog - stream.queuedOctets)
            {
            case .unwanted: break
            case .dropped: server.counts.droppedValues += 1
            case .sent(let waiting):
                server.counts.values += 1
                // A batch of values leaves in portions, so that the bound of the stream applies.
                if waiting > 64 * 1024 { flush() }
            }
        case .completed(let peer, let result):
            let mtu = central?.maximumTransmissionUnit(of: peer) ?? 23
            session.withSlots(&server.slots) { $0.completed(peer, result, mtu: mtu) }
        case .state(let state):
            if state != .poweredOn { fullPeers = [] }
            session.withSlots(&server.slots) { $0.adapterStateChanged(state) }
        case .connected(let peer): session.withSlots(&server.slots) { $0.connected(peer) }
        case .connectionFailed(let peer, let failure):
            session.withSlots(&server.slots) { $0.connectionFailed(peer, failure) }
        case .disconnected(let peer, let end):
            fullPeers.remove(peer)
            session.withSlots(&server.slots) { $0.disconnected(peer, end) }
        case .readyForWriteCommands(let peer): fullPeers.remove(peer)
        case .paired(let peer, let result): session.pairingCompleted(peer, result)
        }
    }

    private func sendAdvertisements() {
        guard received.advertisementCount > 0, session.isScanning else { return }
        guard backlog < Self.advertisementBacklog else {
            server.counts.droppedAdvertisements += received.advertisementCount
            return
        }
        server.counts.advertisements += received.advertisementCount
        let batch = received.advertisements.octets
        session.connection.send(AdvertisementBatch.batchType) { $0.octets.append(contentsOf: batch) }
    }

    // MARK: The stream

    private func flush() {
        guard !isClosed else { return }
        let failure = session.connection.takeOutgoing(&outgoing)
        if !outgoing.isEmpty, stream.send(outgoing.span) == .full { return close(APIError.backlog.description) }
        if let failure { return close(failure.description) }
        pauseIfNeeded()
    }

    private func pauseIfNeeded() {
        guard !isPaused, !isClosed, !fullPeers.isEmpty || stream.queuedOctets > Self.requestBacklog else { return }
        isPaused = true
        stream.pause()
    }

    private func resumeIfPossible() {
        guard isPaused, fullPeers.isEmpty, stream.queuedOctets <= Self.requestBacklog / 2 else { return }
        isPaused = false
        stream.resume()
    }

    func tellSlots(_ slots: ConnectionSlots) {
        var slots = slots
        session.withSlots(&slots) { $0.reportSlots() }
        flush()
    }

    // MARK: Time and end

    func handleTimeout(at now: Instant) {
        guard !isClosed else { return }
        do throws(APIError) {
            // A client that cannot send, because its requests wait, is not silent.
            if !isPaused { try session.connection.handleTimeout(at: now) }
            if let deadline = session.deadline, deadline <= now {
                session.withSlots(&server.slots) { $0.handleTimeout(at: now) }
                carryOut()
            }
            flush()
        } catch {
            close(error.description)
        }
    }

    /// Asks the client to close, and closes.
    func disconnect() {
        session.connection.disconnect()
        flush()
        close("the gateway ends")
    }

    func close(_ reason: String) {
        guard !isClosed else { return }
        isClosed = true
        let wasAdmitted = isAdmitted
        session.withSlots(&server.slots) { $0.close() }
        carryOut()
        central = nil
        pairing = nil
        stream.close()
        server.ended(self, reason, wasAdmitted: wasAdmitted)
    }
}
