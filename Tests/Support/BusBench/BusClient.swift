import Dispatch
import SystemBus

/// A connection with its queue, for tests that wait.
package final class BusClient: Sendable {
    private let queue = DispatchQueue(label: "bus client")
    package let bus: BusConnection

    package init(_ addresses: BusAddress...) { bus = BusConnection(to: addresses, queue: queue) }

    /// Runs `body` on the queue of the connection.
    package func run<T: Sendable>(_ body: @escaping @Sendable (BusConnection) -> T) async -> T {
        await withCheckedContinuation { continuation in
            queue.async { [bus] in continuation.resume(returning: body(bus)) }
        }
    }

    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) async -> Result<BusMessage, BusCallError> {
        await withCheckedContinuation { continuation in
            queue.async { [bus] in
                bus.call(destination, path, interface, member, arguments) { continuation.resume(returning: $0) }
            }
        }
    }

    package func requestName(_ name: String) async -> Result<Void, BusCallError> {
        await withCheckedContinuation { continuation in
            queue.async { [bus] in bus.requestName(name) { continuation.resume(returning: $0) } }
        }
    }

    /// Returns when no further signal of the rule can be missed, or with the reason why none will come.
    package func subscribe(
        _ match: BusMatch, _ receive: @escaping @Sendable (BusMessage) -> Void
    ) async -> BusCallError? {
        await withCheckedContinuation { continuation in
            queue.async { [bus] in
                bus.subscribe(match, completion: { continuation.resume(returning: $0) }, receive: receive)
            }
        }
    }

    /// Ends the connection.
    package func close() async { await run { $0.close() } }
}
