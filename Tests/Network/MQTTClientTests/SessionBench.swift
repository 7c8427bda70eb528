import BLEWire

@testable import MQTTClient

/// The octets of hexadecimal digits with spaces between them.
func hexadecimal(_ text: String) -> [UInt8] {
    text.split(separator: " ").map { UInt8($0, radix: 16) ?? 0xEE }
}

/// A PUBLISH packet of a broker, without properties.
func publish(
    _ topic: String, _ payload: [UInt8], flags: UInt8 = 0, identifier: UInt16? = nil,
    _ version: MQTTConfiguration.Version = .v5
) -> [UInt8] {
    var body = [UInt8(topic.utf8.count >> 8), UInt8(topic.utf8.count & 0xFF)] + Array(topic.utf8)
    if let identifier { body += [UInt8(identifier >> 8), UInt8(identifier & 0xFF)] }
    if version == .v5 { body.append(0) }
    return packet(0x30 | flags, body + payload)
}

/// A packet with a first octet and the octets after its header.
func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    var rest = body.count
    repeat {
        length.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
        rest >>= 7
    } while rest > 0
    return [first] + length + body
}

func configuration(_ version: MQTTConfiguration.Version = .v5) -> MQTTConfiguration {
    var configuration = MQTTConfiguration(host: "broker", port: 1883, clientIdentifier: "c")
    configuration.version = version
    return configuration
}

/// A session in virtual time.
struct SessionBench {
    var session: MQTTSession
    var now = Instant.zero

    init(_ configuration: MQTTConfiguration = configuration()) { session = MQTTSession(configuration, at: .zero) }

    /// A session that the broker has accepted.
    static func accepted(
        _ version: MQTTConfiguration.Version = .v5, sessionExpiry: UInt32? = nil, properties: String = ""
    ) -> SessionBench {
        var settings = configuration(version)
        settings.sessionExpiry = sessionExpiry
        var bench = SessionBench(settings)
        bench.open()
        let list = hexadecimal(properties)
        bench.receive(packet(0x20, [0, 0] + (version == .v5 ? [UInt8(list.count)] + list : [])))
        _ = bench.events()
        return bench
    }

    mutating func open() {
        session.opened(at: now)
        _ = output()
    }

    mutating func receive(_ text: String) { receive(hexadecimal(text)) }
    mutating func receive(_ octets: [UInt8]) { session.receive(octets.span, at: now) }

    mutating func advance(_ span: TimeSpan) {
        now += span
        session.handleTimeout(at: now)
    }

    /// Publishes a message without a payload.
    mutating func publish(_ number: UInt64, isAcknowledged: Bool = true) {
        session.publish(
            MQTTPublication(topic: "t", payload: [], isAcknowledged: isAcknowledged), number: number, at: now)
    }

    /// What the session sent since the last call. The system takes it at once.
    mutating func output() -> [UInt8] {
        let output = session.takeOutput()
        session.wrote()
        return output
    }

    mutating func events() -> [MQTTEvent] { session.takeEvents() }

    /// The reason of the end, if that is the last event.
    mutating func end() -> String? {
        if case .disconnected(let reason) = events().last { reason } else { nil }
    }
}
