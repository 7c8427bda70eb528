import BLEWire

/// The central role of one manager. Several sessions share one adapter: their scans are united, and each session
/// receives its own selection. A link stays up until the last session that requested it has released it.
package protocol CentralSession: AnyObject, Sendable {
    /// Starts a scan, or replaces the running scan of this session and empties its duplicate filter.
    func startScan(_ scan: ScanRequest)
    func stopScan()

    /// Starts a connection attempt without a timeout. `connected`, `connectionFailed` or `disconnected` ends it.
    func connect(_ peer: PeerIdentifier, options: ConnectionOptions)
    /// Ends the attempt or the link; `disconnected` with `.cancelled` follows.
    func cancelConnection(_ peer: PeerIdentifier)

    /// The peers among `identifiers` that the identity store contains, in that order.
    func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord]
    /// The peers that are connected through this adapter, in any session, and are known to have one of `services`.
    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord]

    /// Queues a GATT client operation. Operations on one peer run one after another in the order of the calls. Each
    /// ends in one `completed`, unless the link ends first: then only `disconnected` follows.
    func submit(_ operation: GATTOperation, to peer: PeerIdentifier)

    /// Sends a Write Command (Vol 3, Part G, 4.9.1). Returns false if the peer's buffer is full. The value is still
    /// queued, within a bound, and `readyForWriteCommands` follows when the buffer is empty.
    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool
    /// Whether a Write Command would be accepted without filling the buffer.
    func canWriteCommand(to peer: PeerIdentifier) -> Bool
    /// The ATT_MTU of the link in octets; nil while not connected.
    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int?

    /// Opens an L2CAP channel to a peer's service. `channelOpened` follows, unless the link ends first.
    func openChannel(psm: UInt16, to peer: PeerIdentifier)
}

/// Receives the events of a central session, on the adapter's executor and in order.
package protocol CentralObserver: AnyObject, Sendable {
    func adapterStateChanged(_ state: AdapterState)
    func discovered(_ discovery: Discovery)
    /// Several discoveries, in order.
    func discovered(_ discoveries: ArraySlice<Discovery>)
    func connected(_ peer: PeerRecord)
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError)
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool)
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>)
    /// The end of a read that succeeded, in place of `completed`, if the value needed no array. `value` is valid during the call only.
    func read(_ value: Span<UInt8>, of handle: UInt16, from peer: PeerIdentifier)
    /// Consecutive notifications, which the observer takes out of the run.
    func received(_ values: inout ValueRun)
    /// A notification. `value` is valid during the call only.
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier)
    /// An indication. The peer waits until `confirmation` is released (Vol 3, Part F, 3.4.7.3).
    func indicated(
        _ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier, confirmation: IndicationConfirmation)
    /// The buffer for Write Commands was full and is empty now.
    func readyForWriteCommands(to peer: PeerIdentifier)
    /// The peer's database changed in this range (Service Changed, Vol 3, Part G, 7.1).
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier)
    /// Does the same for an indication. The peer waits until `confirmation` is released (Vol 3, Part F, 3.4.7.3).
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier, confirmation: IndicationConfirmation)
    func nameChanged(_ name: String?, of peer: PeerIdentifier)
    /// Answers `openChannel`. The channel stays open until one side closes it.
    func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, of peer: PeerIdentifier)
}

// For observers that need not know these events, or not in this form.
extension CentralObserver {
    package func discovered(_ discoveries: ArraySlice<Discovery>) {
        for index in discoveries.indices { discovered(discoveries[index]) }
    }

    package func read(_ value: Span<UInt8>, of handle: UInt16, from peer: PeerIdentifier) {
        completed(.read(handle: handle), of: peer, .success(.value([UInt8](value))))
    }

    package func received(_ values: inout ValueRun) {
        while !values.isEmpty {
            let next = values.first
            received(values.firstOctets, handle: next.handle, from: next.peer)
            values.removeFirst()
        }
    }

    // An observer that has handled the value when it returns need not retain the confirmation.
    package func indicated(
        _ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier, confirmation: IndicationConfirmation
    ) {
        received(value, handle: handle, from: peer)
    }

    package func servicesChanged(
        _ range: HandleRange, of peer: PeerIdentifier, confirmation: IndicationConfirmation
    ) {
        servicesChanged(range, of: peer)
    }

    package func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, of peer: PeerIdentifier) {}
}
