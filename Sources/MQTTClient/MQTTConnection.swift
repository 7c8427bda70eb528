import BLEAdapter
import BLETransport
import Dispatch
import Foundation

/// One connection to a broker: a client of libmosquitto that is used once. All calls of the library and all its callbacks run on the
/// connection's queue, so the library needs no thread of its own.
final class MQTTConnection: @unchecked Sendable {
    // `@unchecked Sendable`: everything but the locks is used on `queue`.

    private let library: MosquittoLibrary
    private let configuration: MQTTConfiguration
    private let address: MQTTConfiguration.Address
    private let queue: DispatchQueue
    private let isEnded = Lock(false)
    /// Whether the broker has accepted the client. From then on no call of the library blocks.
    private let isAccepted = Lock(false)
    private var send: (@Sendable ([MQTTEvent]) -> Void)?
    /// The events of the present call, which reach the owner together.
    private var events: [MQTTEvent] = []
    private var client: MosquittoLibrary.Client?
    /// The library closes its own descriptor of the socket before the watch ends.
    private var socket: Descriptor?
    private var watch: (any StreamWatch)?
    private var timer: (any DispatchSourceTimer)?
    private var isWriting = false
    private var isReading = true
    /// Whether the events of the present call go to the owner when it returns.
    private var isCollecting = false
    /// The octets of messages that the owner has not taken.
    private var undelivered = 0
    /// The numbers of publications and the filters of subscriptions that the broker has not answered, by packet identifier.
    private var numbers: [Int32: UInt64] = [:]
    private var filters: [Int32: String] = [:]
    /// The publication within the call of `publish`, which the library can complete before it returns.
    private var current: UInt64?
    /// The broker's reason, and the last error that the library logged.
    private var reason: String?
    private var logged: String?

    /// Packets that one call of the library reads or writes.
    private static let batch: Int32 = 64
    /// The connection reads nothing while more octets than this wait for the owner.
    private static let undeliveredLimit = 4 << 20

    init(
        _ library: MosquittoLibrary, _ configuration: MQTTConfiguration, _ address: MQTTConfiguration.Address,
        target: DispatchQueue? = nil
    ) {
        (self.library, self.configuration, self.address) = (library, configuration, address)
        queue = DispatchQueue(label: "mqtt.connection", target: target)
    }

    /// The queue's work retains the connection until it ends.
    ///
    /// - Parameter send: Takes events in their order.
    func start(_ send: @escaping @Sendable ([MQTTEvent]) -> Void) {
        queue.async {
            self.send = send
            self.open()
        }
    }

    /// Ends the connection without an event.
    ///
    /// - Parameter completion: Called on the connection's queue after the end.
    func end(_ completion: (@Sendable () -> Void)? = nil) {
        isEnded.withLock { $0 = true }
        queue.async {
            self.send = nil
            if let client = self.client { _ = self.library.disconnect(client) }
            self.close()
            completion?()
        }
    }

    // MARK: The beginning and the end

    private func open() {
        guard !isEnded.withLock({ $0 }) else { return }
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        client = library.new(configuration.clientIdentifier, configuration.sessionExpiry == nil, pointer)
        guard let client else { return fail("libmosquitto refused the client identifier.") }
        if let problem = configure(client) { return fail(problem) }
        setCallbacks(client)
        var properties: MosquittoLibrary.Properties?
        if configuration.version == .v5 {
            // A broker that keeps to the specification drops larger packets (MQTT 5.0, 3.1.2.11.4). From another one the library reserves the
            // size that a packet announces, up to 256 MiB, before `received` drops the message.
            _ = library.addInteger(
                &properties, MosquittoLibrary.Property.maximumPacketSize, UInt32(MQTTClient.receiveLimit + 4096))
            if let expiry = configuration.sessionExpiry {
                _ = library.addInteger(&properties, MosquittoLibrary.Property.sessionExpiryInterval, expiry)
            }
        }
        errno = 0
        let result = library.connect(
            client, address.host, Int32(clamping: address.port),
            Int32(clamping: min(max(5, configuration.keepAlive), 65_535)), nil, properties)
        let number = errno
        if properties != nil { library.freeProperties(&properties) }
        guard result == 0 else { return fail(text(of: result, number)) }
        startWatching(client)
    }

    private func configure(_ client: MosquittoLibrary.Client) -> String? {
        _ = library.setOption(client, MosquittoLibrary.Option.protocolVersion, configuration.version.rawValue)
        _ = library.setOption(client, MosquittoLibrary.Option.noDelay, 1)
        // The owner bounds what is under way.
        _ = library.setInFlightLimit(client, 0)
        if let user = configuration.user {
            let result = library.setUser(client, user, configuration.password?.text)
            guard result == 0 else { return "The user or the password was refused: \(text(of: result))" }
        }
        if let will = configuration.will {
            let result = library.setWill(
                client, will.topic, Int32(will.payload.count), will.payload, will.isAcknowledged ? 1 : 0,
                will.isRetained)
            guard result == 0 else { return "The last will was refused: \(text(of: result))" }
        }
        if let tls = configuration.tls {
            if tls.authorities == nil { _ = library.setOption(client, MosquittoLibrary.Option.systemAuthorities, 1) }
            // A key with a passphrase is refused: the library would ask for it at the terminal.
            let result = library.setTLS(
                client, tls.authorities, tls.authorities == nil ? "/etc/ssl/certs" : nil, tls.certificate, tls.key
            ) { _, _, _, _ in 0 }
            guard result == 0 else { return "The certificates were refused: \(text(of: result))" }
        }
        return nil
    }

