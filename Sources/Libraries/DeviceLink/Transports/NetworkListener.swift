import BLETransport
import BLEWire
import CoreBluetooth
import LocalDiscovery

/// The listener over the local network: TCP connections with the secure channel, and a service that multicast DNS announces.
///
/// At most 32 connections are open. One that has not shown the key after ten seconds ends. A recorded handshake does not show it.
///
/// `@unchecked Sendable`: all state is used on the queue that it was created with.
public final class NetworkListener: DeviceListener, @unchecked Sendable {
    private struct Client {
        let stream: DispatchStream
        /// The address of the client, without its port.
        let source: String
        var channel: SecureStream
    }

    private static let mostClients = 32
    /// Connections without the key compete among themselves.
    private static let mostStrangers = 8
    private static let handshakeLimit = DispatchTimeInterval.seconds(10)

    /// `network`.
    public let name = "network"
    private let device: String
    private let key: LinkKey
    private let address: TransportAddress
    private let interfaces: [String]?
    private let queue: DispatchQueue
    private var report: (@Sendable (DeviceListenerEvent) -> Void)?
    private var listener: StreamListener?
    private var network: LocalNetwork?
    private var clients: [UInt64: Client] = [:]
    private var nextNumber: UInt64 = 1

    /// Prepares the listener.
    ///
    /// - Parameters:
    ///   - device: The identifier of the device, which the announcement contains.
    ///   - key: The key of the device.
    ///   - address: The address and port to listen at. Port 0 lets the system choose.
    ///   - interfaces: The names of the interfaces to announce on, empty for all that can multicast; nil announces nothing.
    ///   - queue: The serial queue of the device.
    public init(
        _ device: String, key: LinkKey, at address: (host: String, port: UInt16) = ("0.0.0.0", 0),
        announcedOn interfaces: [String]? = [], queue: DispatchQueue = .main
    ) {
        self.device = device
        self.key = key
        self.address = .tcp(host: address.host, port: address.port)
        self.interfaces = interfaces
        self.queue = queue
    }

    /// Listens, and announces the service.
    public func open(_ report: @escaping @Sendable (DeviceListenerEvent) -> Void) {
        self.report = report
        do throws(TransportError) {
            let listener = try StreamListener(at: address, queue: queue)
            self.listener = listener
            listener.onAccept = { [weak self] stream in self?.accept(stream) }
            listener.start()
            announce(listener.address)
            report(.opened(listener.address.description))
        } catch {
            report(.failed("\(error)"))
        }
    }

    /// Sends an envelope to a client.
    public func send(_ envelope: [UInt8], to client: UInt64) {
        clients[client]?.channel.send(envelope)
        flush(client)
    }

    /// Closes all connections and withdraws the announcement.
    public func close() {
        report = nil
        listener?.close()
        network?.close()
        for client in clients.values { client.stream.close() }
        (listener, network, clients) = (nil, nil, [:])
    }

    private func announce(_ address: TransportAddress) {
        guard let interfaces, case .tcp(_, let port) = address else { return }
        var label = device
        while label.utf8.count > 63 { label.unicodeScalars.removeLast() }
        network = try? LocalNetwork(host: NetworkService.host(), interfaces: interfaces, queue: queue)
        network?.open()
        if let service = try? LocalService(
            label, type: NetworkService.type, port: port, text: [NetworkService.identifier: device])
        {
            try? network?.publish(service)
        }
    }

    private func accept(_ stream: DispatchStream) {
        let strangers = clients.filter { !$0.value.channel.isConfirmed }
        if strangers.count >= Self.mostStrangers,
            let displaced = strangers.sorted(by: { $0.key < $1.key }).firstOfLargestGroup(by: { $0.value.source })
        {
            end(displaced.key)
        }
        guard clients.count < Self.mostClients else { return stream.close() }
        let number = nextNumber
        nextNumber += 1
        clients[number] = Client(
            stream: stream, source: Self.source(of: stream), channel: SecureStream(isClient: false, key: key))
        stream.onReceive = { [weak self] octets in
            self?.receive(octets.withUnsafeBufferPointer { Array($0) }, number)
        }
        stream.onClose = { [weak self] _ in self?.end(number) }
        stream.start()
        queue.asyncAfter(deadline: .now() + Self.handshakeLimit) { [weak self] in
            if let client = self?.clients[number], !client.channel.isConfirmed { self?.end(number) }
        }
    }

    /// The address of a client, without its port.
    static func source(of stream: DispatchStream) -> String {
        guard case .tcp(let host, _)? = try? TransportAddress(parsing: stream.name) else { return stream.name }
        return host
    }

    private func end(_ number: UInt64) {
        guard let client = clients.removeValue(forKey: number) else { return }
        client.stream.close()
        if client.channel.isConfirmed { report?(.left(number)) }
    }

    private func receive(_ octets: [UInt8], _ number: UInt64) {
        guard clients[number] != nil else { return }
        do throws(LinkChannelError) {
            let envelopes = try clients[number]!.channel.receive(octets)
            flush(number)
            for envelope in envelopes { report?(.received(envelope, client: number)) }
        } catch {
            end(number)
        }
    }

    private func flush(_ number: UInt64) {
        guard let octets = clients[number]?.channel.takeOutgoing(), !octets.isEmpty else { return }
        // A client that reads nothing must not fill the memory.
        if clients[number]?.stream.send(octets.span) == .full { end(number) }
    }
}
