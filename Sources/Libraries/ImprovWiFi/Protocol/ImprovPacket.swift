/// A command or a result: an identifier, the number of octets of the data, the data, and the sum of all octets before.
struct ImprovPacket: Hashable, Sendable {
    static let longestData = 255

    enum Command {
        static let join: UInt8 = 1
        static let identify: UInt8 = 2
        static let deviceInformation: UInt8 = 3
        static let networkScan: UInt8 = 4
    }

    var command: UInt8
    /// At most 255 octets.
    var data: [UInt8]

    init(_ command: UInt8, _ data: [UInt8] = []) {
        self.command = command
        self.data = data
    }

    /// Returns nil if the length or the checksum is wrong.
    init?(decoding octets: [UInt8]) {
        guard octets.count >= 3, octets.count == 3 + Int(octets[1]),
            Self.checksum(octets.dropLast()) == octets.last
        else { return nil }
        self.init(octets[0], Array(octets[2..<octets.count - 1]))
    }

    var encoded: [UInt8] {
        let octets = [command, UInt8(data.count)] + data
        return octets + [Self.checksum(octets[...])]
    }

    /// The strings of a result, each after its length; nil if a length is wrong. Octets that are not UTF-8 become U+FFFD.
    var strings: [String]? {
        var result: [String] = []
        var rest = data[...]
        while let length = rest.popFirst() {
            guard Int(length) <= rest.count else { return nil }
            result.append(String(decoding: rest.prefix(Int(length)), as: UTF8.self))
            rest = rest.dropFirst(Int(length))
        }
        return result
    }

    /// A result with as many of the strings as fit, in whole groups of `group`.
    static func result(_ command: UInt8, _ strings: [String], group: Int = 1) -> ImprovPacket {
        var data: [UInt8] = []
        var start = 0
        while start + group <= strings.count {
            let part = strings[start..<start + group].flatMap { string in
                let octets = Array(string.utf8.prefix(longestData - 1))
                return [UInt8(octets.count)] + octets
            }
            guard data.count + part.count <= longestData else { break }
            data += part
            start += group
        }
        return ImprovPacket(command, data)
    }

    /// The command to join a network.
    static func join(_ credentials: WiFiCredentials) -> ImprovPacket {
        let (network, password) = (Array(credentials.network.utf8), Array(credentials.password.utf8))
        return ImprovPacket(
            Command.join, [UInt8(network.count)] + network + [UInt8(password.count)] + password)
    }

    /// The credentials of a command to join; nil if the lengths do not fit the data, or the octets are not UTF-8.
    var credentials: WiFiCredentials? {
        guard command == Command.join, let first = data.first, data.count >= 2 + Int(first) else { return nil }
        let network = data[1..<1 + Int(first)]
        let rest = data[(1 + Int(first))...]
        guard let second = rest.first, rest.count == 1 + Int(second),
            let name = String(validating: network, as: UTF8.self),
            let password = String(validating: rest.dropFirst(), as: UTF8.self)
        else { return nil }
        return try? WiFiCredentials(network: name, password: password)
    }

    private static func checksum(_ octets: ArraySlice<UInt8>) -> UInt8 { octets.reduce(0, &+) }
}

extension ImprovPacket: CustomStringConvertible, CustomReflectable {
    // The data can contain a password.
    var description: String { "ImprovPacket(command \(command), \(data.count) octets)" }
    var customMirror: Mirror { Mirror(self, children: ["command": command, "count": data.count]) }
}

/// Joins the values of several writes or notifications to a packet. It keeps at most 258 octets.
struct PacketAssembler {
    enum Outcome: Equatable {
        /// More octets have to follow.
        case incomplete
        case packet(ImprovPacket)
        case invalid
    }

    private var octets: [UInt8] = []

    var isEmpty: Bool { octets.isEmpty }

    /// Adds a value. A packet ends with the value that completes it; octets behind its end make it invalid.
    mutating func add(_ value: [UInt8]) -> Outcome {
        guard !value.isEmpty else {
            removeAll()
            return .invalid
        }
        guard octets.count + value.count <= 3 + ImprovPacket.longestData else {
            removeAll()
            return .invalid
        }
        octets += value
        guard octets.count >= 2, octets.count >= 3 + Int(octets[1]) else { return .incomplete }
        defer { removeAll() }
        return ImprovPacket(decoding: octets).map { .packet($0) } ?? .invalid
    }

    mutating func removeAll() { octets.removeAll() }
}
