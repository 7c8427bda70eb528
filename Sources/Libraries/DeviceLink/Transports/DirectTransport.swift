import CoreBluetooth
import Foundation
import LocalDiscovery

/// The way over the device's own access point: UDP datagrams to the gateway's address, with the secure channel.
///
/// This machine has joined the network of the device, so the device is the gateway of the default route.
///
/// `@unchecked Sendable`: all state is used on the queue that it was created with.
public final class DirectTransport: DeviceTransport, @unchecked Sendable {
    /// The port of devices.
    public static let port: UInt16 = 7463
    private static let greetingPause = DispatchTimeInterval.milliseconds(500)

    /// `direct`.
    public let name = "direct"
    private let key: LinkKey
    private let address: (host: String, port: UInt16)?
    private let queue: DispatchQueue
    private var report: (@Sendable (DeviceTransportEvent) -> Void)?
    private var socket: DatagramSocket?
    private var destination: Endpoint?
    private var channel: DatagramClient?
    private var opening = 0

    /// Prepares the way.
    ///
    /// - Parameters:
    ///   - key: The key of the device.
    ///   - address: The IPv4 address and port of the device; nil for the gateway of the default route and the usual port.
    ///   - queue: The serial queue of the link.
    public init(key: LinkKey, at address: (host: String, port: UInt16)? = nil, queue: DispatchQueue = .main) {
        self.key = key
        self.address = address
        self.queue = queue
    }

    /// Opens the socket, and begins the secure channel.
    public func open(_ report: @escaping @Sendable (DeviceTransportEvent) -> Void) {
        self.report = report
        opening += 1
        let opening = opening
        guard let destination = address.map({ IPv4Text.endpoint($0.host, $0.port) }) ?? Self.gateway(Self.port) else {
            return end(
                address.map { "\"\($0.host)\" is no IPv4 address." }
                    ?? "This machine has no default route. Join the network of the device.")
        }
        self.destination = destination
        do throws(DatagramSocket.SocketError) {
            let socket = try DatagramSocket(bindingTo: Endpoint(IPAddress(0, 0, 0, 0), 0))
            self.socket = socket
            socket.start(on: queue) { [weak self] octets, source in
                guard let self, self.opening == opening, source == self.destination else { return }
                receive(octets)
            }
        } catch {
            return end("\(error)")
        }
        channel = DatagramClient(key: key)
        greet(opening)
    }

    /// Sends an envelope.
    public func send(_ envelope: [UInt8]) {
        guard let datagram = channel?.seal(envelope), let destination else { return }
        socket?.send(datagram, to: destination)
    }

    /// Closes the socket.
    public func close() {
        report = nil
        opening += 1
        (socket, channel, destination) = (nil, nil, nil)
    }

    private func end(_ reason: String) {
        let report = self.report
        close()
        report?(.closed(reason))
    }

    private func greet(_ opening: Int) {
        guard self.opening == opening, let greeting = channel?.greeting, let destination else { return }
        socket?.send(greeting, to: destination)
        queue.asyncAfter(deadline: .now() + Self.greetingPause) { [weak self] in self?.greet(opening) }
    }

    private func receive(_ octets: [UInt8]) {
        guard let wasReady = channel?.isReady else { return }
        let envelope = channel?.receive(octets)
        if !wasReady, channel?.isReady == true { report?(.opened) }
        if let envelope { report?(.received(envelope)) }
    }

    /// The gateway of the default route with the lowest metric (proc_net(5)).
    static func gateway(_ port: UInt16) -> Endpoint? {
        guard let text = try? String(contentsOfFile: "/proc/net/route", encoding: .utf8) else { return nil }
        return IPv4Text.gateway(ofRoutes: text).map { Endpoint($0, port) }
    }
}

/// IPv4 addresses in texts.
enum IPv4Text {
    static func endpoint(_ host: String, _ port: UInt16) -> Endpoint? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 4, !parts.contains(nil) else { return nil }
        return IPAddress(parts.compactMap { $0 }).map { Endpoint($0, port) }
    }

    /// The gateway of the default route in the text of `/proc/net/route`: addresses are hexadecimal, the least significant octet first.
    static func gateway(ofRoutes text: String) -> IPAddress? {
        var best: (metric: Int, address: IPAddress)?
        for line in text.split(separator: "\n").dropFirst() {
            let fields = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
            guard fields.count > 7, fields[1] == "00000000", fields[7] == "00000000",
                let value = UInt32(fields[2], radix: 16),
                value != 0, let metric = Int(fields[6]), best.map({ metric < $0.metric }) ?? true
            else { continue }
            let octets = (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
            if let address = IPAddress(octets) { best = (metric, address) }
        }
        return best?.address
    }
}

/// The listener of the device's own access point: a UDP port.
///
/// `@unchecked Sendable`: all state is used on the queue that it was created with.
public final class DirectListener: DeviceListener, @unchecked Sendable {
    /// `direct`.
    public let name = "direct"
    private let address: (host: String, port: UInt16)
    private let queue: DispatchQueue
    private let start = ContinuousClock.now
    private var server: DatagramServer<Endpoint>
    private var socket: DatagramSocket?
    private var report: (@Sendable (DeviceListenerEvent) -> Void)?

    /// Prepares the listener.
    ///
    /// - Parameters:
    ///   - key: The key of the device.
    ///   - address: The IPv4 address and port of the socket.
    ///   - queue: The serial queue of the device.
    public init(
        key: LinkKey, at address: (host: String, port: UInt16) = ("0.0.0.0", DirectTransport.port),
        queue: DispatchQueue = .main
    ) {
        self.address = address
        self.queue = queue
        server = DatagramServer(key: key) { $0.address.description }
    }

    /// Opens the socket.
    public func open(_ report: @escaping @Sendable (DeviceListenerEvent) -> Void) {
        self.report = report
        guard let endpoint = IPv4Text.endpoint(address.host, address.port) else {
            return report(.failed("\"\(address.host)\" is no IPv4 address."))
        }
        do throws(DatagramSocket.SocketError) {
            let socket = try DatagramSocket(bindingTo: endpoint)
            self.socket = socket
            socket.start(on: queue) { [weak self] octets, source in self?.receive(octets, source) }
            report(.opened("udp:\(endpoint.address):\(socket.port)"))
        } catch {
            report(.failed("\(error)"))
        }
    }

    /// Sends an envelope to a client.
    public func send(_ envelope: [UInt8], to client: UInt64) {
        guard let (destination, datagram) = server.seal(envelope, to: client) else { return }
        socket?.send(datagram, to: destination)
    }

    /// Closes the socket.
    public func close() { (report, socket) = (nil, nil) }

    private func receive(_ octets: [UInt8], _ source: Endpoint) {
        let (received, answer) = server.receive(octets, from: source, at: ContinuousClock.now - start)
        if let answer { socket?.send(answer, to: source) }
        if let received { report?(.received(received.envelope, client: received.client)) }
    }
}
