import BLETransport
import BLEWire

/// What a session reports.
package enum BusEvent: Sendable {
    /// The bus gave the connection its unique name.
    case ready(String)
    /// The end of a call, once for each.
    case answer(UInt64, Result<BusMessage, BusCallError>)
    /// The bus delivers the signals of a subscription from now on, or refused that.
    case subscribed(UInt64, BusCallError?)
    /// A signal, and the subscriptions that it is for.
    case signal(BusMessage, [UInt64])
    /// The unique name of the owner of a watched name, at the beginning and after each change; nil without an owner.
    case owner(UInt64, String?)
    /// A call of an exported object. The token is for the answer; nil if the caller wants none.
    case call(BusMessage, token: UInt64?)
    /// The last event.
    case ended(BusCallError)
}

/// One connection to a bus, without its socket: octets, descriptors, calls of the owner and the time go in; octets, descriptors, events and a
/// deadline come out (D-Bus Specification, "Message Protocol", "Authentication Protocol" and "Message Bus").
package struct BusSession {
    package enum Limit {
        /// The time from the connection of the socket to the unique name.
        package static let start = TimeSpan.seconds(10)
        /// The time for the session's own calls to the bus.
        static let bus = TimeSpan.seconds(25)
        /// The calls that wait for answers.
        package static let calls = 1024
        /// The calls whose answers the bus expects. Further calls wait here: a bus usually allows 128, and refuses those above (dbus-daemon(1),
        /// max_replies_per_connection).
        package static let callsAtBus = 100
        /// The calls of others that the owner has not answered.
        package static let unanswered = 256
        /// The subscriptions and watches of names. A bus allows 512 rules.
        package static let subscriptions = 256
        /// The octets for the bus from which on the session takes no input.
        package static let mark = 1 << 20
        /// The octets for the bus from which on calls and signals are refused.
        package static let output = 8 << 20
    }

    package static let bus = "org.freedesktop.DBus"
    package static let busPath = "/org/freedesktop/DBus"

    private var authentication = BusAuthentication()
    private var framing = BusFraming()
    private var output = BusOutputQueue()
    private var hello = BusMessage.call(Self.bus, Self.busPath, Self.bus, "Hello")
    /// What waits for the unique name. A bus may read what follows the authentication closely without its descriptors.
    private var held = BusOutputQueue()
    /// The calls above the limit of the bus, with their serials. Calls that were given up are skipped later.
    private var waiting: [(serial: UInt32, octets: [UInt8], descriptors: [Descriptor])] = []
    private var waitingOctets = 0
    private var calls = BusPendingCalls()
    private var subscriptions = BusSubscriptions()
    private var exports = BusExports()
    private var events: [BusEvent] = []
    private var lastNumber: UInt64 = 0
    /// The reason of the end.
    package private(set) var end: BusCallError?
    package private(set) var uniqueName: String?

    /// - Parameter user: The user of the process (geteuid(2)).
    package init(user: UInt32) {
        output.append(BusAuthentication.start(user: user))
        hello.serial = calls.nextSerial()
    }

    /// The socket is connected. Once.
    package mutating func start(at now: Instant) {
        guard end == nil else { return }
        calls.add(.hello, to: Self.bus, deadline: now + Limit.start, serial: hello.serial)
    }

    // MARK: Input

    /// Takes octets of the socket, and the descriptors that came with them.
    package mutating func receive(_ octets: Span<UInt8>, descriptors: [Descriptor] = [], at now: Instant) {
        guard end == nil else { return }
        do throws(BusCallError) {
            try framing.append(octets, descriptors)
            while !authentication.isDone, let line = try framing.line() {
                output.append(Array(try authentication.receive(line).utf8))
                if authentication.isDone, let octets = try? hello.encoded() { output.append(octets) }
            }
            while authentication.isDone, end == nil, let frame = try framing.next() {
                switch frame {
                case .message(let message): receive(message, at: now)
                case .unreadable(let header, let error): receive(header, without: error)
                }
            }
            try framing.compact()
        } catch {
            close(error)
        }
    }

    private mutating func release() {
        for serial in held.move(to: &output, withDescriptors: authentication.passesDescriptors) {
            if let call = calls.remove(serial) { answer(call, serial, .failure(.noDescriptors)) }
        }
    }

    /// Ends the session. Every call that waits fails with the reason.
    package mutating func close(_ reason: BusCallError) {
        guard end == nil else { return }
        end = reason
        for case (_, .owner(let number)) in calls.removeAll() { events.append(.answer(number, .failure(reason))) }
        for number in subscriptions.waiting { events.append(.subscribed(number, reason)) }
        (framing, subscriptions, exports) = (BusFraming(), BusSubscriptions(), BusExports())
        output.removeAll()
        held.removeAll()
        (waiting, waitingOctets) = ([], 0)
        events.append(.ended(reason))
    }

    private mutating func receive(_ message: BusMessage, at now: Instant) {
        switch message.kind {
        case .reply: finish(message, .success(message))
        case .error: finish(message, .failure(.error(message.errorName ?? "", message.errorText)))
        case .signal: receiveSignal(message)
        case .call: receiveCall(message)
        case .unknown: break
        }
    }

    /// Takes a message whose body cannot be read.
    private mutating func receive(_ header: BusMessage, without error: BusError) {
        let isTooLong = error == .tooLong
        switch header.kind {
        case .reply, .error: finish(header, .failure(isTooLong ? .tooLong : .invalid))
        case .call where isTooLong: refuse(header, BusCallError.Name.limitsExceeded, "The message is too long.")
        case .call: refuse(header, BusCallError.Name.invalidArguments, "The arguments cannot be read.")
        case .signal, .unknown: break
        }
    }

    // MARK: Answers

    private mutating func finish(_ message: BusMessage, _ result: Result<BusMessage, BusCallError>) {
        guard let serial = message.replySerial else { return }
        if let call = calls.remove(serial, from: message) { answer(call, serial, result) }
        // Also after the answer to a call that was given up: the bus does not count it any more.
        admitCalls()
    }

    /// Lets calls leave that wait for the answers to others.
    private mutating func admitCalls() {
        var taken = 0
        while taken < waiting.count, calls.countAtBus < Limit.callsAtBus {
            let (serial, octets, descriptors) = waiting[taken]
            taken += 1
            waitingOctets -= octets.count
            guard calls.left(serial) else { continue }
            if !descriptors.isEmpty, authentication.isDone, !authentication.passesDescriptors {
                if let call = calls.remove(serial) { answer(call, serial, .failure(.noDescriptors)) }
                continue
            }
            put(octets, descriptors, serial)
        }
        waiting.removeFirst(taken)
    }

    private mutating func answer(
        _ call: BusPendingCalls.Purpose, _ serial: UInt32, _ result: Result<BusMessage, BusCallError>
    ) {
        switch call {
        case .owner(let number): events.append(.answer(number, result))
        case .hello:
            switch result {
            case .success(let reply):
                guard let name = reply.body.first?.text, BusNames.isUnique(name), BusNames.isBusName(name) else {
                    return close(.violation("no unique name"))
                }
                uniqueName = name
                events.append(.ready(name))
                release()
            case .failure(let error): close(ending(error))
            }
        case .rule(let rule): answerRule(rule, serial, result)
        case .nameOwner(let name):
            switch result {
            case .success(let reply): setOwner(of: name, reply.body.first?.text)
            case .failure(.timeout): close(.silent)
            case .failure: setOwner(of: name, nil)
            }
        }
    }

    /// The reason of an end, after a call to the bus that has to succeed.
    private func ending(_ error: BusCallError) -> BusCallError { error == .timeout ? .silent : .broken("\(error)") }

    private mutating func answerRule(
        _ rule: String, _ serial: UInt32, _ result: Result<BusMessage, BusCallError>
    ) {
        guard let waiting = subscriptions.answered(rule, in: serial) else { return }
        guard case .failure(let error) = result else {
            for number in waiting { events.append(.subscribed(number, nil)) }
            return
        }
        // A rule of the session's own: it would not notice the end of a service.
        guard !waiting.isEmpty else { return close(ending(error)) }
        for number in waiting {
            unsubscribe(number)
            events.append(.subscribed(number, error))
        }
    }

    // MARK: Calls of the owner

    /// Calls a method. The event `answer` has the number that is returned.
    package mutating func call(_ message: BusMessage, timeout: TimeSpan, at now: Instant) -> UInt64 {
        let number = nextNumber()
        do throws(BusCallError) {
            _ = try send(message, .owner(number), deadline: now + timeout)
        } catch {
            events.append(.answer(number, .failure(error)))
        }
        return number
    }

    /// Sends a signal, or a call that wants no answer.
    package mutating func send(_ message: BusMessage) throws(BusCallError) {
        var message = message
        message.isReplyExpected = false
        _ = try send(message, nil, deadline: .zero)
    }

    /// Sends a message and returns its serial.
    private mutating func send(
        _ message: BusMessage, _ purpose: BusPendingCalls.Purpose?, deadline: Instant
    ) throws(BusCallError) -> UInt32 {
        if let end { throw end }
        // The session's own calls have the limit of the subscriptions.
        if purpose?.isOwners ?? true {
            guard purpose == nil || calls.count < Limit.calls, outputOctets <= Limit.output else { throw .full }
        }
        guard message.descriptors.isEmpty || authentication.passesDescriptors || !authentication.isDone else {
            throw .noDescriptors
        }
        var message = message
        message.serial = calls.nextSerial()
        let octets = try encoded(message)
        let waits =
            purpose != nil && message.destination != Self.bus
            && (!waiting.isEmpty || calls.countAtBus >= Limit.callsAtBus)
        if let purpose {
            calls.add(
                purpose, to: message.destination, deadline: deadline, serial: message.serial, leaves: !waits)
        }
        if waits {
            waiting.append((message.serial, octets, message.descriptors))
            waitingOctets += octets.count
        } else {
            put(octets, message.descriptors, message.serial)
        }
        return message.serial
    }

    private func encoded(_ message: BusMessage) throws(BusCallError) -> [UInt8] {
        guard message.descriptors.count <= BusFraming.mostDescriptors else { throw .tooLong }
        do { return try message.encoded() } catch { throw error == .tooLong ? .tooLong : .invalid }
    }

    private mutating func write(_ message: BusMessage) throws(BusCallError) {
        put(try encoded(message), message.descriptors, message.serial)
    }

    private mutating func put(_ octets: [UInt8], _ descriptors: [Descriptor], _ serial: UInt32) {
        if uniqueName != nil {
            output.append(octets, descriptors, serial: serial)
        } else {
            held.append(octets, descriptors, serial: serial)
        }
    }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Signals and names

    /// Asks for signals. The event `subscribed` has the number that is returned, and so have its signals.
    package mutating func subscribe(_ match: BusMatch, at now: Instant) -> UInt64 {
        let number = nextNumber()
        let problem: BusCallError? =
            subscriptions.count >= Limit.subscriptions ? .full : match.rule.utf8.contains(0) ? .invalid : nil
        if let problem = end ?? problem {
            events.append(.subscribed(number, problem))
            return number
        }
        // The bus matches the name of a service, and the signals have the unique name of its owner.
        if let service = match.service { useName(service, at: now) }
        useRule(match.rule, at: now)
        if subscriptions.add(number, match) { events.append(.subscribed(number, nil)) }
        return number
    }

    package mutating func unsubscribe(_ number: UInt64) {
        guard let match = subscriptions.remove(number) else { return }
        dropRule(match.rule)
        if let service = match.service { dropName(service) }
    }

    /// Watches the owner of a name. The events `owner` have the number that is returned. A name without a valid form, or above the limit, has
    /// no owner, and so has each name after the end.
    package mutating func watchName(_ name: String, at now: Instant) -> UInt64 {
        let number = nextNumber()
        guard end == nil, subscriptions.count < Limit.subscriptions, BusNames.isBusName(name) else {
            events.append(.owner(number, nil))
            return number
        }
        useName(name, at: now)
        let state = subscriptions.watch(name, number)
        if state.isKnown { events.append(.owner(number, state.owner)) }
        return number
    }

    package mutating func unwatchName(_ number: UInt64) {
        if let name = subscriptions.unwatch(number) { dropName(name) }
    }

    private mutating func useName(_ name: String, at now: Instant) {
        guard subscriptions.addUse(ofName: name) else { return }
        // In this order the bus reports each change after its answer.
        useRule(BusMatch.owner(of: name).rule, at: now)
        let call = BusMessage.call(Self.bus, Self.busPath, Self.bus, "GetNameOwner", [.string(name)])
        _ = try? send(call, .nameOwner(name), deadline: now + Limit.bus)
    }

    private mutating func dropName(_ name: String) {
        if subscriptions.removeUse(ofName: name) { dropRule(BusMatch.owner(of: name).rule) }
    }

    private mutating func useRule(_ rule: String, at now: Instant) {
        guard subscriptions.addUse(of: rule) else { return }
        let call = BusMessage.call(Self.bus, Self.busPath, Self.bus, "AddMatch", [.string(rule)])
        if let serial = try? send(call, .rule(rule), deadline: now + Limit.bus) { subscriptions.sent(rule, in: serial) }
    }

    private mutating func dropRule(_ rule: String) {
        guard subscriptions.removeUse(of: rule), end == nil else { return }
        // Also above the limit of the output: a rule that stays counts at the bus.
        var message = BusMessage.call(Self.bus, Self.busPath, Self.bus, "RemoveMatch", [.string(rule)])
        (message.isReplyExpected, message.serial) = (false, calls.nextSerial())
        try? write(message)
    }

    private mutating func setOwner(of name: String, _ owner: String?) {
        for number in subscriptions.owner(of: name, is: owner) { events.append(.owner(number, owner)) }
    }

    private mutating func receiveSignal(_ message: BusMessage) {
        // Any connection can send a signal of this name, but the bus alone in its own.
        if message.sender == Self.bus, message.interface == Self.bus, message.member == "NameOwnerChanged",
            message.body.count == 3, let name = message.body[0].text, let owner = message.body[2].text
        {
            setOwner(of: name, owner.isEmpty ? nil : owner)
        }
        let recipients = subscriptions.recipients(of: message)
        if !recipients.isEmpty { events.append(.signal(message, recipients)) }
    }

    // MARK: Calls of others

    /// Offers an object with the members of its interfaces. Replaces an earlier one of the path.
    package mutating func export(_ path: String, _ interfaces: [String: Set<String>]) {
        if end == nil { exports.add(path, interfaces) }
    }

    package mutating func withdraw(_ path: String) { exports.remove(path) }

    private mutating func receiveCall(_ message: BusMessage) {
        switch exports.decision(on: message) {
        case .answer: if message.isReplyExpected { _ = respond(BusMessage(.reply), to: BusExports.Caller(message)) }
        case .refuse(let name, let text): refuse(message, name, text)
        case .deliver(let call):
            guard message.isReplyExpected else { return events.append(.call(call, token: nil)) }
            let token = nextNumber()
            exports.wait(for: token, BusExports.Caller(message))
            events.append(.call(call, token: token))
        }
    }

    /// Answers a call. A token answers once.
    package mutating func reply(_ token: UInt64, _ values: [BusValue] = [], descriptors: [Descriptor] = []) {
        guard let caller = exports.answer(token) else { return }
        var reply = BusMessage(.reply)
        (reply.body, reply.descriptors) = (values, descriptors)
        if !respond(reply, to: caller) { fail(caller, BusCallError.Name.failed, "The answer has no valid form.") }
    }

    /// Answers a call with an error.
    package mutating func fail(_ token: UInt64, _ name: String, _ text: String) {
        guard let caller = exports.answer(token) else { return }
        fail(caller, BusNames.isInterface(name) ? name : BusCallError.Name.failed, text)
    }

    private mutating func refuse(_ message: BusMessage, _ name: String, _ text: String) {
        guard message.isReplyExpected else { return }
        fail(BusExports.Caller(message), name, text)
    }

    private mutating func fail(_ caller: BusExports.Caller, _ name: String, _ text: String) {
        var error = BusMessage(.error)
        (error.errorName, error.body) = (name, [.string(text.replacing("\0", with: " "))])
        _ = respond(error, to: caller)
    }

    /// Returns false if the answer cannot be written.
    private mutating func respond(_ answer: BusMessage, to caller: BusExports.Caller) -> Bool {
        guard answer.descriptors.isEmpty || authentication.passesDescriptors else { return false }
        var answer = answer
        (answer.serial, answer.replySerial, answer.destination) = (calls.nextSerial(), caller.serial, caller.name)
        answer.isReplyExpected = false
        do { try write(answer) } catch { return false }
        return true
    }

    // MARK: Output

    package mutating func takeEvents() -> [BusEvent] {
        defer { events = [] }
        return events
    }

    package var hasEvents: Bool { !events.isEmpty }
    package mutating func takeOutput() -> BusOutput? { output.take() }
    /// The system took octets of what `takeOutput` returned.
    package mutating func wrote(_ count: Int) { output.wrote(count) }
    /// The octets that the system has not taken.
    package var outputOctets: Int { output.octets + held.octets + waitingOctets }
    /// Whether so much waits that the owner should not add more.
    package var isAboveMark: Bool { outputOctets > Limit.mark }
    /// Whether the driver should read: answers to others must not wait without a bound. What waits for the unique name does not count.
    package var wantsInput: Bool { end == nil && output.octets <= Limit.mark }
    /// The octets of a message that has not arrived as a whole.
    package var unfinishedOctets: Int { framing.unfinishedOctets }
    package var deadline: Instant? { end == nil ? calls.deadline : nil }

    package mutating func handleTimeout(at now: Instant) {
        let expired = calls.removeExpired(at: now)
        // The session's own calls can end it, and nothing follows the end.
        for (serial, call) in expired where call.isOwners { answer(call, serial, .failure(.timeout)) }
        for (serial, call) in expired where !call.isOwners && end == nil { answer(call, serial, .failure(.timeout)) }
        admitCalls()
    }
}
