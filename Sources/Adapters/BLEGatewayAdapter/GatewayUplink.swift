import BLETransport
import BLEWire
import ESPHomeAPI
import NoiseChannel

/// The connection to a gateway, which it opens again after each loss.
///
/// Threads: everything runs on the scheduler.
final class GatewayUplink: @unchecked Sendable {
    private enum Phase { case idle, connecting, open, waiting }

    /// The seconds before each further attempt.
    private static let retryDelays = [1, 2, 5, 10, 30]
    /// A wrong key is reported by a peer that is not authenticated yet, so the key is tried again, but not soon.
    private static let wrongKeyDelay = 30

    /// Handles a message of the gateway. An error ends the connection.
    var onMessage: ((IncomingMessage) throws(APIError) -> Void)?
    /// Called once for each attempt or connection that ended.
    var onLoss: ((GatewayConnectionError) -> Void)?
    /// Called when all octets have left.
    var onEmpty: (() -> Void)?

    /// The attempts since the connection last worked.
    private(set) var attempts = 0
    private let network: any GatewayNetwork
    private let key: PreSharedKey?
    private let scheduler: any SerialScheduler
    private var phase = Phase.idle
    private var stream: (any ByteStream)?
    private var connection: APIConnection?
    private var outgoing: [UInt8] = []
    /// The number of connections so far, so that the timer of an earlier one ends.
    private var generation = 0

    init(_ network: any GatewayNetwork, key: PreSharedKey?, scheduler: any SerialScheduler) {
        self.network = network
        self.key = key
        self.scheduler = scheduler
    }

    func start() {
        guard phase == .idle || phase == .waiting else { return }
        phase = .connecting
        network.connect { [weak self] result in
            guard let self, phase == .connecting else { return }
            switch result {
            case .success(let stream): open(stream)
            case .failure(let error): lose(.network("\(error)"))
            }
        }
    }

    /// Records that the connection works.
    func confirm() { attempts = 0 }

    /// The octets that have not left.
    var queuedOctets: Int { stream?.queuedOctets ?? 0 }

    /// Sends a message with the next `flush`. Has no effect without a connection.
    func send(_ message: some APIMessage) { connection?.send(message) }

    func flush() {
        guard phase == .open else { return }
        let failure = connection?.takeOutgoing(&outgoing) ?? nil
        if !outgoing.isEmpty, stream?.send(outgoing.span) == .full { return lose(.conversation(.backlog)) }
        if let failure { lose(.conversation(failure)) }
    }

    private func open(_ stream: any ByteStream) {
        phase = .open
        generation += 1
        self.stream = stream
        connection = APIConnection(
            role: .client(information: "OpenCoreBluetooth", expectedName: ""), key: key,
            ephemeralKey: EphemeralKey(), at: scheduler.now)
        stream.onReceive = { [weak self] octets in self?.receive(octets) }
        stream.onClose = { [weak self] reason in self?.lose(.network("\(reason)")) }
        stream.onEmpty = { [weak self] in self?.onEmpty?() }
        stream.start()
        planTick(generation)
        do throws(APIError) {
            try connection?.greet()
            flush()
        } catch {
            lose(.conversation(error))
        }
    }

    private func planTick(_ generation: Int) {
        scheduler.submit(after: .seconds(1)) { [weak self] in self?.tick(generation) }
    }

    private func tick(_ generation: Int) {
        guard generation == self.generation, phase == .open else { return }
        do throws(APIError) {
            try connection?.handleTimeout(at: scheduler.now)
        } catch {
            return lose(.conversation(error))
        }
        flush()
        planTick(generation)
    }

    private func receive(_ octets: Span<UInt8>) {
        connection?.receive(octets, at: scheduler.now)
        do throws(APIError) {
            while let message = try connection?.next() { try onMessage?(message) }
            flush()
        } catch {
            flush()
            lose(.conversation(error))
        }
    }

    /// Ends the attempt or the connection, and tries again later.
    private func lose(_ loss: GatewayConnectionError) {
        guard phase == .connecting || phase == .open else { return }
        phase = .waiting
        stream?.close()
        stream = nil
        connection = nil
        onLoss?(loss)
        let delay = loss.isOfKey ? Self.wrongKeyDelay : Self.retryDelays[min(attempts, Self.retryDelays.count - 1)]
        attempts += 1
        scheduler.submit(after: .seconds(delay)) { [weak self] in self?.start() }
    }
}
