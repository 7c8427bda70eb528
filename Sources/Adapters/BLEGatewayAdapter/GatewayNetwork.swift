import BLETransport

/// The way to a gateway. The description names it within a sentence.
package protocol GatewayNetwork: AnyObject, Sendable, CustomStringConvertible {
    /// Connects, and calls `completion` once on the adapter's scheduler.
    func connect(_ completion: @escaping @Sendable (Result<any ByteStream, TransportError>) -> Void)
}

/// A gateway at an address.
package final class AddressNetwork: GatewayNetwork {
    private let address: TransportAddress
    private let scheduler: QueueScheduler

    package init(_ address: TransportAddress, scheduler: QueueScheduler) {
        self.address = address
        self.scheduler = scheduler
    }

    package var description: String { "the gateway at \(address)" }

    package func connect(_ completion: @escaping @Sendable (Result<any ByteStream, TransportError>) -> Void) {
        let queue = scheduler.queue
        queue.async { [address] in
            StreamConnector.connect(to: address, queue: queue) { result in
                completion(result.map { DispatchStream($0, queue: queue) })
            }
        }
    }
}
