import BLEAdapter
import BLETransport
import BLEWire
import Dispatch
import MQTTClient

/// What the subscribers of a fleet received since the start.
package struct FleetReceipts: Sendable {
    var numbers: ReceivedNumbers
    /// From the device's advertisement to the subscriber.
    package fileprivate(set) var delivery = LatencyHistogram()
    /// Connections after the first one.
    package fileprivate(set) var reconnections = 0
    package fileprivate(set) var octets = 0

    package var received: Int { numbers.received }
    package var duplicates: Int { numbers.duplicates }
    package var strange: Int { numbers.strange }
    package func missing(of acknowledged: Int) -> Int { numbers.missing(of: acknowledged) }
}

/// One client that receives advertisements of a fleet's gateways, all or a part.
final class FleetSubscriber: @unchecked Sendable {
    // `@unchecked Sendable`: the stored properties are used on `queue` only.

    private let queue: DispatchQueue
    private let filter: String
    private let prefix: [UInt8]
    private let configuration: FleetConfiguration
    private let receipts: Receipts
    private let onSubscribed: @Sendable (String?) -> Void
    private var client: MQTTClient?
    private var backoff = Backoff()
    private var random = SystemRandomNumberGenerator()
    private var isEnded = false
    private var connections = 0

    /// What the subscribers share.
    final class Receipts: Sendable {
        let value: Lock<FleetReceipts>

        init(gateways: Int) { value = Lock(FleetReceipts(numbers: ReceivedNumbers(gateways: gateways))) }
    }

    /// The seconds for which the broker keeps messages for a subscriber that lost its connection.
    private static let sessionExpiry: UInt32 = 300

    /// - Parameter onSubscribed: Called at each connection, with the reason if the broker refused the subscription.
    init(
        _ number: Int, _ configuration: FleetConfiguration, _ receipts: Receipts,
        onSubscribed: @escaping @Sendable (String?) -> Void
    ) throws(MQTTClientError) {
        self.configuration = configuration
        self.receipts = receipts
        self.onSubscribed = onSubscribed
        queue = DispatchQueue(label: "bluetooth.fleet.subscriber.\(number)")
        let topics = "\(configuration.gateway.prefix)/+/advertisement/+"
        // A shared subscription (MQTT 5.0, 4.8.2) gives each message to one of the subscribers.
        filter = configuration.subscribers > 1 ? "$share/\(configuration.name)/\(topics)" : topics
        prefix = Array((configuration.gateway.prefix + "/").utf8)
        // Another run of the fleet has another session, and gets nothing that the broker kept for this one.
        let run = String(UInt32.random(in: .min ... .max), radix: 16)
        var broker = configuration.broker(
            of: number, name: "\(configuration.name)-\(configuration.first)-subscriber-\(number)-\(run)")
        if broker.version == .v5 { broker.sessionExpiry = Self.sessionExpiry }
        client = try MQTTClient(broker, on: queue) { [weak self] event in self?.handle(event) }
    }

    func start() { queue.async { self.client?.connect() } }

    func end() {
        queue.async {
            self.isEnded = true
            self.client?.disconnect()
        }
    }

    private func handle(_ event: MQTTEvent) {
        switch event {
        case .connected:
            backoff.reset()
            connections += 1
            if connections > 1 { receipts.value.withLock { $0.reconnections += 1 } }
            client?.subscribe(filter)
        case .disconnected(let reason):
            guard !isEnded else { return }
            if connections == 0 { onSubscribed(reason) }
            let pause = backoff.next(using: &random)
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause.nanoseconds))) { [weak self] in
                guard let self, !self.isEnded else { return }
                self.client?.connect()
            }
        case .subscribed(_, let refusal): onSubscribed(refusal)
        case .received(let message): receive(message)
        case .published, .postponed: break
        }
    }

    private func receive(_ message: MQTTMessage) {
        let topic = message.topic.utf8
        guard topic.starts(with: prefix) else { return }
        let rest = topic.dropFirst(prefix.count)
        let name = rest.prefix { $0 != UInt8(ascii: "/") }
        guard let index = configuration.index(of: name), let number = MessageNumber.find(in: message.payload) else {
            return
        }
        let sent = DeviceAdvertisement(payload: message.payload)?.time
        let now = MachineClock.date / 1000
        let octets = topic.count + message.payload.count
        receipts.value.withLock { receipts in
            receipts.numbers.add(number, of: index)
            receipts.octets += octets
            if let sent { receipts.delivery.add(Int(clamping: now &- sent)) }
        }
    }
}
