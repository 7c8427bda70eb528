import BLEWire

/// The initiator (Vol 6, Part B, 4.4.4): the requested connection and the CONNECT_IND being sent.
struct InitiatingRole {
    enum State: Hashable {
        case off
        case listening
        /// CONNECT_IND is being sent to this advertiser. The first event starts at `anchor`.
        case connecting(Connecting)
    }

    struct Connecting: Hashable {
        var advertiser: PeerAddress
        /// The initiator's address if the resolving list generated it, otherwise nil.
        var privateAddress: DeviceAddress?
        var indication: LL.ConnectInd
        var anchor: Instant
        var usesAlgorithm2: Bool
    }

    private(set) var state = State.off
    /// The last request of the host.
    private(set) var request = HCI.LECreateConnection(
        scanInterval: 16, scanWindow: 16, filterPolicy: .peerAddress,
        peerAddress: DeviceAddress(kind: .public, value: 0), ownAddressType: .public, intervalMinimum: 24,
        intervalMaximum: 40, maximumLatency: 0, supervisionTimeout: 200)
    var schedule = ListeningSchedule(interval: 16, window: 16)
    /// The share of the time for which it listens, in percent; 0 while it is off.
    private(set) var share = 0

    var isEnabled: Bool { state != .off }

    /// Starts to listen, first on `channel`.
    mutating func begin(_ request: HCI.LECreateConnection, on channel: UInt8) {
        self.request = request
        state = .listening
        schedule = ListeningSchedule(
            interval: request.scanInterval, window: request.scanWindow, firstChannel: channel)
        share = schedule.share
    }

    mutating func connect(_ connecting: Connecting) { state = .connecting(connecting) }

    mutating func end() {
        state = .off
        share = 0
    }
}
