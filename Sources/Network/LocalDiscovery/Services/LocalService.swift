/// The reason why a service cannot be announced.
package enum LocalServiceError: Error, Equatable, CustomStringConvertible {
    case name
    case type(String)
    case text(String)
    case tooManyServices

    package var description: String {
        switch self {
        case .name: "The name of a service has 1 to 63 octets of UTF-8. Choose a shorter name."
        case .type(let type): "\"\(type)\" is no type of a service. A type has the form _name._tcp or _name._udp."
        case .text(let key):
            "The attribute \"\(key)\" does not fit: a key has printable ASCII characters other than =, a key with its value has at most 254 octets, and all have at most 1,000."
        case .tooManyServices:
            "A program announces at most \(LocalService.mostPublished) services. Withdraw one first."
        }
    }
}

/// A service that a program announces (RFC 6763).
package struct LocalService: Hashable, Sendable {
    /// The services that a program announces at the same time.
    package static let mostPublished = 32

    /// The name that users see. A conflict on the network adds a number to it.
    package let name: String
    /// Such as `_esphomelib._tcp`.
    package let type: String
    package let port: UInt16
    /// The attributes of the TXT record.
    package let text: [String: String]
    let typeName: DNSName

    package init(_ name: String, type: String, port: UInt16, text: [String: String] = [:]) throws(LocalServiceError) {
        guard (1...DNSName.longestLabel).contains(name.utf8.count) else { throw .name }
        guard let typeName = Self.typeName(type) else { throw .type(type) }
        var total = 0
        for (key, value) in text {
            let length = key.utf8.count + 1 + value.utf8.count
            total += length + 1
            let isPrintable = key.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x3D }
            guard !key.isEmpty, isPrintable, length <= 254, total <= 1000 else { throw .text(key) }
        }
        self.name = name
        self.type = type
        self.port = port
        self.text = text
        self.typeName = typeName
    }

    /// The domain name of a type, such as `_esphomelib._tcp.local`; nil if the type is not of the form that RFC 6763, 7 gives.
    static func typeName(_ type: String) -> DNSName? {
        let labels = type.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard labels.count == 2, labels[1] == "_tcp" || labels[1] == "_udp", labels[0].hasPrefix("_"),
            (2...16).contains(labels[0].utf8.count)
        else { return nil }
        return DNSName(labels: labels, in: .local)
    }

    var strings: [[UInt8]] { text.sorted { $0.key < $1.key }.map { Array("\($0.key)=\($0.value)".utf8) } }
}

/// A service that a browser found.
package struct FoundService: Hashable, Sendable {
    /// An address, and the number of the interface that heard it. A link-local address is valid on that interface only.
    package struct Address: Hashable, Sendable {
        package let address: IPAddress
        package let interface: Int
    }

    package let name: String
    package let type: String
    package let host: String
    package let port: UInt16
    /// The attributes. A key without a value has an empty one. Octets that are not UTF-8 become U+FFFD.
    package let text: [String: String]
    /// At least one; IPv4 first.
    package let addresses: [Address]
}

/// A datagram of multicast DNS that a responder or a browser wants to send.
package struct OutgoingMessage: Equatable, Sendable {
    package let interface: Int
    /// Nil for the multicast groups of the interface.
    package let destination: Endpoint?
    package let octets: [UInt8]
}

/// A generator of pseudo-random numbers from a seed (splitmix64). Delays need no secret.
struct DelayGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: range, using: &self))
    }
}
