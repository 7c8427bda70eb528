import BLETransport
import Dispatch

/// A client of an MQTT broker (MQTT 3.1.1 or 5.0) over libmosquitto, which the client loads when it is created.
///
/// `connect` begins one attempt. `disconnected` ends it, and the owner decides about the next one (see `Backoff`). Nothing survives the
/// end of a connection: the owner subscribes again, and publishes again what the broker has not acknowledged. With
/// `MQTTConfiguration.sessionExpiry`, the broker keeps the subscriptions and their messages.
///
/// Threads: the methods are called on the owner's queue, and the handler is called there, never within a method. libmosquitto runs on
/// the connection's own queue, because a connection attempt blocks. `publish` waits for that queue once the broker has accepted the client,
/// from when on nothing there blocks.
package final class MQTTClient: @unchecked Sendable {
    // `@unchecked Sendable`: `connection` and `generation` are used on `queue` only.

    private let library: MosquittoLibrary
    private let configuration: MQTTConfiguration
    private let queue: DispatchQueue
    private let connectionTarget: DispatchQueue?
    private let handler: @Sendable (MQTTEvent) -> Void
    private var connection: MQTTConnection?
    /// A group on the owner's queue. Its thread serves the connection once the broker has accepted the client, and calls the handler:
    /// without it, an answer of the broker passes through three threads. Set before `connect`.
    package var pollingGroup: PollingGroup?
    /// Counts connections, so that late events of an earlier one are dropped.
    private var generation = 0
    /// The broker of the last attempt.
    package private(set) var address: MQTTConfiguration.Address

    /// The largest message that the client passes on, in octets.
    package static let receiveLimit = 256 << 10

    /// - Parameters:
    ///   - queue: The owner's serial queue.
    ///   - connectionTarget: The queue that the queue of each connection targets. A program with many clients gives a concurrent one, so that
    ///     its threads do not grow with its clients.
    /// - Throws: If the library is missing, or a file of `configuration.tls` cannot be read.
    package convenience init(
        _ configuration: MQTTConfiguration, on queue: DispatchQueue, connectionTarget: DispatchQueue? = nil,
        handler: @escaping @Sendable (MQTTEvent) -> Void
    ) throws(MQTTFailure) {
        try self.init(
            configuration, library: .load(), on: queue, connectionTarget: connectionTarget, handler: handler)
    }

    init(
        _ configuration: MQTTConfiguration, library: MosquittoLibrary, on queue: DispatchQueue,
        connectionTarget: DispatchQueue? = nil, handler: @escaping @Sendable (MQTTEvent) -> Void
    ) throws(MQTTFailure) {
        try configuration.tls?.check()
        self.library = library
        (self.configuration, self.queue, self.handler) = (configuration, queue, handler)
        self.connectionTarget = connectionTarget
        address = configuration.addresses[0]
    }

    deinit { connection?.end() }

    /// Begins to connect: to the first broker of the configuration, and each time after that to the next one. An earlier connection ends
    /// without an event.
    package func connect() {
        connection?.end()
        address = configuration.addresses[generation % configuration.addresses.count]
        let connection = MQTTConnection(library, configuration, address, target: connectionTarget)
        self.connection = connection
        generation += 1
        let generation = self.generation
        connection.start { [weak self, weak connection] events in
            guard let self, let connection else { return }
            queue.async {
                for event in events { self.deliver(event, generation) }
                let octets = MQTTConnection.octets(of: events)
                if octets > 0 { connection.delivered(octets) }
            }
        }
    }

    private func deliver(_ event: MQTTEvent, _ generation: Int) {
        guard generation == self.generation, connection != nil else { return }
        if case .disconnected = event { connection = nil }
        if case .connected = event, let pollingGroup {
            connection?.serve(in: pollingGroup) { [weak self] events in
                for event in events { self?.deliver(event, generation) }
            }
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
    /// - Parameter completion: Called on the owner's queue when the broker has been told. A connection attempt can delay it for minutes.
    package func disconnect(_ completion: (@Sendable () -> Void)? = nil) {
        let queue = self.queue
        if let connection {
            connection.end { if let completion { queue.async(execute: completion) } }
        } else if let completion {
            queue.async(execute: completion)
        }
        connection = nil
    }
}
