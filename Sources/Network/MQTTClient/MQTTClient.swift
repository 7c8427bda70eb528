import BLEAdapter
import BLETransport
import Dispatch

/// A client of an MQTT broker (MQTT 3.1.1 or 5.0).
///
/// `connect` begins one attempt. `disconnected` ends it, and the owner decides about the next one (see `Backoff`). Nothing survives the
/// end of a connection: the owner subscribes again, and publishes again what the broker has not acknowledged. With
/// `MQTTConfiguration.sessionExpiry`, the broker keeps the subscriptions and their messages.
///
/// Threads: the methods are called on the owner's queue, where everything runs. The handler is called there, never within a method.
package final class MQTTClient: @unchecked Sendable {
    // `@unchecked Sendable`: everything is used on `queue` only.

    private var configuration: MQTTConfiguration
    private let queue: DispatchQueue
    private let handler: @Sendable (MQTTEvent) -> Void
    private var connection: MQTTConnection?
    /// A group on the owner's queue. Its thread waits for the connection and calls the handler: without it, an answer of the broker passes
    /// through three threads. Set before `connect`.
    package var pollingGroup: PollingGroup?
    /// Counts connections, so that late events of an earlier one are dropped.
    private var generation = 0
    /// The broker of the last attempt.
    package private(set) var address: MQTTConfiguration.Address

    /// Called on the owner's queue with the octets of a longer message, once in each connection; later ones are dropped without a call. A broker
    /// of version 5 knows the limit and sends few such messages. By default, the library's log gets a warning.
    package var reportDropped: @Sendable (_ octets: Int) -> Void = { octets in
        LibraryLog.logger().warning(
            "A message of \(octets) octets from the MQTT broker was dropped: the limit is \(MQTTMessage.payloadLimit) octets. The log names no further ones of this connection."
        )
    }

    /// - Parameter queue: The owner's serial queue.
    /// - Throws: If OpenSSL is missing, which TLS needs, or a file of `configuration.tls` does not serve.
    package init(
        _ configuration: MQTTConfiguration, on queue: DispatchQueue,
        handler: @escaping @Sendable (MQTTEvent) -> Void
    ) throws(MQTTClientError) {
        try configuration.tls?.check()
        // A file that does not serve is an error here, and not only of the first connection.
        _ = try configuration.tls?.context()
        (self.configuration, self.queue, self.handler) = (configuration, queue, handler)
        address = configuration.addresses[0]
    }

    deinit {
        guard let connection else { return }
        queue.async { connection.end() }
    }

    /// Begins to connect: to the first broker of the configuration, and each time after that to the next one. An earlier connection ends
    /// without an event.
    package func connect() {
        connection?.end()
        address = configuration.addresses[generation % configuration.addresses.count]
        generation += 1
        connection = MQTTConnection(
            configuration, address, on: queue, group: pollingGroup, reportDropped: reportDropped
        ) { [weak self, generation = generation] events in
            for event in events { self?.deliver(event, generation) }
        }
    }

    private func deliver(_ event: MQTTEvent, _ generation: Int) {
        guard generation == self.generation, let connection else { return }
        if case .disconnected = event { self.connection = nil }
        // A later connection takes up the session.
        if case .connected = event, let assigned = connection.assignedIdentifier {
            configuration.clientIdentifier = assigned
        }
        handler(event)
    }

    /// Publishes a message. `published` with this number follows, unless the connection ends first. Without a connection there is no effect.
    package func publish(_ message: MQTTPublication, number: UInt64) { publish([(message, number)]) }

    /// Publishes messages in their order, with fewer writes to the network than one call for each.
    package func publish(_ messages: [(message: MQTTPublication, number: UInt64)]) { connection?.publish(messages) }

    /// Subscribes with quality of service 1. `subscribed` follows.
    package func subscribe(_ filter: String) { connection?.subscribe(filter) }

    /// Ends a subscription. Messages that the broker has sent before still arrive. Without a connection there is no effect.
    package func unsubscribe(_ filter: String) { connection?.unsubscribe(filter) }

    /// Ends the connection without an event. The broker does not publish the will.
    ///
    /// - Parameter completion: Called on the owner's queue when the broker has been told, or has not taken the octets for 3 s.
    package func disconnect(_ completion: (@Sendable () -> Void)? = nil) {
        if let connection {
            connection.end(completion)
        } else if let completion {
            queue.async(execute: completion)
        }
        connection = nil
    }
}
