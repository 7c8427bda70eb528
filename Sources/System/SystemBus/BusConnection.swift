import BLETransport
import BLEWire
import Dispatch

/// A connection to a bus (D-Bus): a `BusSession` with its callbacks, over a carrier. It is used once: after its end the owner makes another one.
///
/// Calls and subscriptions may be made at once; they leave when the bus has accepted the connection.
///
/// Threads: all methods run on the serial queue of the carrier, and all callbacks too, never within a method. The owner holds the connection
/// until its end.
package final class BusConnection: Bus, BusAnswering, @unchecked Sendable {
    private struct Subscriber {
        /// Called once.
        var completion: ((BusCallError?) -> Void)?
        let receive: (BusMessage) -> Void
    }

    package var onReady: ((String) -> Void)?
    package var onClose: ((BusCallError) -> Void)?
    package var onDrain: (() -> Void)?

    private let carrier: any BusCarrier
    private var session: BusSession
    private var wasBusy = false
    private var isDeliveryPlanned = false
    private var completions: [UInt64: Completion] = [:]
    private var subscribers: [UInt64: Subscriber] = [:]
    private var watchers: [UInt64: (String?) -> Void] = [:]
    private var objects: [String: (number: Int, handle: (BusCall) -> Void)] = [:]
    private var exports = 0

    /// Connects to the first bus that listens. May be called on any thread.
    ///
    /// - Parameter group: Waits for the socket, on the same queue. Without one, dispatch sources do.
    package convenience init(
        to addresses: [BusAddress] = BusAddress.system(), queue: DispatchQueue, group: PollingGroup? = nil
    ) {
        self.init(over: BusSocketCarrier(to: addresses, queue: queue, group: group))
    }

    /// - Parameter callsAtBus: The calls that leave before the answer to another one; further calls wait.
    package init(over carrier: any BusCarrier, callsAtBus: Int = BusSession.Limit.callsAtBus) {
        self.carrier = carrier
        session = BusSession(user: geteuid(), callsAtBus: callsAtBus)
        carrier.start(self)
    }

    package var uniqueName: String? { session.uniqueName }
    /// Why the connection has ended; nil before.
    package var end: BusCallError? { session.end }
    package var isBusy: Bool { session.isAboveMark }
    /// The octets that wait for the bus.
    package var queuedOctets: Int { session.outputOctets }

    // MARK: Calls

    package func call(_ message: BusMessage, timeout: TimeSpan, completion: @escaping Completion) {
        completions[session.call(message, timeout: timeout, at: carrier.now)] = completion
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
        let number = session.subscribe(match, at: carrier.now)
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
        let number = session.watchName(name, at: carrier.now)
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
        carrier.submit { [weak self] in
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

    // MARK: The carrier

    /// Takes octets of the bus, and the descriptors that came with them. Calls of the owner's callbacks follow at once.
    package func receive(_ octets: Span<UInt8>, descriptors: [Descriptor]) {
        session.receive(octets, descriptors: descriptors, at: carrier.now)
        deliverNow()
        settle()
    }

    /// The connection of the carrier broke, or there is none.
    package func carrierEnded(_ reason: BusCallError) {
        session.close(reason)
        deliverNow()
        settle()
    }

    /// The deadline of the session has passed.
    package func handleTimeout() {
        session.handleTimeout(at: carrier.now)
        deliverNow()
        settle()
    }

    /// The carrier has a connection: the time to the unique name begins.
    package func carrierConnected() {
        session.start(at: carrier.now)
        settle()
    }

    /// The carrier can take output again.
    package func carrierTakesOutput() { settle() }

    // MARK: After each change of the session

    private func settle() {
        if session.end == nil { carrier.follow(&session) }
        if session.end != nil { carrier.close() }
        if wasBusy, !isBusy, session.end == nil {
            carrier.submit { [weak self] in self?.onDrain?() }
        }
        wasBusy = isBusy
        planDelivery()
    }

    /// Delivers events outside of the owner's calls.
    private func planDelivery() {
        guard session.hasEvents, !isDeliveryPlanned else { return }
        isDeliveryPlanned = true
        carrier.submit { [self] in
            isDeliveryPlanned = false
            deliverNow()
            settle()
        }
    }

    private func deliverNow() {
        let events = session.takeEvents()
        for index in events.indices { deliver(events[index], before: events[(index + 1)...]) }
    }

    private func deliver(_ event: BusEvent, before following: ArraySlice<BusEvent>) {
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
            // Watches that began after the end have an event behind it.
            let late = watchers.filter { watch in
                following.contains { if case .owner(watch.key, _) = $0 { true } else { false } }
            }
            forgetReceivers(reason)
            watchers = late
            callback?(reason)
        }
    }
}
