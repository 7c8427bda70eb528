import BLETransport
import BLEWire
import Dispatch
import TLSChannel

/// Joins one `MQTTSession` with a stream, TLS and a timer. It is used once.
///
/// Threads: everything runs on the owner's queue.
final class MQTTConnection: @unchecked Sendable {
    /// How long the last octets may take to leave at the end.
    private static let closingTime = DispatchTimeInterval.seconds(3)
    /// The octets of one read. The owner takes the messages of a read before the next one, so that an owner that is busy stops the broker.
    private static let readSize = 1 << 13

    private let queue: DispatchQueue
    private let group: PollingGroup?
    private let host: String
    private let clock = MachineClock()
    private var session: MQTTSession
    private var context: TLSContext?
    private var tls: TLSSession?
    private var connector: StreamConnector?
    private var stream: DispatchStream?
    private var timer: DeadlineTimer?
    private var deliver: (([MQTTEvent]) -> Void)?
    /// Called once, with the octets of the first message that is too long. Then nil.
    private var reportDropped: ((Int) -> Void)?
    private var isDeliveryPlanned = false
    private var isReading = true
    /// Called when the last octets have left.
    private var onEnd: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - group: Waits for the socket, on the same queue. Without one, Dispatch does.
    ///   - reportDropped: Called on the queue, at most once, with the octets of a message that was dropped because it is too long.
    ///   - deliver: Takes events in their order, on the queue and never within a method. `disconnected` is the last one.
    init(
        _ configuration: MQTTConfiguration, _ address: MQTTConfiguration.Address, on queue: DispatchQueue,
        group: PollingGroup?, reportDropped: @escaping (Int) -> Void, deliver: @escaping ([MQTTEvent]) -> Void
    ) {
        self.reportDropped = reportDropped
        (self.queue, self.group, self.deliver, host) = (queue, group, deliver, address.host)
        session = MQTTSession(configuration, at: clock.now)
        timer = DeadlineTimer(on: queue, leeway: .milliseconds(100)) { [weak self] in
            guard let self else { return }
            timer?.fired()
            session.handleTimeout(at: clock.now)
            settle()
        }
        do throws(MQTTClientError) {
            // The files are read for each connection: certificates are renewed, and OpenSSL alone knows where the system's authorities are, so no
            // date of a file says that a context is still good. The owner's pauses between attempts bound the cost.
            context = try configuration.tls?.context()
        } catch {
            session.closed(error.description)
            settle()
            return
        }
        connector = StreamConnector.connect(
            to: .tcp(host: address.host, port: UInt16(clamping: address.port)), queue: queue,
            timeout: MQTTSession.Limit.acceptance
        ) { [weak self] in self?.connected($0, address) }
        settle()
    }

    /// The identifier that the broker gave to a client without one.
    var assignedIdentifier: String? { session.assignedIdentifier }

    // MARK: Calls

    func publish(_ messages: [(message: MQTTPublication, number: UInt64)]) {
        let now = clock.now
        for (message, number) in messages { session.publish(message, number: number, at: now) }
        settle()
    }

    func subscribe(_ filter: String) {
        session.subscribe(filter, at: clock.now)
        settle()
    }

    func unsubscribe(_ filter: String) {
        session.unsubscribe(filter, at: clock.now)
        settle()
    }

    /// Ends the connection without an event.
    ///
    /// - Parameter completion: Called on the queue when the last octets have left or the time for them is over, and not within the call.
    func end(_ completion: (@Sendable () -> Void)? = nil) {
        deliver = nil
        session.disconnect()
        onEnd = completion
        connector?.cancel()
        connector = nil
        guard let stream, !stream.isClosed else { return close() }
        // The stream keeps the connection until it has written the rest.
        stream.onReceive = nil
        stream.onClose = { [self] _ in close() }
        stream.onEmpty = { [self] in flush() }
        queue.asyncAfter(deadline: .now() + Self.closingTime) { [weak self] in self?.close() }
        flush()
    }

    // MARK: The stream

    private func connected(
        _ result: Result<TransportConnection, TransportError>, _ address: MQTTConfiguration.Address
    ) {
        connector = nil
        switch result {
        case .success(let connection): open(connection)
        case .failure(let error): session.closed(Self.text(error, address))
        }
        settle()
    }

