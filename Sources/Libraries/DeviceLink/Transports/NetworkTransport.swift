internal import BLEAdapter
import BLETransport
import BLEWire
import CoreBluetooth

/// The way over the local network: a TCP connection with the secure channel.
///
/// The device is found by multicast DNS. After a second the fallback begins: queries to the broadcast addresses of this machine's networks. An
/// address by hand needs neither.
///
/// `@unchecked Sendable`: all state is used on the queue that it was created with.
public final class NetworkTransport: DeviceTransport, @unchecked Sendable {
    /// `network`.
    public let name = "network"
    private let device: String
    private let key: LinkKey
    private let address: TransportAddress?
    private let search: any DeviceBrowsing
    private let queue: DispatchQueue
    private let clock: QueueClock
    private var report: (@Sendable (DeviceTransportEvent) -> Void)?
    private var finder: DeviceFinder?
    private var connector: StreamConnector?
    private var connection: DispatchStream?
    private var channel: SecureStream?

    /// Prepares the way.
    ///
    /// - Parameters:
    ///   - device: The identifier of the device.
    ///   - key: The key of the device.
    ///   - address: The host or address of the device, and its port; nil to find it.
    ///   - interfaces: The names of the interfaces to look on; empty for all that can multicast.
    ///   - queue: The serial queue of the link.
    ///   - clock: The clock of the pauses between the queries of the fallback.
    public convenience init(
        to device: String, key: LinkKey, at address: (host: String, port: UInt16)? = nil, interfaces: [String] = [],
        queue: DispatchQueue = .main, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            to: device, key: key, at: address.map { .tcp(host: $0.host, port: $0.port) },
            search: LocalDeviceBrowser(interfaces: interfaces, queue: queue), queue: queue, clock: clock)
    }

    package init(
        to device: String, key: LinkKey, at address: TransportAddress?, search: any DeviceBrowsing,
        queue: DispatchQueue,
        clock: any Clock<Duration>
    ) {
        self.device = device
        self.key = key
        self.address = address
        self.search = search
        self.queue = queue
        self.clock = QueueClock(clock)
    }

    /// Finds the device and connects.
    public func open(_ report: @escaping @Sendable (DeviceTransportEvent) -> Void) {
        self.report = report
        if let address { return connect([address]) }
        let finder = DeviceFinder(device, search, queue: queue, clock: clock)
        self.finder = finder
        finder.start { [weak self] addresses in
            guard let self, self.report != nil, connector == nil, connection == nil else { return }
            self.finder?.stop()
            self.finder = nil
            connect(addresses)
        }
    }

    /// Sends an envelope.
    public func send(_ envelope: [UInt8]) {
        channel?.send(envelope)
        flush()
    }

    /// Closes the connection.
    public func close() {
        report = nil
        reset()
    }

    private func reset() {
        finder?.stop()
        connector?.cancel()
        connection?.close()
        (finder, connector, connection, channel) = (nil, nil, nil, nil)
    }

    private func end(_ reason: String) {
        reset()
        let report = self.report
        self.report = nil
        report?(.closed(reason))
    }

    /// Tries the addresses one after another.
    private func connect(_ addresses: [TransportAddress]) {
        guard let first = addresses.first else { return end("The device has no address.") }
        connector = StreamConnector.connect(to: first, queue: queue, timeout: .seconds(3)) { [weak self] result in
            guard let self, self.report != nil else { return }
            connector = nil
            switch result {
            case .success(let connection): opened(connection)
            case .failure(let error):
                if addresses.count > 1 { connect(Array(addresses.dropFirst())) } else { end("\(error)") }
            }
        }
    }

    private func opened(_ connection: TransportConnection) {
        let stream = DispatchStream(connection, queue: queue, queueLimit: 1 << 18)
        self.connection = stream
        channel = SecureStream(isClient: true, key: key)
        stream.onReceive = { [weak self] octets in
            self?.receive(octets.withUnsafeBufferPointer { Array($0) })
        }
        stream.onClose = { [weak self] reason in
            guard let self else { return }
            let isReady = channel?.isReady ?? false
            end(
                isReady
                    ? "The connection has ended: \(reason)."
                    : "The device closed the connection before the channel was secure. Compare the keys.")
        }
        stream.start()
        channel?.start()
        flush()
    }

    private func receive(_ octets: [UInt8]) {
        guard var channel else { return }
        let wasReady = channel.isReady
        do throws(LinkChannelError) {
            let envelopes = try channel.receive(octets)
            self.channel = channel
            if !wasReady, channel.isReady { report?(.opened) }
            for envelope in envelopes { report?(.received(envelope)) }
            flush()
        } catch {
            end("\(error)")
        }
    }

    private func flush() {
        guard let octets = channel?.takeOutgoing(), !octets.isEmpty else { return }
        if connection?.send(octets.span) == .full { end("The device takes no octets.") }
    }
}
