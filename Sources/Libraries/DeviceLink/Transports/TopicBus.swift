import BLEWire
import CoreBluetooth
import MQTTClient

/// Whether a bus carries the messages of a subscription.
public enum TopicBusState: Hashable, Sendable {
    /// The bus carries them.
    case connected
    /// The bus does not carry them, for this reason. It tries again by itself.
    case disconnected(String)
}

/// A bus with topics: the seam to the cloud. ``MQTTTopicBus`` is one over a broker, ``MemoryTopicBus`` one inside of the process.
///
/// A topic has levels with slashes between them. The bus may lose, repeat and reorder messages, and it may read them: a ``CloudTransport`` seals its
/// messages. All calls and callbacks are on one serial queue, and no callback comes within a call.
public protocol TopicBus: AnyObject, Sendable {
    /// Whether the bus carries messages now.
    var isConnected: Bool { get }
    /// Publishes a message. One that cannot be published is dropped.
    func publish(_ octets: [UInt8], to topic: String)
    /// Receives the messages of all topics that match. In a filter the level `+` stands for any level.
    ///
    /// - Parameters:
    ///   - filter: The topics, with `+` for any level.
    ///   - onMessage: Receives the topic and the message.
    ///   - onState: Receives the state of the subscription, soon and after each change. While the first attempt to connect is under way, the
    ///     state comes with its result.
    /// - Returns: A number for ``unsubscribe(_:)``.
    func subscribe(
        to filter: String, onMessage: @escaping @Sendable (String, [UInt8]) -> Void,
        onState: @escaping @Sendable (TopicBusState) -> Void
    ) -> Int
    /// Ends a subscription. No callback follows.
    func unsubscribe(_ number: Int)
}

/// A bus inside of the process, for tests and demonstrations.
///
/// `@unchecked Sendable`: all state is used on the queue that it was created with.
public final class MemoryTopicBus: TopicBus, @unchecked Sendable {
    private struct Subscription {
        let filter: String
        let onMessage: @Sendable (String, [UInt8]) -> Void
        let onState: @Sendable (TopicBusState) -> Void
    }

    private let queue: DispatchQueue
    private var subscriptions: [Int: Subscription] = [:]
    private var next = 1
    /// The number of published messages.
    public private(set) var count = 0

    /// Creates a bus that is connected.
    ///
    /// - Parameter queue: The queue of all its users.
    public init(queue: DispatchQueue = .main) { self.queue = queue }

    /// Whether the bus carries messages. A test cuts it.
    public var isConnected = true {
        didSet {
            guard isConnected != oldValue else { return }
            for number in subscriptions.keys.sorted() { subscriptions[number]?.onState(state) }
        }
    }

    private var state: TopicBusState { isConnected ? .connected : .disconnected("The bus is cut.") }

    /// Brings the message to all subscriptions that match, later on the queue.
    public func publish(_ octets: [UInt8], to topic: String) {
        guard isConnected else { return }
        count += 1
        queue.async { [self] in
            for number in subscriptions.keys.sorted() {
                guard let subscription = subscriptions[number],
                    MQTTTopic.matches(topic, filter: subscription.filter)
                else { continue }
                subscription.onMessage(topic, octets)
            }
        }
    }

    /// Adds a subscription.
    public func subscribe(
        to filter: String, onMessage: @escaping @Sendable (String, [UInt8]) -> Void,
        onState: @escaping @Sendable (TopicBusState) -> Void
    ) -> Int {
        let number = next
        next += 1
        subscriptions[number] = Subscription(filter: filter, onMessage: onMessage, onState: onState)
        queue.async { [self] in subscriptions[number]?.onState(state) }
        return number
    }

    /// Removes a subscription.
    public func unsubscribe(_ number: Int) { subscriptions[number] = nil }
}

/// The topics of a device: `PREFIX/link/DEVICE/up/CLIENT` to the device, and `PREFIX/link/DEVICE/down/CLIENT` to a client.
package enum LinkTopics {
    /// The octets of the identifier in a level of a topic: letters, digits and `-_~` stay, each other octet becomes `%` and two digits (RFC 3986,
    /// 2.1), so an identifier adds no level and no wildcard. Some brokers do not accept a dot.
    static func level(_ identifier: String) -> String {
        identifier.utf8.reduce(into: "") { text, octet in
            switch octet {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, 0x7E:
                text.unicodeScalars.append(Unicode.Scalar(octet))
            default: text += "%" + hexadecimal(octet, digits: 2)
            }
        }
    }

    static func topic(_ prefix: String, _ device: String, _ direction: String, _ client: String) -> String {
        "\(prefix)/link/\(level(device))/\(direction)/\(client)"
    }

    /// The reason why no broker takes the topics of a device with this prefix; nil if they are within the limits.
    package static func problem(prefix: String, device: String) -> String? {
        let levels = prefix.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard levels.allSatisfy({ !$0.isEmpty && MQTTTopic.level($0) == $0 }) else {
            return "The prefix of the topics needs levels with slashes between them, without + # $ and controls."
        }
        do throws(MQTTClientError) {
            // The longest name of a client.
            try MQTTTopic.check(topic(prefix, device, "down", String(repeating: "f", count: 16)))
            return nil
        } catch {
            return error.description
        }
    }
}
