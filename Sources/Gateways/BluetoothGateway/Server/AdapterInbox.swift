import BLEAdapter
import BLESecurity
import BLEWire
import ESPHomeAPI

/// Collects the events of the adapter for one client, on the adapter's executor, and wakes the gateway's queue once for many of them.
///
/// Values and advertisements are stored in buffers that keep their capacity, so storing one allocates nothing once they have grown.
final class AdapterInbox: CentralObserver, PairingObserver {
    enum Event {
        case state(AdapterState)
        case connected(PeerIdentifier)
        case connectionFailed(PeerIdentifier, ConnectionError)
        case disconnected(PeerIdentifier, LinkEnd)
        case completed(PeerIdentifier, Result<GATTResult, GATTError>)
        case value(PeerIdentifier, handle: UInt16, Range<Int>)
        case readyForWriteCommands(PeerIdentifier)
        case paired(PeerIdentifier, Result<LinkSecurity, PairingProcedureError>)
    }

    struct Content {
        var events: [Event] = []
        /// The octets of the values.
        var octets: [UInt8] = []
        var advertisements = ProtobufWriter()
        var advertisementCount = 0
        /// Advertisements and values that found no room.
        var droppedAdvertisements = 0
        var droppedValues = 0
        fileprivate var isAwake = false

        mutating func clear() {
            events.removeAll(keepingCapacity: true)
            octets.removeAll(keepingCapacity: true)
            advertisements.octets.removeAll(keepingCapacity: true)
            advertisementCount = 0
            droppedAdvertisements = 0
            droppedValues = 0
        }
    }

    /// One batch of advertisements fits a frame with encryption.
    private static let batchLimit = 32 * 1024
    /// The octets of values that wait for the gateway's queue.
    private static let valueLimit = 1 << 20

    private let content = Lock(Content())
    private let wake: @Sendable () -> Void

    /// - Parameter wake: Called on the adapter's executor when there is something to `take` and `take` was called since the last time.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// Exchanges the collected events for `other`, which is cleared.
    func take(_ other: inout Content) {
        other.clear()
        content.withLock { content in
            swap(&content, &other)
            content.isAwake = false
        }
    }

    private func add(_ body: (inout Content) -> Void) {
        let mustWake = content.withLock { content in
            body(&content)
            defer { content.isAwake = true }
            return !content.isAwake
        }
        if mustWake { wake() }
    }

    func adapterStateChanged(_ state: AdapterState) { add { $0.events.append(.state(state)) } }

    func discovered(_ discovery: Discovery) {
        guard let address = discovery.address else { return }
        let octets = discovery.octets
        add { content in
            guard content.advertisements.octets.count < Self.batchLimit else {
                content.droppedAdvertisements += 1
                return
            }
            AdvertisementBatch.append(
                address: address, rssi: discovery.rssi, data: octets.data,
                scanResponse: octets.scanResponse, to: &content.advertisements)
            content.advertisementCount += 1
        }
    }

    func connected(_ peer: PeerRecord) { add { $0.events.append(.connected(peer.identifier)) } }

    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {
        add { $0.events.append(.connectionFailed(peer, failure)) }
    }

    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        add { $0.events.append(.disconnected(peer, end)) }
    }

    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        add { $0.events.append(.completed(peer, result)) }
    }

    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        add { content in
            // ATT has no flow control for notifications: a receiver without room discards them (Vol 3, Part F, 3.3.2).
            guard content.octets.count + value.count <= Self.valueLimit else {
                content.droppedValues += 1
                return
            }
            let start = content.octets.count
            value.withUnsafeBufferPointer { content.octets.append(contentsOf: $0) }
            content.events.append(.value(peer, handle: handle, start..<content.octets.count))
        }
    }

    func readyForWriteCommands(to peer: PeerIdentifier) { add { $0.events.append(.readyForWriteCommands(peer)) } }

    func pairingCompleted(_ peer: PeerRecord, _ result: Result<LinkSecurity, PairingProcedureError>) {
        add { $0.events.append(.paired(peer.identifier, result)) }
    }

    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
}
