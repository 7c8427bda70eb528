import BLEAdapter
import BLETransport
import BLEWire
import Dispatch
import DurableQueue
import Foundation
import MQTTClient
import Synchronization

/// The reason why a cloud gateway cannot start, in sentences for people.
package struct CloudStartError: Error, CustomStringConvertible {
    package let description: String
}

/// Drives a `CloudSession` and its outbox with an adapter, a broker, a clock and a folder.
///
/// `@unchecked Sendable`: everything runs on the queue given. Call the methods there.
package final class CloudGateway: @unchecked Sendable {
    /// What a gateway tells its program.
    package enum Event: Sendable {
        case brokerConnected(MQTTConfiguration.Address)
        case brokerDisconnected(reason: String)
        case subscriptionRefused(filter: String, reason: String)
        case publicationRefused(reason: String)
        case queueFailed(DurableQueueError)
        case stopped
    }

    /// Called on the queue.
    package var onEvent: ((Event) -> Void)?
    /// Called on the queue for each message of the outbox that the broker acknowledged, with the time since its publication.
    package var onAcknowledgement: ((TimeSpan) -> Void)?
    package private(set) var session: CloudSession
    package private(set) var outbox: Outbox<DurableQueue>
    /// Events of the adapter that came too fast.
    private var dropped = (advertisements: 0, values: 0)

    private let store: DurableQueue
    private let adapter: any BluetoothAdapter
    private let queue: DispatchQueue
    /// Whether this is one of many gateways in the program, which use the same threads.
    private let sharesThreads: Bool
    private var client: (any CloudBroker)?
    private var central: (any CentralSession)?
    private var inbox: CloudInbox?
    private var timer: DeadlineTimer!
    private var synchronization: (any DispatchSourceTimer)?
    private var flushRequest = FlushRequest()
    /// Waits for the broker; nil in a program with many gateways.
    private var polling: PollingGroup?
    private var reports = CloudReports()
    private let clock: @Sendable () -> Instant

    /// Messages that wait for the broker reach the disk this often, in seconds.
    private static let synchronizationInterval = 5
    /// The host gives packets this long to arrive before it reads them, while there is no link: a wait and a read for each advertisement
    /// would cost more than the rest of its way.
    private static let readDelayMicroseconds: UInt32 = 5000
    /// In a program with many gateways, advertisements wait this long for others instead.
    private static let gatheringMicroseconds = 4000

    /// - Parameters:
    ///   - broker: Where the broker is. The gateway adds its last will.
    ///   - folder: The folder of the queue.
    ///   - sharesThreads: Whether the gateway is one of many in the process, which has no thread for each.
    package convenience init(
        adapter: any BluetoothAdapter, configuration: CloudConfiguration, broker: MQTTConfiguration, folder: String,
        limits: DurableQueue.Limits, queue: DispatchQueue, sharesThreads: Bool = false
    ) throws(CloudStartError) {
        let clock = MachineClock()
        try self.init(
            adapter: adapter, configuration: configuration, broker: broker, folder: folder, limits: limits,
            queue: queue, sharesThreads: sharesThreads, clock: { clock.now }
        ) { (configuration, handler) throws(MQTTClientError) in
            try MQTTClient(configuration, on: queue, handler: handler)
        }
    }

    /// - Parameter makeClient: Makes the client of the broker, which calls its handler on the queue.
    init(
        adapter: any BluetoothAdapter, configuration: CloudConfiguration, broker: MQTTConfiguration, folder: String,
        limits: DurableQueue.Limits, queue: DispatchQueue, sharesThreads: Bool,
        clock: @escaping @Sendable () -> Instant,
        makeClient: (
            MQTTConfiguration, _ handler: @escaping @Sendable (MQTTEvent) -> Void
        ) throws(MQTTClientError) -> any CloudBroker
    ) throws(CloudStartError) {
        guard let identification = adapter.peerIdentification else {
            throw CloudStartError(
                description: "The adapter does not know the addresses of devices, which the gateway publishes.")
        }
        (self.adapter, self.queue, self.sharesThreads) = (adapter, queue, sharesThreads)
        self.clock = clock
        let topics = try Self.topics(configuration)
        do throws(DurableQueueError) {
            store = try DurableQueue(folder: folder, limits: limits)
            let name = try QueueName.load(folder)
            outbox = Outbox(store, queueName: name, rate: configuration.publicationRate)
            var configuration = configuration
            configuration.brokerCount = broker.addresses.count
            session = CloudSession(
                configuration, topics: topics, queueName: name, seed: .random(in: 0 ... .max),
                identify: { identification.identifier(for: $0) })
        } catch {
            throw CloudStartError(description: "The queue cannot be opened: \(error)")
        }
        timer = DeadlineTimer(on: queue) { [weak self] in self?.handleTimeout() }
        var broker = broker
        broker.will = CloudSession.will(session.topics)
        do throws(MQTTClientError) {
            client = try makeClient(broker) { [weak self] event in self?.handle(event) }
        } catch {
            throw CloudStartError(description: error.description)
        }
    }

    /// Begins to scan and to connect to the broker.
    package func run() {
        if !sharesThreads {
            // Without the thread, which a system can refuse, the connection uses those of Dispatch.
            polling = try? PollingGroup(queue: queue) { [weak self] serveStreams in
                guard let self else { return nil }
                serveBroker(serveStreams)
                return .unlimited
            }
            client?.pollingGroup = polling
        }
        // The scheduler drains the inbox once for all packets of a step.
        let scheduler = adapter.callbackScheduler
        let inbox = CloudInbox { [weak self, queue, sharesThreads] isUrgent in
            let drain: @Sendable () -> Void = { [weak self] in self?.drain() }
            if !isUrgent, sharesThreads {
                queue.asyncAfter(deadline: .now() + .microseconds(Self.gatheringMicroseconds), execute: drain)
            } else if !isUrgent, let scheduler {
                scheduler.scheduleCallback(drain, on: queue)
            } else {
                queue.async(execute: drain)
            }
        }
        self.inbox = inbox
        central = adapter.openCentral(observer: inbox)
        let synchronization = DispatchSource.makeTimerSource(queue: queue)
        synchronization.setEventHandler { [weak self] in self?.synchronize() }
        synchronization.schedule(
            deadline: .now() + .seconds(Self.synchronizationInterval),
            repeating: .seconds(Self.synchronizationInterval), leeway: .milliseconds(500))
        synchronization.resume()
        self.synchronization = synchronization
        session.start(at: now)
        carryOut()
    }

    /// Tells the broker that the gateway is offline. `Event.stopped` follows within 3 s.
    package func stop() {
        session.stop(at: now, time: Self.time)
        carryOut()
    }

    package var droppedAdvertisements: Int { dropped.advertisements }
    package var droppedValues: Int { dropped.values }
    package var queueLosses: DurableQueue.Losses { store.losses }
    package var queueOctets: Int { store.octets }

    // MARK: Events

    private func handle(_ event: MQTTEvent) {
        switch event {
        case .connected:
            session.brokerConnected(at: now)
            outbox.connected(at: now)
            if let address = client?.address { onEvent?(.brokerConnected(address)) }
        case .disconnected(let reason):
            let before = session.brokerFailure
            outbox.disconnected()
            session.brokerDisconnected(reason, at: now)
            if before != reason { onEvent?(.brokerDisconnected(reason: reason)) }
        case .received(let message): session.brokerReceived(message, at: now)
        case .published(let number, let refusal):
            if number & CloudSession.numberBit != 0 {
                session.brokerPublished(number)
                if let refusal { report(refusal: refusal) }
            } else {
                let span = outbox.published(number, refusal: refusal, at: now)
                if let span, refusal == nil { onAcknowledgement?(span) }
            }
            return scheduleFlush()
        case .postponed(let number, let reason):
            if number & CloudSession.numberBit != 0 {
                session.brokerPostponed(number)
                report(refusal: reason)
            } else {
                outbox.postponed(number, reason: reason)
            }
            return scheduleFlush()
        case .subscribed(let filter, let refusal):
            if let refusal { onEvent?(.subscriptionRefused(filter: filter, reason: refusal)) }
        }
        carryOut()
    }

    private func report(refusal: String) {
        guard reports.isNew(refusal: refusal) else { return }
        onEvent?(.publicationRefused(reason: refusal))
    }

    /// Runs on the thread of `polling`: what the broker sent, and one flush for all of it.
    private func serveBroker(_ serveStreams: () -> Void) {
        flushRequest.beginServingBroker()
        serveStreams()
        flushRequest.endServingBroker()
        flush()
    }

    /// Events that wait in the queue come first, so that one flush serves them all.
    private func scheduleFlush() {
        guard flushRequest.request() else { return }
        queue.async { [weak self] in self?.flush() }
    }

    private func flush() {
        if flushRequest.take() { carryOut() }
    }

    private func drain() {
        guard let content = inbox?.take() else { return }
        dropped.advertisements += content.droppedAdvertisements
        dropped.values += content.droppedValues
        let now = self.now
        let time = Self.time
        for event in content.events {
            switch event {
            case .state(let state): session.adapterStateChanged(state, time: time)
            case .discovered(let discovery): session.discovered(discovery, at: now, time: time)
            case .connected(let peer): session.linkConnected(peer, at: now, time: time)
            case .ended(let peer, let reason): session.linkEnded(peer, reason, time: time)
            case .completed(let peer, let result): session.completed(peer, at: now, result)
            case .value(let peer, let handle, let value):
                session.received(value, handle: handle, from: peer, time: time)
            }
        }
        carryOut()
    }

    // MARK: Actions

    private func carryOut() {
        let now = self.now
        while !session.actions.isEmpty {
            let actions = session.actions
            session.actions.removeAll(keepingCapacity: true)
            for action in actions { carryOut(action, at: now) }
        }
        outbox.commit()
        if !outbox.publications.isEmpty {
            client?.publish(outbox.publications)
            outbox.publications.removeAll(keepingCapacity: true)
        }
        setReadDelay()
        session.queuedCount = outbox.count
        if let refusal = outbox.refusal { report(refusal: refusal) }
        if let failure = reports.newFailure(outbox.failure) { onEvent?(.queueFailed(failure)) }
        schedule()
    }

    /// An answer of a device must not wait, so packets wait only while there is no link. The delay is one for the process: a gateway among
    /// many leaves it alone.
    private func setReadDelay() {
        guard !sharesThreads else { return }
        let isIdle = session.linkCount == 0 && session.adapter == .poweredOn && session.broker != .stopped
        PollingThread.readDelay.store(isIdle ? Self.readDelayMicroseconds : 0, ordering: .relaxed)
    }

    private func carryOut(_ action: CloudAction, at now: Instant) {
        switch action {
        case .connectBroker: client?.connect()
        case .disconnectBroker:
            // `finish` disconnects and waits.
            if session.broker != .stopped { client?.disconnect() }
            outbox.disconnected()
        case .subscribe(let filter): client?.subscribe(filter)
        case .publish(let message, let number): client?.publish([(message, number)])
        case .store(let topic, let payload): outbox.append(topic: topic, payload, at: now)
        case .adapter(let command): carryOut(command)
        case .finish: finish()
        }
    }

    private func carryOut(_ command: CloudAdapterCommand) {
        guard let central else { return }
        switch command {
        case .startScan: central.startScan(ScanRequest(allowDuplicates: true))
        case .stopScan: central.stopScan()
        case .connect(let peer): central.connect(peer, options: ConnectionOptions())
        case .cancelConnection(let peer): central.cancelConnection(peer)
        case .submit(let operation, let peer): central.submit(operation, to: peer)
        case .writeCommand(let value, let handle, let peer, let number):
            let isAccepted = central.canWriteCommand(to: peer)
            if isAccepted { _ = central.writeCommand(value.span, handle: handle, to: peer) }
            session.wroteCommand(number, isAccepted: isAccepted)
        }
    }

    private func finish() {
        synchronize(waits: true)
        timer.cancel()
        synchronization?.cancel()
        (synchronization, central, inbox, polling) = (nil, nil, nil, nil)
        client?.pollingGroup = nil
        // The process may end after the event, and the broker must not take that for a loss.
        client?.disconnect { [weak self] in self?.reportStop() }
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in self?.reportStop() }
    }

    private func reportStop() {
        if reports.stop() { onEvent?(.stopped) }
    }

    /// - Parameter waits: Whether the messages are on the disk when the call returns.
    private func synchronize(waits: Bool = false) {
        outbox.commit()
        guard outbox.count > 0 else { return }
        do throws(DurableQueueError) {
            if waits { try store.synchronize() } else { try store.beginToSynchronize() }
        } catch {
            onEvent?(.queueFailed(error))
        }
    }

    // MARK: Time

    private func schedule() {
        guard session.broker != .stopped else { return }
        let deadline = [session.deadline, outbox.deadline, outbox.nextPublication].compactMap(\.self).min()
        timer.set(deadline, at: now)
    }

    /// Called by the timer.
    func handleTimeout() {
        timer.fired()
        let now = self.now
        if let deadline = outbox.deadline, deadline <= now {
            let reason = "The broker acknowledged nothing for 30 s."
            session.abandonBroker(reason, at: now)
            onEvent?(.brokerDisconnected(reason: reason))
        }
        outbox.handleTimeout(at: now)
        session.handleTimeout(at: now, time: Self.time)
        carryOut()
    }

    private var now: Instant { clock() }

    /// Milliseconds since 1970.
    private static var time: Int64 { MachineClock.date / 1_000_000 }
}

extension CloudGateway {
    private static func topics(_ configuration: CloudConfiguration) throws(CloudStartError) -> CloudTopics {
        do throws(MQTTClientError) {
            return try CloudTopics(prefix: configuration.prefix, name: configuration.name)
        } catch {
            throw CloudStartError(description: error.description)
        }
    }
}
