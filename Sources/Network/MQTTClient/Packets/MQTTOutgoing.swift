/// The packets that a client sends, as octets.
enum MQTTOutgoing {
    typealias Version = MQTTConfiguration.Version

    static let pingreq: [UInt8] = [MQTTPacketType.pingreq.octet, 0]

    // MARK: CONNECT (3.1)

    /// - Throws: If a text is too long or contains U+0000.
    static func connect(_ configuration: MQTTConfiguration, keepAlive: UInt16) throws(MQTTClientError) -> [UInt8] {
        let isFive = configuration.version == .v5
        var body: [UInt8] = []
        append("MQTT", to: &body)
        body.append(configuration.version.rawValue)
        body.append(flags(configuration))
        append(keepAlive, to: &body)
        if isFive { body += properties(configuration) }
        try append(configuration.clientIdentifier, "client identifier", to: &body)
        if let will = configuration.will {
            guard MQTTTopic.isName(will.topic), will.payload.count <= MQTTTopic.textLimit else {
                throw MQTTClientError("The last will is too long, or its topic is none.")
            }
            // The properties of the will.
            if isFive { body.append(0) }
            append(will.topic, to: &body)
            append(UInt16(will.payload.count), to: &body)
            body += will.payload
        }
        if let user = configuration.user { try append(user, "user", to: &body) }
        if let password = configuration.password { try append(password.text, "password", to: &body) }
        var packet = [MQTTPacketType.connect.octet]
        appendVariable(body.count, to: &packet)
        return packet + body
    }

    private static func flags(_ configuration: MQTTConfiguration) -> UInt8 {
        var flags: UInt8 = configuration.sessionExpiry == nil ? 2 : 0
        if let will = configuration.will {
            flags |= 4 | (will.isAcknowledged ? 8 : 0) | (will.isRetained ? 0x20 : 0)
        }
        if configuration.password != nil { flags |= 0x40 }
        if configuration.user != nil { flags |= 0x80 }
        return flags
    }

    private static func properties(_ configuration: MQTTConfiguration) -> [UInt8] {
        var properties: [UInt8] = []
        if let expiry = configuration.sessionExpiry {
            properties.append(17)
            append(expiry, to: &properties)
        }
        properties.append(39)
        append(UInt32(MQTTFixedHeader.remainingLimit), to: &properties)
        return [UInt8(properties.count)] + properties
    }

    // MARK: Messages

    /// The octets of a PUBLISH packet (3.3).
    static func publishSize(_ message: MQTTPublication, _ version: Version) -> Int {
        let remaining = publishLength(message, version)
        return 1 + lengthSize(remaining) + remaining
    }

    private static func publishLength(_ message: MQTTPublication, _ version: Version) -> Int {
        2 + message.topic.utf8.count + (message.isAcknowledged ? 2 : 0) + (version == .v5 ? 1 : 0)
            + message.payload.count
    }

    /// Appends a PUBLISH packet. The topic and the size of the message are valid.
    ///
    /// - Parameter identifier: Not nil for a message with quality of service 1.
    static func publish(
        _ message: MQTTPublication, identifier: UInt16?, _ version: Version, to octets: inout [UInt8]
    ) {
        octets.append(
            MQTTPacketType.publish.octet | (identifier == nil ? 0 : 2) | (message.isRetained ? 1 : 0))
        appendVariable(publishLength(message, version), to: &octets)
        append(message.topic, to: &octets)
        if let identifier { append(identifier, to: &octets) }
        // No properties.
        if version == .v5 { octets.append(0) }
        octets += message.payload
    }

    /// Appends a PUBACK packet (3.4).
    static func puback(_ identifier: UInt16, to octets: inout [UInt8]) {
        octets += [MQTTPacketType.puback.octet, 2]
        append(identifier, to: &octets)
    }

    // MARK: Subscriptions

    /// Appends a SUBSCRIBE packet with quality of service 1 (3.8). The filter is valid.
    static func subscribe(_ filter: String, identifier: UInt16, _ version: Version, to octets: inout [UInt8]) {
        request(.subscribe, filter, options: [1], identifier, version, to: &octets)
    }

    /// Appends an UNSUBSCRIBE packet (3.10). The filter is valid.
    static func unsubscribe(_ filter: String, identifier: UInt16, _ version: Version, to octets: inout [UInt8]) {
        request(.unsubscribe, filter, options: [], identifier, version, to: &octets)
    }

    private static func request(
        _ type: MQTTPacketType, _ filter: String, options: [UInt8], _ identifier: UInt16, _ version: Version,
        to octets: inout [UInt8]
    ) {
        octets.append(type.octet | 2)
        appendVariable(
            2 + (version == .v5 ? 1 : 0) + 2 + filter.utf8.count + options.count, to: &octets)
        append(identifier, to: &octets)
        if version == .v5 { octets.append(0) }
        append(filter, to: &octets)
        octets += options
    }

    // MARK: The end

    /// A DISCONNECT packet (3.14). Version 3.1.1 knows the ordinary end alone.
    static func disconnect(_ violation: MQTTProtocolError.Code? = nil) -> [UInt8] {
        let type = MQTTPacketType.disconnect.octet
        return violation.map { [type, 1, $0.rawValue] } ?? [type, 0]
    }

    // MARK: Fields (1.5)

    private static func append(_ text: String, _ name: String, to octets: inout [UInt8]) throws(MQTTClientError) {
        guard text.utf8.count <= MQTTTopic.textLimit, !text.utf8.contains(0) else {
            throw MQTTClientError("The \(name) has more than \(MQTTTopic.textLimit) octets, or contains U+0000.")
        }
        append(text, to: &octets)
    }

    private static func append(_ text: String, to octets: inout [UInt8]) {
        append(UInt16(text.utf8.count), to: &octets)
        octets += text.utf8
    }

    private static func append(_ number: UInt16, to octets: inout [UInt8]) {
        octets += [UInt8(number >> 8), UInt8(number & 0xFF)]
    }

    private static func append(_ number: UInt32, to octets: inout [UInt8]) {
        append(UInt16(number >> 16), to: &octets)
        append(UInt16(number & 0xFFFF), to: &octets)
    }

    private static func appendVariable(_ number: Int, to octets: inout [UInt8]) {
        var rest = number
        repeat {
            octets.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
    }

    private static func lengthSize(_ number: Int) -> Int {
        switch number {
        case ..<0x80: 1
        case ..<0x4000: 2
        case ..<0x20_0000: 3
        default: 4
        }
    }
}
