import Dispatch
import BLEWire
import SystemBus

/// A connection with its queue, for tests that wait.
package final class BusClient: Sendable {
    private let queue: DispatchQueue
    package let bus: BusConnection

    package init(_ addresses: BusAddress...) {
        queue = DispatchQueue(label: "bus client")
        bus = BusConnection(to: addresses, queue: queue)
    }

    package init(_ bus: BusConnection, _ queue: DispatchQueue) { (self.bus, self.queue) = (bus, queue) }

    /// Runs `body` on the queue of the connection, and returns what it passes to its second argument, once.
    package func result<T: Sendable>(
        _ body: @escaping @Sendable (BusConnection, @escaping @Sendable (T) -> Void) -> Void
    ) async -> T {
        await withCheckedContinuation { continuation in
            queue.async { [bus] in body(bus) { continuation.resume(returning: $0) } }
        }
    }

    package func run<T: Sendable>(_ body: @escaping @Sendable (BusConnection) -> T) async -> T {
        await result { bus, done in done(body(bus)) }
    }

    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) async -> Result<BusMessage, BusCallError> {
        // As long as a loaded machine may take.
        await result {
            $0.call(destination, path, interface, member, arguments, timeout: .seconds(180), completion: $1)
        }
    }

    package func requestName(_ name: String) async -> Result<Void, BusCallError> {
        await result { $0.requestName(name, completion: $1) }
    }

    /// Returns when no further signal of the rule can be missed, or with the reason why none will come.
    package func subscribe(
        _ match: BusMatch, _ receive: @escaping @Sendable (BusMessage) -> Void
    ) async -> BusCallError? {
        await result { $0.subscribe(match, completion: $1, receive: receive) }
    }

    package func emit(_ signal: BusMessage) async throws(BusCallError) {
        try await run { bus in Result { () throws(BusCallError) in try bus.emit(signal) } }.get()
    }

    /// Ends the connection.
    package func close() async { await run { $0.close() } }
}