    private func open(_ connection: TransportConnection) {
        let stream = DispatchStream(connection, queue: queue, readSize: Self.readSize, group: group)
        self.stream = stream
        stream.onReceive = { [weak self] octets in
            self?.receive(octets)
            self?.handled()
        }
        stream.onClose = { [weak self] _ in
            self?.lost()
            self?.handled()
        }
        stream.onEmpty = { [weak self] in
            self?.session.wrote()
            self?.handled()
        }
        if let context {
            guard let tls = TLSSession(context, to: host) else {
                return session.closed("OpenSSL cannot check the certificate of \(host).")
            }
            self.tls = tls
            write(tls.takeOutput())
        } else {
            session.opened(at: clock.now)
        }
        stream.start()
    }

    private func receive(_ octets: Span<UInt8>) {
        if let tls { receive(octets, tls) } else { session.receive(octets, at: clock.now) }
        if let dropped = session.droppedOctets, let report = reportDropped {
            reportDropped = nil
            report(dropped)
        }
    }

    private func receive(_ octets: Span<UInt8>, _ tls: TLSSession) {
        var plain: [UInt8] = []
        let outcome = tls.receive(octets, into: &plain)
        write(tls.takeOutput())
        if tls.isEstablished { session.opened(at: clock.now) }
        if !plain.isEmpty { session.receive(plain.span, at: clock.now) }
        if outcome == .closed { lost() }
    }

    private func lost() {
        session.closed(
            session.isAccepted || context == nil ? "The connection was lost." : MQTTReasonText.tls(tls?.end))
    }

    /// Follows an event of the stream, which is no call of the owner.
    private func handled() {
        deliverNow()
        settle()
    }

    /// Gives the stream what the session wants to send, if it has written what it got before.
    private func flush() {
        guard let stream, context == nil || tls?.isEstablished == true else { return session.isEnded ? close() : () }
        while session.hasOutput, stream.queuedOctets == 0, !stream.isClosed {
            let octets = session.takeOutput()
            if let tls {
                if !tls.send(octets.span) { lost() }
                write(tls.takeOutput())
            } else {
                write(octets)
            }
            // A stream that failed has no octets either.
            if stream.queuedOctets == 0, !stream.isClosed { session.wrote() }
        }
        // The end of a session leaves after its last octets.
        if session.isEnded, stream.queuedOctets == 0 || stream.isClosed || deliver != nil { close() }
    }

    private func write(_ octets: [UInt8]) {
        guard let stream, !octets.isEmpty else { return }
        // Refused if the broker reads nothing of TLS itself. A stream that failed reports its end.
        if stream.send(octets.span) == .full { session.closed("The broker takes no octets.") }
    }

    private func close() {
        tls?.close()
        if let octets = tls?.takeOutput(), !octets.isEmpty, stream?.queuedOctets == 0 { stream?.send(octets.span) }
        stream?.close()
        connector?.cancel()
        timer?.cancel()
        (tls, stream, connector, timer) = (nil, nil, nil, nil)
        if let onEnd { queue.async(execute: onEnd) }
        onEnd = nil
    }

    // MARK: After each change of the session

    private func settle() {
        flush()
        planDelivery()
        if session.wantsInput != isReading {
            isReading = session.wantsInput
            if isReading { stream?.resume() } else { stream?.pause() }
        }
        timer?.advance(to: session.deadline, at: clock.now)
    }

    /// Delivers events outside of the owner's calls.
    private func planDelivery() {
        guard session.hasEvents, !isDeliveryPlanned else { return }
        isDeliveryPlanned = true
        queue.async { [self] in
            isDeliveryPlanned = false
            deliverNow()
        }
    }

    private func deliverNow() {
        let events = session.takeEvents()
        if !events.isEmpty { deliver?(events) }
    }

    private static func text(_ error: TransportError, _ address: MQTTConfiguration.Address) -> String {
        switch error.kind {
        case .unknownHost: "The name of the host is unknown: \(address.host)."
        case .refused: "No broker listens at \(address): the connection was refused."
        case .timedOut: "\(address) cannot be reached: check that the broker is up and no firewall is between."
        default: error.description
        }
    }
}