    private func startWatching(_ client: MosquittoLibrary.Client) {
        let number = fcntl(library.socket(client), F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { return fail("The socket cannot be watched: \(String(cString: strerror(errno))).") }
        let socket = Descriptor(number)
        self.socket = socket
        watch = DispatchWatch(
            socket, queue: queue, onReadable: { [self] in run { library.read($0, Self.batch) } },
            onWritable: { [self] in run { library.write($0, Self.batch) } })
        watch?.watchReading(true)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [self] in run { library.keepAlive($0) } }
        timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1), leeway: .milliseconds(100))
        timer.resume()
        self.timer = timer
        updateWriting()
    }

    /// Lets the thread of a group wait for the socket. Called on the group's queue, which is the owner's, after the broker has accepted
    /// the client.
    ///
    /// - Parameter deliver: Takes the events on the owner's queue.
    func serve(in group: PollingGroup, deliver: @escaping ([MQTTEvent]) -> Void) {
        queue.sync {
            guard let socket, watch != nil else { return }
            watch?.cancel()
            watch = group.watch(
                socket, onReadable: { [self] in deliver(collect { library.read($0, Self.batch) }) },
                onWritable: { [self] in deliver(collect { library.write($0, Self.batch) }) })
            watch?.watchReading(isReading)
            watch?.watchWriting(isWriting)
        }
    }

    /// Calls the library and returns the events of the call, which the owner takes at once.
    private func collect(_ body: (MosquittoLibrary.Client) -> Int32) -> [MQTTEvent] {
        var collected: [MQTTEvent] = []
        queue.sync {
            isCollecting = true
            run(body)
            isCollecting = false
            swap(&collected, &events)
            undelivered -= Self.octets(of: collected)
            updateReading()
        }
        return collected
    }

    /// The octets that `received` adds to `undelivered` for these events.
    static func octets(of events: [MQTTEvent]) -> Int {
        events.reduce(0) { count, event in
            if case .received(let message) = event { count + message.octetCount } else { count }
        }
    }

    /// Calls the library, and ends the connection if the library reports its end.
    private func run(_ body: (MosquittoLibrary.Client) -> Int32) {
        guard let client else { return }
        errno = 0
        let result = body(client)
        let number = errno
        guard result == 0 else { return fail(text(of: result, number)) }
        // The broker's DISCONNECT packet has closed the socket.
        guard library.socket(client) >= 0 else { return fail(text(of: MosquittoLibrary.Code.connectionLost)) }
        updateWriting()
        sendEvents()
    }

    private func sendEvents() {
        guard !events.isEmpty, !isCollecting else { return }
        send?(events)
        events.removeAll(keepingCapacity: true)
    }

    private func updateWriting() {
        guard let client, let watch else { return }
        isWriting = library.wantsWrite(client)
        watch.watchWriting(isWriting)
    }

    private func fail(_ text: String) {
        let send = self.send
        self.send = nil
        close()
        // An end that the owner asked for is no event.
        guard let send else { return events = [] }
        events.append(.disconnected(reason: reason ?? text))
        guard !isCollecting else { return }
        send(events)
        events = []
    }

    private func close() {
        watch?.cancel()
        timer?.cancel()
        (watch, socket, timer, isWriting, isReading) = (nil, nil, nil, false, true)
        if let client { library.destroy(client) }
        client = nil
        numbers = [:]
        filters = [:]
    }

    // MARK: Calls

    /// Publishes messages in their order.
    func publish(_ messages: [(message: MQTTPublication, number: UInt64)]) {
        let work: @Sendable () -> Void = { [self] in
            // The library writes each packet with a system call of its own. The system collects them into full segments meanwhile.
            let isCorked = messages.count > 1 && setCork(true)
            for (message, number) in messages { publish(message, number) }
            if isCorked { _ = setCork(false) }
            updateWriting()
            sendEvents()
        }
        // On the caller's thread, because waking another one costs more than the call.
        if isAccepted.withLock({ $0 }) { queue.sync(execute: work) } else { queue.async(execute: work) }
    }

    private func publish(_ message: MQTTPublication, _ number: UInt64) {
        guard let client else { return }
        var identifier: Int32 = 0
        current = number
        errno = 0
        let result = library.publish(
            client, &identifier, message.topic, Int32(clamping: message.payload.count), message.payload,
            message.isAcknowledged ? 1 : 0, message.isRetained, nil)
        let error = errno
        if result == 0, current != nil { numbers[identifier] = number }
        current = nil
        guard result == 0 || MosquittoLibrary.Code.isRefusal(result) else { return fail(text(of: result, error)) }
        if result != 0 { events.append(.published(number, refusal: text(of: result))) }
    }

    /// Returns whether the socket takes the option. A connection that has ended has no socket.
    private func setCork(_ isOn: Bool) -> Bool {
        guard let client else { return false }
        var value: Int32 = isOn ? 1 : 0
        return setsockopt(
            library.socket(client), Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    func subscribe(_ filter: String) {
        queue.async { [self] in
            guard let client else { return }
            var identifier: Int32 = 0
            errno = 0
            let result = library.subscribe(client, &identifier, filter, 1)
            let error = errno
            guard result == 0 || MosquittoLibrary.Code.isRefusal(result) else { return fail(text(of: result, error)) }
            if result == 0 {
                filters[identifier] = filter
            } else {
                events.append(.subscribed(filter, refusal: text(of: result)))
            }
            updateWriting()
            sendEvents()
        }
    }

    func unsubscribe(_ filter: String) {
        queue.async { [self] in
            guard let client else { return }
            errno = 0
            let result = library.unsubscribe(client, nil, filter)
            let error = errno
            guard result == 0 || MosquittoLibrary.Code.isRefusal(result) else { return fail(text(of: result, error)) }
            updateWriting()
        }
    }

    // MARK: Callbacks of the library, within a call on the queue

    private func setCallbacks(_ client: MosquittoLibrary.Client) {
        library.setOnConnect(client) { _, pointer, code, _, _ in MQTTConnection.from(pointer)?.connected(code) }
        library.setOnDisconnect(client) { _, pointer, code, _ in MQTTConnection.from(pointer)?.disconnected(code) }
        library.setOnPublish(client) { _, pointer, identifier, code, _ in
            MQTTConnection.from(pointer)?.published(identifier, code)
        }
        library.setOnSubscribe(client) { _, pointer, identifier, count, codes in
            MQTTConnection.from(pointer)?.subscribed(identifier, count > 0 ? codes?.pointee : nil)
        }
        library.setOnMessage(client) { _, pointer, message, _ in
            guard let message else { return }
            MQTTConnection.from(pointer)?.received(
                message.assumingMemoryBound(to: MosquittoLibrary.Message.self).pointee)
        }
        library.setOnLog(client) { _, pointer, level, line in
            // MOSQ_LOG_ERR. Lines of other levels can contain topics.
            guard level == 8, let line else { return }
            MQTTConnection.from(pointer)?.logged = String(String(cString: line).prefix(200))
        }
    }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> MQTTConnection? {
        pointer.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    private func connected(_ code: Int32) {
        guard code != 0 else {
            isAccepted.withLock { $0 = true }
            // The library formats a line for each packet while a function takes its log. What it logs explains failures of the beginning.
            if let client { library.setOnLog(client, nil) }
            return events.append(.connected)
        }
        reason = MQTTRefusal.text(code, configuration.version, library.text(reasonText(code)))
    }

    private func reasonText(_ code: Int32) -> MosquittoLibrary.Text? {
        configuration.version == .v5 ? library.reasonText(code) : library.refusalText(code)
    }

    /// A code of 0x80 or more is the broker's reason (MQTT 5.0, 3.14.2.1).
    private func disconnected(_ code: Int32) {
        if code >= 0x80 {
            reason = reason ?? "The broker ended the connection: \(library.text(library.reasonText(code)))"
        }
    }

    private func published(_ identifier: Int32, _ code: Int32) {
        guard let number = numbers.removeValue(forKey: identifier) ?? current else { return }
        if number == current { current = nil }
        if MQTTRefusal.isTemporary(code) {
            events.append(.postponed(number, reason: library.text(library.reasonText(code))))
        } else {
            // MQTT 5.0, 3.4.2.1.
            events.append(.published(number, refusal: code >= 0x80 ? library.text(library.reasonText(code)) : nil))
        }
    }

    private func subscribed(_ identifier: Int32, _ code: Int32?) {
        guard let filter = filters.removeValue(forKey: identifier) else { return }
        let isRefused = code.map { $0 >= 0x80 } ?? true
        events.append(.subscribed(filter, refusal: isRefused ? library.text(library.reasonText(code ?? 0x80)) : nil))
    }

    private func received(_ message: MosquittoLibrary.Message) {
        guard let topic = message.topic, message.count >= 0, message.count <= MQTTClient.receiveLimit else { return }
        let payload =
            message.payload.map { [UInt8](UnsafeRawBufferPointer(start: $0, count: Int(message.count))) } ?? []
        let received = MQTTMessage(
            topic: String(cString: topic), payload: payload, isRetained: message.isRetained)
        undelivered += received.octetCount
        updateReading()
        events.append(.received(received))
    }

    /// Takes note that the owner has taken a message of this many octets.
    func delivered(_ octets: Int) {
        queue.async { [self] in
            undelivered -= octets
            updateReading()
        }
    }

    private func updateReading() {
        isReading = undelivered <= Self.undeliveredLimit
        watch?.watchReading(isReading)
    }

    /// - Parameter number: `errno` after the call.
    private func text(of result: Int32, _ number: Int32 = 0) -> String {
        library.text(of: result, number, logged: logged)
    }
}
