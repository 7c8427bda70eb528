import BLEWire
import MQTTClient

/// The topics of a gateway. Each has at most 7 slashes and 256 octets, which is the limit of AWS IoT Core.
package struct CloudTopics: Sendable {
    /// The prefix and the name of the gateway.
    package let base: String
    package let status: String
    package let statistics: String
    /// The filter for commands of all clients.
    package let commands: String
    private let commandPrefix: String

    /// The longest name of a client in the topic of a command, in octets.
    private static let clientLimit = 64

    /// - Throws: If the topics would exceed the limits.
    package init(prefix: String, name: String) throws(MQTTClientError) {
        let levels = prefix.split(separator: "/", omittingEmptySubsequences: true).map(String.init) + [name]
        base = try MQTTTopic.joined(levels)
        // The longest topic is that of a reply.
        _ = try MQTTTopic.joined(levels + ["advertisement", String(repeating: "a", count: Self.clientLimit), "a"])
        status = base + "/status"
        statistics = base + "/statistics"
        commands = base + "/command/+"
        commandPrefix = base + "/command/"
    }

    package func advertisement(_ address: UInt64) -> String { "\(base)/advertisement/\(Self.level(address))" }
    package func link(_ address: UInt64) -> String { "\(base)/link/\(Self.level(address))" }
    package func value(_ address: UInt64, handle: UInt16) -> String { "\(base)/value/\(Self.level(address))/\(handle)" }
    package func reply(to client: String) -> String { "\(base)/reply/\(client)" }

    /// The client that sent a command to this topic; nil for other topics, and for a name that is too long.
    package func client(ofCommand topic: String) -> String? {
        guard topic.hasPrefix(commandPrefix) else { return nil }
        let client = topic.dropFirst(commandPrefix.count)
        guard !client.isEmpty, client.utf8.count <= Self.clientLimit, MQTTTopic.level(String(client)) == client else {
            return nil
        }
        return String(client)
    }

    /// An address without colons, as a level of a topic.
    package static func level(_ address: UInt64) -> String { hexadecimal(address, digits: 12) }
}
