import BLEAdapter
import BLETransport
import BLEWire
import Dispatch
import ESPHomeAPI
import NoiseChannel

/// What a gateway has passed on and dropped, in all connections.
package struct GatewayCounts: Hashable, Sendable {
    package var advertisements = 0
    package var droppedAdvertisements = 0
    /// Notifications and indications.
    package var values = 0
    package var droppedValues = 0
}

package struct GatewayConfiguration: Sendable {
    /// The name of the gateway: as of a host, at most 31 octets.
    package var name: String
    package var version: String
    /// The address that identifies the gateway, as in "AC:BC:32:89:0E:A9".
    package var macAddress: String
    /// The most devices that all clients together connect to.
    package var slots: Int
    /// Nil serves without encryption.
    package var key: PreSharedKey?

    package init(name: String, version: String, macAddress: String, slots: Int, key: PreSharedKey?) {
        self.name = name
        self.version = version
        self.macAddress = macAddress
        self.slots = slots
        self.key = key
    }

    var information: DeviceInfoResponse {
        DeviceInfoResponse(
            name: name, macAddress: macAddress, version: version, model: "OpenCoreBluetooth gateway",
            projectName: "opencorebluetooth.gateway", projectVersion: version, manufacturer: "OpenCoreBluetooth",
            friendlyName: name,
            bluetoothFeatures: ([
                .passiveScan, .activeConnections, .remoteCaching, .pairing, .cacheClearing, .rawAdvertisements,
                .scannerState,
            ] as BluetoothFeatures).rawValue, bluetoothMACAddress: macAddress)
    }
}

/// Serves an adapter by ESPHome's native API, as a Bluetooth proxy does. Several clients may connect; each has its own session of the
/// adapter, and its links end with its connection.
///
/// A connection is a stranger until its greeting is done, which with a key proves that it has the key. Strangers use nothing of the adapter
/// and never take the place of a client. When there are too many, the machine with the most strangers loses its oldest one, so that a
/// flood displaces itself. Strangers cause no events, so that their number does not fill a log.
///
/// Threads: everything runs on the scheduler given. Call the methods there.
package final class GatewayServer: @unchecked Sendable {
    /// What a gateway tells its program.
    package enum Event: Sendable {
        case clientConnected(String)
        /// Follows `clientConnected`.
        case clientEnded(String, reason: String)
        /// A connection whose greeting was done ended because of `clientLimit`.
        case clientRefused(String)
    }

    /// The most clients at the same time.
    package static let clientLimit = 16
    /// The most connections whose greeting is not done.
    package static let strangerLimit = 16

    /// Called on the scheduler.
    package var onEvent: ((Event) -> Void)?
    package internal(set) var counts = GatewayCounts()
    var slots: ConnectionSlots

    let scheduler: any SerialScheduler
    private let adapter: any BluetoothAdapter
    private let configuration: GatewayConfiguration
    private let identify: @Sendable (DeviceAddress) -> PeerIdentifier
    private var listener: StreamListener?
    /// In the order of their arrival.
    private var connections: [GatewayClient] = []
    /// Changes when the server starts and stops, so that the timer of an earlier run ends.
    private var run = 0
    private var isRunning = false

    /// - Returns: nil if the adapter does not know the addresses of devices, which clients use.
    package init?(
        adapter: any BluetoothAdapter, configuration: GatewayConfiguration, scheduler: any SerialScheduler
    ) {
        guard let identification = adapter.peerIdentification else { return nil }
        self.adapter = adapter
        self.configuration = configuration
        self.scheduler = scheduler
        slots = ConnectionSlots(limit: configuration.slots)
        identify = { identification.identifier(for: $0) }
    }

    /// Listens at an address and returns it, with the port that the system chose for port 0.
    ///
    /// Without a key, only addresses of this machine are accepted.
    ///
    /// - Parameter queue: The queue of the server's scheduler.
    package func listen(
        at address: TransportAddress, on queue: DispatchQueue
    ) throws(TransportError) -> TransportAddress {
        if configuration.key == nil, !Self.isLocal(address) {
            throw TransportError(
                .permissionDenied,
                "Other machines reach \(address), and the gateway has no key. Set one, or listen at tcp:127.0.0.1:6053."
            )
        }
        let listener = try StreamListener(at: address, queue: queue)
        listener.onAccept = { [weak self] stream in self?.accept(stream) }
        listener.start()
        self.listener = listener
        return listener.address
    }

    /// Ends all connections.
    package func stop() {
        // Its release ends it.
        listener = nil
        isRunning = false
        for client in connections { client.disconnect() }
    }

    /// The clients whose greeting is done.
    package var clientCount: Int { connections.count { $0.isAdmitted } }
    /// The connections whose greeting is not done.
    package var strangerCount: Int { connections.count - clientCount }

    /// The links that the clients may still open.
    package var freeSlots: Int { slots.free }

    /// Serves a stream.
    package func accept(_ stream: any ByteStream) {
        let strangers = connections.filter { !$0.isAdmitted }
        if strangers.count >= Self.strangerLimit {
            strangers.firstOfLargestGroup { $0.machine }?.close("other connections wait as well")
        }
        start()
        let connection = APIConnection(
            role: .server(configuration.information), key: configuration.key,
            ephemeralKey: EphemeralKey(), at: scheduler.now)
        let client = GatewayClient(
            stream, server: self, adapter: adapter,
            session: GatewaySession(connection: connection, slots: slots, identify: identify))
        connections.append(client)
        client.start()
    }

    /// Whether a connection whose greeting is done becomes a client.
    func admits(_ client: GatewayClient) -> Bool {
        guard clientCount < Self.clientLimit else {
            onEvent?(.clientRefused(client.name))
            return false
        }
        onEvent?(.clientConnected(client.name))
        return true
    }

    private func start() {
        guard !isRunning else { return }
        isRunning = true
        run += 1
        tick(run)
    }

    private func tick(_ run: Int) {
        guard isRunning, run == self.run else { return }
        let now = scheduler.now
        for client in connections { client.handleTimeout(at: now) }
        scheduler.submit(after: .seconds(1)) { [weak self] in self?.tick(run) }
    }

    func ended(_ client: GatewayClient, _ reason: String, wasAdmitted: Bool) {
        connections.removeAll { $0 === client }
        if wasAdmitted { onEvent?(.clientEnded(client.name, reason: reason)) }
    }

    /// Tells every client the free slots after a change.
    func tellSlots(if changed: inout Bool) {
        guard changed else { return }
        changed = false
        let slots = self.slots
        // After the current call, which may be one of a client.
        scheduler.submit { [weak self] in
            for client in self?.connections ?? [] where !client.isClosed { client.tellSlots(slots) }
        }
    }

    private static func isLocal(_ address: TransportAddress) -> Bool {
        switch address {
        case .tcp(let host, _): isLoopback(host)
        case .unix, .serial, .adapter: true
        }
    }

    /// Whether only programs of this machine reach a host's address: 127.0.0.0/8 (RFC 1122, 3.2.1.3) or ::1.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
