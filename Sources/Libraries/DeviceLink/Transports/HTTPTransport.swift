internal import BLEAdapter
import BLETransport
import CoreBluetooth
import LocalHTTP

/// The way over the device's own access point by HTTP, for devices whose firmware has no more than an HTTP server, and for networks that drop UDP.
///
/// The requests carry the datagrams of the secure channel, so the protection is that of ``DirectTransport``. One connection sends envelopes, and another one
/// waits for those of the device. This machine has joined the network of the device, so the device is the gateway of the default route.
///
/// `@unchecked Sendable`: all state is used on the queue that it was created with.
public final class HTTPTransport: DeviceTransport, @unchecked Sendable {
    /// The port of devices.
    public static let port: UInt16 = 7463
    /// The time in which a device answers at once.
    private static let answerLimit = DispatchTimeInterval.seconds(5)
    /// The time in which a device answers a request that waits. A device holds it for 20 s.
    private static let waitLimit = DispatchTimeInterval.seconds(30)
    /// A device that holds no request is asked again after this pause.
    private static let pollPause = Duration.milliseconds(250)
    private static let mostWaiting = 64

    /// `http`.
    public let name = "http"
    private let key: LinkKey
    private let address: (host: String, port: UInt16)?
    private let queue: DispatchQueue
    private let clock: QueueClock
    private var report: (@Sendable (DeviceTransportEvent) -> Void)?
    private var channel: DatagramClient?
    private var host = ""
    private var sender: HTTPClient?
    private var receiver: HTTPClient?
    private var waiting: [[UInt8]] = []
    private var isSending = false
    private var opening = 0

    /// Prepares the way.
    ///
    /// - Parameters:
    ///   - key: The key of the device.
    ///   - address: The IPv4 address and port of the device; nil for the gateway of the default route and the usual port.
    ///   - queue: The serial queue of the link.
    ///   - clock: The clock of the pauses.
    public init(
        key: LinkKey, at address: (host: String, port: UInt16)? = nil, queue: DispatchQueue = .main,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.key = key
        self.address = address
        self.queue = queue
        self.clock = QueueClock(clock)
    }

    /// Begins the secure channel.
    public func open(_ report: @escaping @Sendable (DeviceTransportEvent) -> Void) {
        self.report = report
        opening += 1
        guard let endpoint = address.map({ IPv4Text.endpoint($0.host, $0.port) }) ?? DirectTransport.gateway(Self.port)
        else {
            return end(
                address.map { "\"\($0.host)\" is no IPv4 address." }
                    ?? "This machine has no default route. Join the network of the device.")
        }
        host = endpoint.description
        let place = TransportAddress.tcp(host: endpoint.address.description, port: endpoint.port)
        sender = HTTPClient(to: place, queue: queue, bodyLimit: PostedDatagrams.longest)
        receiver = HTTPClient(to: place, queue: queue, bodyLimit: PostedDatagrams.longest)
        let channel = DatagramClient(key: key)
        self.channel = channel
        waiting = []
        isSending = false
        post(with: sender, within: Self.answerLimit) {
            [channel.greeting].compactMap { $0 }
        } then: { [weak self] _ in
            guard let self else { return }
            guard self.channel?.isReady == true else { return end("The device does not speak this protocol.") }
            self.report?(.opened)
            poll()
        }
    }

    /// Sends an envelope.
    public func send(_ envelope: [UInt8]) {
        waiting.append(envelope)
        // The link repeats what is lost.
        if waiting.count > Self.mostWaiting { waiting.removeFirst() }
        pump()
    }

    /// Closes the connections.
    public func close() {
        report = nil
        opening += 1
        sender?.close()
        receiver?.close()
        (sender, receiver, channel) = (nil, nil, nil)
    }

    private func end(_ reason: String) {
        let report = self.report
        close()
        report?(.closed(reason))
    }

    private func pump() {
        guard channel?.isReady == true, !isSending, !waiting.isEmpty else { return }
        isSending = true
        let batch = PostedDatagrams.takeBatch(from: &waiting)
        post(with: sender, within: Self.answerLimit) { [weak self] in
            batch.compactMap { self?.channel?.seal($0) }
        } then: { [weak self] _ in
            self?.isSending = false
            self?.pump()
        }
    }

    /// Asks the device for what it has to say.
    private func poll() {
        let begin = clock.now
        let opening = opening
        post(with: receiver, within: Self.waitLimit) { [weak self] in
            [self?.channel?.seal([])].compactMap { $0 }
        } then: { [weak self] count in
            guard let self else { return }
            guard count == 0, clock.now - begin < .seconds(1) else { return poll() }
            clock.schedule(at: clock.now + Self.pollPause, on: queue) { [weak self] in
                if self?.opening == opening { self?.poll() }
            }
        }
    }

    /// Posts datagrams, takes those of the response, and passes their number on. A request without a response ends the way.
    ///
    /// - Parameter datagrams: Makes the datagrams. A repeated request needs new ones, because the device takes each once.
    private func post(
        with client: HTTPClient?, within limit: DispatchTimeInterval, _ datagrams: @escaping () -> [[UInt8]],
        then: @escaping (Int) -> Void
    ) {
        let opening = opening
        let isGreeting = channel?.isReady == false
        client?.post(to: PostedDatagrams.path, host: host, within: limit) {
            PostedDatagrams.encode(datagrams())
        } completion: { [weak self] result in
            guard let self, self.opening == opening else { return }
            switch result {
            case .failure(let failure): end("\(failure)")
            case .success(let reply):
                guard reply.status == 200 || reply.status == 204 else {
                    return end(Self.text(ofStatus: reply.status, isGreeting: isGreeting))
                }
                guard let datagrams = PostedDatagrams.decode(reply.body) else {
                    return end("The device does not speak this protocol.")
                }
                for datagram in datagrams {
                    if let envelope = channel?.receive(datagram) { report?(.received(envelope)) }
                    // The program may have closed the way.
                    guard self.opening == opening else { return }
                }
                then(datagrams.count)
            }
        }
    }

    private static func text(ofStatus status: Int, isGreeting: Bool) -> String {
        switch status {
        case 403 where isGreeting: "The device does not take this key. Compare the keys of both ends."
        case 403: "The device has forgotten the channel."
        default: "The device answered with the status \(status) of HTTP."
        }
    }
}
