import BLEAdapter
import BLEWire

/// Collects the events of the adapter on its executor, within bounds, and wakes the gateway's queue once for many of them. Advertisements
/// can wait a moment for others, and all other events are urgent.
final class CloudInbox: CentralObserver {
    enum Event {
        case state(AdapterState)
        case discovered(Discovery)
        case connected(PeerIdentifier)
        case ended(PeerIdentifier, reason: String)
        case completed(PeerIdentifier, Result<GATTResult, GATTError>)
        case value(PeerIdentifier, handle: UInt16, [UInt8])
    }

    struct Content {
        var events: [Event] = []
        var droppedAdvertisements = 0
        var droppedValues = 0
        fileprivate var advertisements = 0
        fileprivate var values = 0
        fileprivate var wake = Wake.none
    }

    fileprivate enum Wake: Int, Comparable {
        case none
        case soon
        case now

        static func < (left: Wake, right: Wake) -> Bool { left.rawValue < right.rawValue }
    }

    private static let advertisementLimit = 2048
    private static let valueLimit = 4096

    private let content = Lock(Content())
    private let wake: @Sendable (_ isUrgent: Bool) -> Void

    /// - Parameter wake: Called on the adapter's executor when there is something to `take`, once before it is taken, and again if something
    ///   urgent joins what is not.
    init(wake: @escaping @Sendable (_ isUrgent: Bool) -> Void) { self.wake = wake }

    func take() -> Content {
        content.withLock { content in
            let taken = content
            content = Content()
            return taken
        }
    }

    private func add(isUrgent: Bool = true, _ body: (inout Content) -> Void) {
        let needed = isUrgent ? Wake.now : .soon
        let mustWake = content.withLock { content in
            body(&content)
            guard content.wake < needed else { return false }
            content.wake = needed
            return true
        }
        if mustWake { wake(isUrgent) }
    }

    func adapterStateChanged(_ state: AdapterState) { add { $0.events.append(.state(state)) } }

    func discovered(_ discovery: Discovery) {
        add(isUrgent: false) { content in
            guard content.advertisements < Self.advertisementLimit else {
                content.droppedAdvertisements += 1
                return
            }
            content.advertisements += 1
            content.events.append(.discovered(discovery))
        }
    }

    func connected(_ peer: PeerRecord) { add { $0.events.append(.connected(peer.identifier)) } }

    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {
        add { $0.events.append(.ended(peer, reason: Self.text(failure))) }
    }

    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        let reason =
            switch end {
            case .cancelled: "the gateway ended it"
            case .failed(let failure): Self.text(failure)
            }
        add { $0.events.append(.ended(peer, reason: reason)) }
    }

    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        add { $0.events.append(.completed(peer, result)) }
    }

    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        add { content in
            // ATT has no flow control for notifications: a receiver without room discards them (Vol 3, Part F, 3.3.2).
            guard content.values < Self.valueLimit else {
                content.droppedValues += 1
                return
            }
            content.values += 1
            content.events.append(.value(peer, handle: handle, value.withUnsafeBufferPointer(Array.init)))
        }
    }

    func readyForWriteCommands(to peer: PeerIdentifier) {}
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}

    private static func text(_ failure: ConnectionError) -> String {
        switch failure {
        case .endedByPeer: "the device ended it"
        case .supervisionTimeout: "the device was out of range"
        case .attributeTimeout: "the device left a request unanswered for 30 s"
        case .protocolViolation: "the device violated the attribute protocol"
        case .endedByHost: "this host ended it"
        case .establishmentFailed: "it could not be established"
        case .limitReached: "the controller has no room for another link"
        case .adapterLost: "the adapter was removed or reset"
        case .peerRemovedPairingInformation: "the device removed its bond"
        case .encryptionTimedOut: "it was not encrypted in time"
        case .encryptionFailed: "it could not be encrypted"
        case .controller(let code): "the controller reported the error 0x\(hexadecimal(code, digits: 2))"
        }
    }
}
