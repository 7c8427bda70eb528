import TLSChannel

/// Reasons of refusals in plain sentences.
enum MQTTReasonText {
    /// The reason in CONNACK: codes of MQTT 3.1.1, 3.2.2.3, or of MQTT 5.0, 3.2.2.2.
    static func connection(_ code: UInt8, _ version: MQTTConfiguration.Version, _ reason: String? = nil) -> String {
        switch (version, code) {
        case (.v311, 4), (.v5, 0x86): "The broker refused the user or the password."
        case (.v311, 5), (.v5, 0x87):
            "The broker does not authorize this client. Check the user, the password and the certificate."
        case (.v311, 2), (.v5, 0x85): "The broker refused the client identifier. Choose another name."
        case (.v311, 3), (.v5, 0x88): "The broker is not available."
        case (_, 1), (.v5, 0x84): "The broker does not support this version of MQTT. Try the version 3.1.1 or 5."
        default: "The broker refused the connection: \(text(code, reason))"
        }
    }

    /// Whether a reason in PUBACK may be gone when the message comes again: an unspecified error, an error of the implementation, or a quota
    /// (MQTT 5.0, 3.4.2.1).
    static func isTemporary(_ code: UInt8) -> Bool { [0x80, 0x83, 0x97].contains(code) }

    /// The characters of a broker's own words that a sentence contains.
    static let wordLimit = 200

    /// The name of a reason code (MQTT 5.0, 2.4), and the broker's own words without characters that could rewrite the line.
    static func text(_ code: UInt8, _ reason: String? = nil) -> String {
        let name = names[code] ?? "Reason code \(code)"
        let words = reason.map { plain($0) } ?? ""
        return words.isEmpty ? "\(name)." : "\(name) (\(words))."
    }

    private static func plain(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(wordLimit)
        return String(
            String.UnicodeScalarView(scalars.map { unseen.contains($0.properties.generalCategory) ? " " : $0 }))
    }

    private static let unseen: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]

    private static let names: [UInt8: String] = [
        0x00: "Normal disconnection", 0x80: "Unspecified error", 0x81: "Malformed packet", 0x82: "Protocol error",
        0x83: "Implementation specific error", 0x84: "Unsupported protocol version",
        0x85: "Client identifier not valid", 0x86: "Bad user name or password", 0x87: "Not authorized",
        0x88: "Server unavailable", 0x89: "Server busy", 0x8A: "Banned", 0x8B: "Server shutting down",
        0x8C: "Bad authentication method", 0x8D: "Keep alive timeout", 0x8E: "Session taken over",
        0x8F: "Topic filter invalid", 0x90: "Topic name invalid", 0x91: "Packet identifier in use",
        0x92: "Packet identifier not found", 0x93: "Receive maximum exceeded", 0x94: "Topic alias invalid",
        0x95: "Packet too large", 0x96: "Message rate too high", 0x97: "Quota exceeded",
        0x98: "Administrative action", 0x99: "Payload format invalid", 0x9A: "Retain not supported",
        0x9B: "QoS not supported", 0x9C: "Use another server", 0x9D: "Server moved",
        0x9E: "Shared subscriptions not supported", 0x9F: "Connection rate exceeded", 0xA0: "Maximum connect time",
        0xA1: "Subscription identifiers not supported", 0xA2: "Wildcard subscriptions not supported",
    ]

    /// - Parameter end: The reason of TLS; nil if the broker ended the connection without a word.
    static func tls(_ end: TLSCloseReason?) -> String {
        switch end {
        case .untrusted(let reason):
            "The certificate of the broker is not trusted: check its authority and its host name. OpenSSL says: \(reason)."
        case .alert: "The broker refused the TLS connection: check the client certificate."
        case .notTLS: "The broker does not use TLS at this port."
        case .failed(let reason): "The TLS connection failed: \(reason)."
        case .closed, nil:
            "The TLS connection failed. The broker may require a client certificate, or may not use TLS at this port."
        }
    }
}
