import BLEWire

/// The central role as one manager uses it. Several sessions share one adapter: scans are united and filtered for each
/// session, a link stays up until the last session that asked for it lets go.
package protocol CentralSession: AnyObject, Sendable {
    /// Starts to scan, or replaces the running scan of this session and empties its duplicate filter.
    func startScan(_ scan: ScanRequest)
    func stopScan()

    /// Starts a connection attempt that has no timeout. Ends in `connected`, `connectionFailed` or `disconnected`.
    func connect(_ peer: PeerIdentifier, options: ConnectionOptions)
    /// Ends the attempt or the link; `disconnected` with `.cancelled` follows.
    func cancelConnection(_ peer: PeerIdentifier)

    /// The peers among `identifiers` that the identity store knows, in that order.
    func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord]
    /// The peers connected through this adapter, by anyone, that are known to have one of `services`.
    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord]

    /// Queues a GATT client operation. Operations of one peer run one after another in the order of the calls; each ends in
    /// exactly one `completed`, unless the link ends first: then `disconnected` is all that comes.
    func submit(_ operation: GATTOperation, to peer: PeerIdentifier)

    /// Sends a Write Command. False if the peer's buffer is full (the value is still queued, best effort, within a generous
    /// bound); `readyForWriteCommands` follows when it was flushed.
    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool
    /// Whether a Write Command would be taken without filling the buffer.
    func canWriteCommand(to peer: PeerIdentifier) -> Bool
    /// The ATT_MTU of the link, octets; nil while not connected.
    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int?

    /// Opens an L2CAP channel to a peer's service; `channelOpened` answers, unless the link ends first.
    func openChannel(psm: UInt16, to peer: PeerIdentifier)
}

/// What happens to a central session. Called on the adapter's executor, in order.
package protocol CentralObserver: AnyObject, Sendable {
    func adapterStateChanged(_ state: AdapterState)
    func discovered(_ discovery: Discovery)
    func connected(_ peer: PeerRecord)
    func connectionFailed(_ peer: PeerIdentifier, _ failure: LinkFailure)
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool)
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTFailure>)
    /// A notification. `value` is valid during the call only.
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier)
    /// An indication. The peer waits until `confirmation` is released.
    func indicated(
        _ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier, confirmation: IndicationConfirmation)
    /// The buffer for Write Commands was full and has been flushed.
    func readyForWriteCommands(to peer: PeerIdentifier)
    /// The peer announced a change of its database in this range (Service Changed).
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier)
    /// The same. The peer, which indicated the change, waits until `confirmation` is released.
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier, confirmation: IndicationConfirmation)
    func nameChanged(_ name: String?, of peer: PeerIdentifier)
    /// Answers `openChannel`. The channel is open until somebody closes it.
    func channelOpened(_ result: Result<ChannelHandle, ChannelFailure>, psm: UInt16, of peer: PeerIdentifier)
}

// An observer that is done when it returns need not hold the confirmation.
extension CentralObserver {
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
}

// Adapters and observers without channels need not mention them.
extension CentralObserver {
    package func channelOpened(_ result: Result<ChannelHandle, ChannelFailure>, psm: UInt16, of peer: PeerIdentifier) {}
}
