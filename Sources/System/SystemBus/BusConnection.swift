import BLETransport
import BLEWire
import Dispatch

/// A connection to a bus (D-Bus): a `BusSession` with its socket and a timer. It is used once: after its end the owner makes another one.
///
/// Calls and subscriptions may be made at once; they leave when the bus has accepted the connection.
///
/// Threads: all methods run on the serial queue given at the start, and all callbacks too, never within a method. The owner holds the connection
/// until its end.
package final class BusConnection: Bus, BusAnswering, @unchecked Sendable {
    /// The time to connect the socket.
    private static let connecting = TimeSpan.seconds(5)

    private struct Subscriber {
        /// Called once.
        var completion: ((BusCallError?) -> Void)?
        let receive: (BusMessage) -> Void
    }

    package var onReady: ((String) -> Void)?
    package var onClose: ((BusCallError) -> Void)?
    package var onDrain: (() -> Void)?

    private let queue: DispatchQueue
    private let clock = MachineClock()
    private var session: BusSession
    private var connector: StreamConnector?
    private var socket: BusSocket?
    private var watch: DispatchWatch?
    private var timer: DeadlineTimer?
    /// What the system has not taken whole, and how much of it.
    private var writing: (output: BusOutput, written: Int)?
    private var wasBusy = false
    private var isReading = false
    private var isDeliveryPlanned = false
    private var completions: [UInt64: Completion] = [:]
    private var subscribers: [UInt64: Subscriber] = [:]
    private var watchers: [UInt64: (String?) -> Void] = [:]
    private var objects: [String: (number: Int, handle: (BusCall) -> Void)] = [:]
    private var exports = 0

    /// Connects to the first bus that listens. May be called on any thread.
    package init(to addresses: [BusAddress] = BusAddress.system(), queue: DispatchQueue) {
        self.queue = queue
        session = BusSession(user: geteuid(), at: clock.now)
        timer = DeadlineTimer(on: queue) { [weak self] in
            guard let self else { return }
            timer?.fired()
            session.handleTimeout(at: clock.now)
            deliverNow()
            settle()
        }
        queue.async { [weak self] in self?.connect(to: addresses[...], nil) }
    }

    deinit {
        timer?.cancel()
        watch?.cancel()
        socket?.close()
    }

    package var uniqueName: String? { session.uniqueName }
    /// Why the connection has ended; nil before.
    package var end: BusCallError? { session.end }
    package var isBusy: Bool { session.isAboveMark }
    /// The octets that wait for the bus.
    package var queuedOctets: Int { session.outputOctets }

    // MARK: Calls

    package func call(_ message: BusMessage, timeout: TimeSpan, completion: @escaping Completion) {
        completions[session.call(message, timeout: timeout, at: clock.now)] = completion
        settle()
    }

    package func emit(_ message: BusMessage) throws(BusCallError) {
        defer { settle() }
        try session.send(message)
    }

    /// Takes a name for this connection, without waiting for another owner.
    package func requestName(_ name: String, completion: @escaping (Result<Void, BusCallError>) -> Void) {
        // DBUS_NAME_FLAG_DO_NOT_QUEUE. The replies: 1 primary owner, 4 already the owner.
        call(
            BusSession.bus, BusSession.busPath, BusSession.bus, "RequestName", [.string(name), .uint32(4)]
        ) { result in
            completion(
                result.flatMap { reply in
                    let code = reply.body.first?.number
                    return code == 1 || code == 4 ? .success(()) : .failure(.nameTaken(name))
                })
        }
    }

    // MARK: Signals, names and objects

    @discardableResult
    package func subscribe(
        _ match: BusMatch, completion: ((BusCallError?) -> Void)? = nil, receive: @escaping (BusMessage) -> Void
    ) -> BusCancellable {
        let number = session.subscribe(match, at: clock.now)
        subscribers[number] = Subscriber(completion: completion, receive: receive)
        settle()
        return BusCancellable { [weak self] in
            guard let self, subscribers.removeValue(forKey: number) != nil else { return }
            session.unsubscribe(number)
            settle()
        }
    }

    @discardableResult
    package func watchName(_ name: String, _ change: @escaping (String?) -> Void) -> BusCancellable {
        let number = session.watchName(name, at: clock.now)
        watchers[number] = change
        settle()
        return BusCancellable { [weak self] in
            guard let self, watchers.removeValue(forKey: number) != nil else { return }
            session.unwatchName(number)
            settle()
        }
    }

    @discardableResult
    package func export(
        _ path: String, _ interfaces: [String: Set<String>], _ handle: @escaping (BusCall) -> Void
    ) -> BusCancellable {
        session.export(path, interfaces)
        exports += 1
        let number = exports
        objects[path] = (number, handle)
        return BusCancellable { [weak self] in
            // A later object may have the path.
            guard let self, objects[path]?.number == number else { return }
            session.withdraw(path)
            objects[path] = nil
        }
    }

    package func reply(_ token: UInt64, _ values: [BusValue], _ descriptors: [Descriptor]) {
        session.reply(token, values, descriptors: descriptors)
        settle()
    }

    package func fail(_ token: UInt64, _ name: String, _ text: String) {
        session.fail(token, name, text)
        settle()
    }

    package func released(_ token: UInt64) {
        queue.async { [weak self] in
            self?.fail(token, BusCallError.Name.failed, "The program did not answer.")
        }
    }

    package func close() {
        (onReady, onClose, onDrain) = (nil, nil, nil)
        forgetReceivers(.closed)
        session.close(.closed)
        settle()
    }

    /// Ends what signals and calls of others reach. Subscriptions that wait for their first answer fail.
    private func forgetReceivers(_ reason: BusCallError) {
        let waiting = subscribers.values.compactMap(\.completion)
        (subscribers, watchers, objects) = ([:], [:], [:])
        for completion in waiting { completion(reason) }
    }

    // MARK: The socket

    private func connect(to addresses: ArraySlice<BusAddress>, _ problem: BusCallError?) {
        guard session.end == nil else { return }
        guard let address = addresses.first else {
            session.close(problem ?? .noBus("DBUS_SYSTEM_BUS_ADDRESS", "it names no socket"))
            return settle()
        }
        connector = StreamConnector.connect(to: address.transport, queue: queue, timeout: Self.connecting) {
            [weak self] result in
            guard let self else { return }
            connector = nil
            switch result {
            case .success(let connection): open(connection.descriptor)
            case .failure(let error): connect(to: addresses.dropFirst(), Self.problem(address, error))
            }
        }
    }

    private static func problem(_ address: BusAddress, _ error: TransportError) -> BusCallError {
        let reason =
            switch error.kind {
            case .notFound: "there is no socket"
            case .refused: "no program listens there"
            case .permissionDenied: "this user may not connect"
            case .timedOut: "nothing answers"
            default: "the connection failed"
            }
        return .noBus(address.description, reason)
    }

    private func open(_ descriptor: Descriptor) {
        socket = BusSocket(descriptor)
        watch = DispatchWatch(
            descriptor, queue: queue, onReadable: { [weak self] in self?.readAvailable() },
            onWritable: { [weak self] in self?.settle() })
        settle()
    }

    /// Reads once, and to the end if the bus has hung up: libdispatch reports a hang-up once.
    private func readAvailable() {
        repeat {
            guard isReading, readOnce() else { return }
        } while socket.map { Sockets.hasHungUp($0.descriptor) } ?? false
    }

    /// Returns whether more octets may be there.
    private func readOnce() -> Bool {
        guard var socket = self.socket else { return false }
        self.socket = nil
        let result = socket.read()
        if case .octets(let descriptors) = result {
            session.receive(socket.octets, descriptors: descriptors, at: clock.now)
        }
        self.socket = socket
        if case .end(let reason) = result { session.close(reason) }
        if case .nothing = result { return false }
        deliverNow()
        settle()
        return true
    }

    private func flush() {
        guard let socket, session.end == nil else { return }
        do throws(BusCallError) {
            while let (output, written) = writing ?? session.takeOutput().map({ ($0, 0) }) {
                writing = (output, written)
                guard let count = try socket.write(output, from: written) else {
                    watch?.watchWriting(true)
                    return
                }
                session.wrote(count)
                writing = written + count == output.octets.count ? nil : (output, written + count)
            }
            watch?.watchWriting(false)
        } catch {
            session.close(error)
        }
    }

    // MARK: After each change of the session

    private func settle() {
        flush()
        if session.end == nil {
            watchReading()
            timer?.advance(to: session.deadline, at: clock.now)
        } else {
            closeSocket()
        }
        if wasBusy, !isBusy, session.end == nil {
            queue.async { [weak self] in self?.onDrain?() }
        }
        wasBusy = isBusy
        planDelivery()
    }

    private func watchReading() {
        guard let socket, isReading != session.wantsInput else { return }
        isReading = session.wantsInput
        watch?.watchReading(isReading)
        // libdispatch does not report a hang-up that was there before it began to watch.
        if isReading, Sockets.hasHungUp(socket.descriptor) {
            queue.async { [weak self] in self?.readAvailable() }
        }
    }

    private func closeSocket() {
        connector?.cancel()
        timer?.cancel()
        watch?.cancel()
        socket?.close()
        (connector, timer, watch, socket, writing) = (nil, nil, nil, nil, nil)
        isReading = false
    }

    /// Delivers events outside of the owner's calls.
    private func planDelivery() {
        guard session.hasEvents, !isDeliveryPlanned else { return }
        isDeliveryPlanned = true
        queue.async { [self] in
            isDeliveryPlanned = false
            deliverNow()
            settle()
        }
    }

    private func deliverNow() {
        for event in session.takeEvents() { deliver(event) }
    }

    private func deliver(_ event: BusEvent) {
        switch event {
        case .ready(let name): onReady?(name)
        case .answer(let number, let result): completions.removeValue(forKey: number)?(result)
        case .subscribed(let number, let error):
            let completion = subscribers[number]?.completion
            if error == nil { subscribers[number]?.completion = nil } else { subscribers[number] = nil }
            completion?(error)
        case .signal(let message, let numbers):
            for number in numbers { subscribers[number]?.receive(message) }
        case .owner(let number, let owner): watchers[number]?(owner)
        case .call(let message, let token):
            let call = BusCall(message, token, self)
            if let path = message.path, let object = objects[path] {
                object.handle(call)
            } else {
                call.fail(BusCallError.Name.unknownObject, "There is no object \(message.path ?? "").")
            }
        case .ended(let reason):
            let callback = onClose
            (onReady, onClose, onDrain) = (nil, nil, nil)
            forgetReceivers(reason)
            callback?(reason)
        }
    }
}
