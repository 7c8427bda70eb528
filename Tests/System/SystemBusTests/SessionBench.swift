import BLETransport
import BLEWire
import Testing

@testable import SystemBus

/// A session, and the bus at its other end as a value.
struct SessionBench {
    var session: BusSession
    var now = Instant.zero
    /// What the session sent after the authentication.
    private var octets: [UInt8] = []
    private(set) var text = ""
    private(set) var descriptors: [Descriptor] = []
    private var serial: UInt32 = 0

    init() {
        session = BusSession(user: 1000)
        session.start(at: now)
    }

    /// A session with the name `:1.7`.
    init(passesDescriptors: Bool) throws {
        self.init()
        authenticate(passesDescriptors: passesDescriptors)
        let hello = try #require(sent().first)
        try reply(to: hello, [.string(":1.7")])
        _ = session.takeEvents()
    }

    mutating func authenticate(passesDescriptors: Bool) {
        line("OK 0123456789abcdef0123456789abcdef")
        line(passesDescriptors ? "AGREE_UNIX_FD" : "ERROR not here")
    }

    mutating func line(_ line: String) { receive(Array("\(line)\r\n".utf8)) }

    mutating func receive(_ octets: [UInt8], _ descriptors: [Descriptor] = []) {
        session.receive(octets.span, descriptors: descriptors, at: now)
    }

    /// Takes the output, and divides it into the text of the authentication and messages.
    mutating func sent() -> [BusMessage] {
        while let output = session.takeOutput() {
            session.wrote(output.octets.count)
            descriptors += output.descriptors
            octets += output.octets
        }
        while octets.first != 0x6C, let end = octets.firstIndex(of: 0x0A) {
            text += String(decoding: octets[...end], as: UTF8.self)
            octets.removeSubrange(...end)
        }
        var messages: [BusMessage] = []
        while let length = try? BusMessage.length(of: octets.span), length <= octets.count,
            let header = try? BusMessage.Header(decoding: octets.span.extracting(first: length)),
            let message = try? header.whole(
                octets.span.extracting(first: length), Array(descriptors.suffix(header.descriptorCount)))
        {
            messages.append(message)
            octets.removeSubrange(..<length)
        }
        return messages
    }

    mutating func receive(_ message: BusMessage) throws {
        var message = message
        serial += 1
        message.serial = serial
        message.sender = message.sender ?? "org.freedesktop.DBus"
        receive(try message.encoded(), message.descriptors)
    }

    mutating func reply(to call: BusMessage, from sender: String? = nil, _ values: [BusValue] = []) throws {
        var reply = BusMessage(.reply)
        (reply.replySerial, reply.sender, reply.body) = (call.serial, sender, values)
        try receive(reply)
    }

    mutating func fail(_ call: BusMessage, _ name: String, from sender: String? = nil) throws {
        var error = BusMessage(.error)
        (error.replySerial, error.sender, error.errorName) = (call.serial, sender, name)
        error.body = [.string("No.")]
        try receive(error)
    }

    mutating func signal(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [], from sender: String
    ) throws {
        var signal = BusMessage.signal(path, interface, member, arguments)
        signal.sender = sender
        try receive(signal)
    }

    mutating func call(
        _ path: String, _ interface: String?, _ member: String, wantsReply: Bool = true
    ) throws {
        var call = BusMessage(.call)
        (call.path, call.interface, call.member, call.sender) = (path, interface, member, ":1.9")
        call.isReplyExpected = wantsReply
        try receive(call)
    }

    /// The events, as texts for comparison.
    mutating func events() -> [String] {
        session.takeEvents().map { event in
            switch event {
            case .ready(let name): "ready \(name)"
            case .answer(let number, .success(let reply)): "answer \(number) \(reply.body.compactMap(\.text))"
            case .answer(let number, .failure(let error)): "answer \(number) \(error)"
            case .subscribed(let number, let error): "subscribed \(number) \(error.map { "\($0)" } ?? "")"
            case .signal(let message, let numbers): "signal \(message.member ?? "") \(numbers)"
            case .owner(let number, let owner): "owner \(number) \(owner ?? "-")"
            case .call(let message, let token):
                "call \(message.interface ?? "").\(message.member ?? "") \(token == nil ? "without" : "with") answer"
            case .ended(let reason): "ended: \(reason)"
            }
        }
    }
}
