import BLETransport
import Dispatch
import SystemBus

/// A bus with clients that wait.
package protocol BusWorld: Sendable {
    func client() -> BusClient
    /// Ends the bus without a warning.
    func end() async
}

/// The kinds of buses that tests can use.
package enum TestBus: CaseIterable, Sendable {
    /// A `dbus-daemon` of the test's own.
    case daemon
    case memory

    /// - Parameter hasUsualLimits: Whether the bus has the usual limits of a system bus, and not those of the tests.
    package func open(hasUsualLimits: Bool = false) throws -> any BusWorld {
        switch self {
        case .daemon: DaemonWorld(daemon: try PrivateBus(hasUsualLimits: hasUsualLimits))
        case .memory: MemoryWorld(hasUsualLimits)
        }
    }
}

/// `@unchecked Sendable`: the daemon ends once.
private struct DaemonWorld: BusWorld, @unchecked Sendable {
    let daemon: PrivateBus

    func client() -> BusClient { BusClient(daemon.address) }
    func end() async { daemon.kill() }
}

/// A bus in memory on a queue.
private struct MemoryWorld: BusWorld {
    private let queue = DispatchQueue(label: "bus")
    private let broker: MemoryBroker

    init(_ hasUsualLimits: Bool) {
        broker = MemoryBroker(QueueScheduler(queue))
        // As the daemon of the tests.
        if !hasUsualLimits { broker.replies = 5000 }
    }

    func client() -> BusClient { BusClient(broker.connect(), queue) }

    func end() async {
        await withCheckedContinuation { done in
            queue.async { [broker] in
                broker.end()
                done.resume()
            }
        }
    }
}
