import BLEAdapter
import BLESecurity
import BLEWire
import ESPHomeAPI

/// What one client of the gateway does with its radio, as a value: messages of the client and events of the adapter go in, messages
/// to the client and commands to the adapter come out.
package struct GatewaySession: Sendable {
    /// A GATT operation that the adapter carries out, in the order of `GatewayLink.pending`.
    enum Pending: Sendable {
        /// The first operation of a link. It ends after the exchange of the MTU.
        case opening
        case read(handle: UInt16)
        case write(handle: UInt16)
        case discovery
        /// Descriptors up to the handle of a write, for clients that know the services from an earlier connection.
        case lookUp(valueHandle: UInt16, write: UInt16, value: [UInt8])
    }

    struct Link: Sendable {
        enum State: Sendable {
            case connecting(deadline: Instant)
            case opening
            case up
            /// Cancelled. The adapter reports the end, and the client gets this error. At the deadline the session stops to wait for it.
            case ending(error: Int32, deadline: Instant)
        }

        let identifier: PeerIdentifier
        var state: State
        var pending: [Pending] = []
        var discovery: TreeDiscovery?
        /// Whether the client waits for the services.
        var wantsServices = false
        /// The characteristics that the client registered for, by value handle.
        var notifying: Set<UInt16> = []
        /// The characteristic of each known client configuration: its value handle and its last handle.
        var configurations: [UInt16: (valueHandle: UInt16, end: UInt16)] = [:]
        /// The handles of other descriptors.
        var otherDescriptors: Set<UInt16> = []
    }

    /// The time in which a device must accept a connection. It is that of the ESP32's host.
    package static let connectionTimeout = TimeSpan.seconds(30)
    /// The time in which the adapter must report the end of a cancelled link. After it the client gets its answer, and the slot is free.
    package static let endTimeout = TimeSpan.seconds(10)
    /// The most operations of one link that wait. A client waits for the answer of each before the next.
    package static let pendingLimit = 256
    /// The longest value (Vol 3, Part F, 3.2.9).
    static let valueLimit = 512

    package var connection: APIConnection
    var slots: ConnectionSlots
    package var commands: [GatewayCommand] = []
    /// Whether the slots changed since the flag was cleared.
    package var slotsChanged = false

    var links: [UInt64: Link] = [:]
    var addresses: [PeerIdentifier: UInt64] = [:]
    var pairing: Set<UInt64> = []
    var adapterState = AdapterState.unknown
    /// Whether the client wants advertisements.
    package private(set) var isScanning = false
    var wantsSlots = false
    let identify: @Sendable (DeviceAddress) -> PeerIdentifier

    package init(
        connection: APIConnection, slots: ConnectionSlots,
        identify: @escaping @Sendable (DeviceAddress) -> PeerIdentifier
    ) {
        self.connection = connection
        self.slots = slots
        self.identify = identify
    }

    /// Exchanges the slots of all clients with this session, which changes them.
    package mutating func withSlots(_ slots: inout ConnectionSlots, _ body: (inout GatewaySession) -> Void) {
        self.slots = slots
        body(&self)
        slots = self.slots
    }

    // MARK: Messages of the client

    package mutating func handle(_ message: IncomingMessage, at now: Instant) throws(APIError) {
        switch message.type {
        case SubscribeAdvertisementsRequest.type:
            if !isScanning {
                isScanning = true
                if adapterState == .poweredOn { commands.append(.startScan) }
            }
            sendScannerState()
        case UnsubscribeAdvertisementsRequest.type:
            if isScanning, adapterState == .poweredOn { commands.append(.stopScan) }
            isScanning = false
            sendScannerState()
        case ScannerSetModeRequest.type: sendScannerState()
        case SubscribeConnectionsFreeRequest.type:
            wantsSlots = true
            reportSlots()
        case DeviceRequest.type: request(try message.decode(), at: now)
        case GATTGetServicesRequest.type: getServices(try message.decode())
        case GATTReadRequest.type:
            let request = try message.decode(GATTReadRequest.self)
            read(request.address, request.handle)
        case GATTReadDescriptorRequest.type:
            let request = try message.decode(GATTReadDescriptorRequest.self)
            read(request.address, request.handle)
        case GATTWriteRequest.type: write(try message.decode())
        case GATTWriteDescriptorRequest.type: writeDescriptor(try message.decode())
        case GATTNotifyRequest.type: notify(try message.decode())
        case SetConnectionParametersRequest.type:
            // The adapter chooses the parameters of its links.
            let request = try message.decode(SetConnectionParametersRequest.self)
            connection.send(SetConnectionParametersResponse(address: request.address, error: GatewayError.failed))
        default: break
        }
    }

    mutating func sendScannerState() {
        let state: ScannerState =
            !isScanning ? .idle : adapterState == .poweredOn ? .running : adapterState == .unknown ? .starting : .failed
        // The adapter always scans actively, whatever mode a client asks for.
        connection.send(ScannerStateResponse(state: state.rawValue, mode: 1, configuredMode: 1))
    }

    /// Tells the client the free slots, if it asked for them.
    package mutating func reportSlots() {
        guard wantsSlots else { return }
        connection.send(
            ConnectionsFreeResponse(
                free: UInt32(slots.free), limit: UInt32(slots.limit), allocated: slots.allocated))
    }

    // MARK: Events of the adapter

    package mutating func adapterStateChanged(_ state: AdapterState) {
        adapterState = state
        // A session of an adapter that was off has no scan, and its links have ended.
        if state == .poweredOn {
            if isScanning { commands.append(.startScan) }
            // Requests that came before the first state.
            for (_, link) in links.sorted(by: { $0.key < $1.key }) { commands.append(.connect(link.identifier)) }
        } else if state != .unknown {
            for address in links.keys.sorted() { end(address, error: GatewayError.code(.adapterLost)) }
        }
        if isScanning { sendScannerState() }
    }

    package mutating func connected(_ peer: PeerIdentifier) {
        guard let address = addresses[peer], case .connecting = links[address]?.state else { return }
        links[address]?.state = .opening
        // The exchange of the MTU runs first in the queue of the link. The answer to the client contains its result.
        submit(.readRSSI, .opening, address)
    }

    package mutating func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {
        if let address = addresses[peer] { end(address, error: GatewayError.code(failure)) }
    }

    package mutating func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd) {
        guard let address = addresses[peer], let link = links[address] else { return }
        switch (link.state, end) {
        case (.ending(let error, _), _): self.end(address, error: error)
        case (_, .cancelled): self.end(address, error: 0x16)
        case (_, .failed(let failure)): self.end(address, error: GatewayError.code(failure))
        }
    }

    /// What became of a notification for the client.
    package enum Delivery: Hashable, Sendable {
        /// The client did not register for the characteristic.
        case unwanted
        /// More octets than the limit wait for the client.
        case dropped
        /// - Parameter waiting: The octets that wait to leave.
        case sent(waiting: Int)
    }

    /// Sends a notification or an indication to the client, if it registered for it.
    ///
    /// - Parameter limit: The octets of this connection that may wait to leave.
    package mutating func received(
        _ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier, limit: Int
    ) -> Delivery {
        guard let address = addresses[peer], links[address]?.notifying.contains(handle) == true else {
            return .unwanted
        }
        guard connection.outgoingCount < limit else { return .dropped }
        connection.send(GATTNotifyDataResponse.type) { writer in
            GATTNotifyData.encode(address: address, handle: handle, value, into: &writer)
        }
        return .sent(waiting: connection.outgoingCount)
    }

    package mutating func pairingCompleted(
        _ peer: PeerIdentifier, _ result: Result<LinkSecurity, PairingProcedureError>
    ) {
        guard let address = addresses[peer], pairing.remove(address) != nil else { return }
        switch result {
        case .success: connection.send(DevicePairingResponse(address: address, isSuccess: true))
        case .failure(let failure):
            let error: Int32 =
                switch failure {
                case .local(let reason), .remote(let reason): Int32(reason.rawValue)
                default: GatewayError.failed
                }
            connection.send(DevicePairingResponse(address: address, isSuccess: false, error: error))
        }
    }

    // MARK: Time and end

    /// When `handleTimeout` is due: the earliest end of a connection attempt or of a cancelled link.
    package var deadline: Instant? {
        var earliest: Instant?
        for link in links.values {
            switch link.state {
            case .connecting(let deadline), .ending(_, let deadline): earliest = min(earliest ?? deadline, deadline)
            case .opening, .up: break
            }
        }
        return earliest
    }

    package mutating func handleTimeout(at now: Instant) {
        for (address, link) in links.sorted(by: { $0.key < $1.key }) {
            switch link.state {
            case .connecting(let deadline) where deadline <= now:
                cancel(address, link, error: GatewayError.code(.establishmentFailed), at: now)
            case .ending(let error, let deadline) where deadline <= now: end(address, error: error)
            default: break
            }
        }
    }

    /// Ends the links and the scan of a client that goes away.
    package mutating func close() {
        for (address, link) in links.sorted(by: { $0.key < $1.key }) {
            commands.append(.cancelConnection(link.identifier))
            slots.release(address)
            slotsChanged = true
        }
        links = [:]
        addresses = [:]
        if isScanning, adapterState == .poweredOn { commands.append(.stopScan) }
        isScanning = false
    }

    /// The devices that the client uses.
    package var linkCount: Int { links.count }
}
