internal import BLEAdapter
import CoreBluetooth
import Synchronization

/// The part of a device that joins wireless networks. The methods are called on the queue of the peripheral, and may complete on any queue.
public protocol WiFiJoining: AnyObject, Sendable {
    /// Joins a network. The completion gets the addresses that the user can open to continue, such as `http://192.0.2.7/`, or an
    /// error that the client sees. Implementations keep the password out of logs and command lines.
    func join(
        _ credentials: WiFiCredentials, completion: @escaping @Sendable (Result<[String], ImprovError>) -> Void)
    /// Ends the attempt of the moment, because its time is over. Its completion no longer matters.
    func cancel()
    /// Lists the networks in range.
    func scan(completion: @escaping @Sendable ([VisibleNetwork]) -> Void)
}

/// Wireless networks that exist in a program only, for tests and demonstrations.
public final class SimulatedWiFi: WiFiJoining {
    /// A network that exists.
    public struct Network: Sendable {
        /// What a device sees of the network.
        public var visible: VisibleNetwork
        /// The password; empty for an open network.
        public var password: String

        /// Creates a network.
        public init(name: String, password: String, signal: Int = -50) {
            visible = VisibleNetwork(name: name, signal: signal, security: password.isEmpty ? "NO" : "WPA2")
            self.password = password
        }
    }

    private let networks: [Network]
    private let delay: Duration
    private let address: String
    private let queue: DispatchQueue
    private let clock: QueueClock
    /// The number of the latest attempt.
    private let attempt = Atomic(0)

    /// Creates networks that the device joins after a delay.
    ///
    /// - Parameters:
    ///   - networks: The networks in range.
    ///   - delay: The time that joining takes.
    ///   - address: What the user can open after the device has joined.
    ///   - queue: The queue of the peripheral.
    ///   - clock: The clock of the delay.
    public init(
        _ networks: [Network], delay: Duration = .seconds(3), address: String = "http://192.0.2.7/",
        queue: DispatchQueue = .main, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.networks = networks
        self.delay = delay
        self.address = address
        self.queue = queue
        self.clock = QueueClock(clock)
    }

    /// Joins if there is a network with the name and the password.
    public func join(
        _ credentials: WiFiCredentials, completion: @escaping @Sendable (Result<[String], ImprovError>) -> Void
    ) {
        let number = attempt.add(1, ordering: .relaxed).newValue
        let isRight = networks.contains {
            $0.visible.name == credentials.network && $0.password == credentials.password
        }
        clock.schedule(at: clock.now + delay, on: queue) { [weak self] in
            guard let self, attempt.load(ordering: .relaxed) == number else { return }
            completion(isRight ? .success([address]) : .failure(.unableToConnect))
        }
    }

    /// Ends the attempt.
    public func cancel() { attempt.add(1, ordering: .relaxed) }

    /// Lists the networks, the strongest first.
    public func scan(completion: @escaping @Sendable ([VisibleNetwork]) -> Void) {
        completion(networks.map(\.visible).sorted { $0.signal > $1.signal })
    }
}
