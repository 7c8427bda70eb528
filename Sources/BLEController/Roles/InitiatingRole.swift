import BLEWire

/// The initiator: whom it waits for, and the CONNECT_IND on its way.
struct InitiatingRole {
    enum State: Hashable {
        case off
        case listening
        /// CONNECT_IND is going out to this advertiser; the first event is to begin at `anchor`.
        case connecting(DeviceAddress, LL.ConnectInd, anchor: Instant, usesAlgorithm2: Bool)
    }

    private(set) var state = State.off
    /// What the host asked for last.
    private(set) var request = HCI.LECreateConnection(
        scanInterval: 16, scanWindow: 16, filterPolicy: .peerAddress,
        peerAddress: DeviceAddress(kind: .public, value: 0), ownAddressType: .public, intervalMinimum: 24,
        intervalMaximum: 40, maximumLatency: 0, supervisionTimeout: 200)
    var schedule = ListeningSchedule(interval: 16, window: 16)

    var isEnabled: Bool { state != .off }

    mutating func begin(_ request: HCI.LECreateConnection) {
        self.request = request
        state = .listening
        schedule = ListeningSchedule(interval: request.scanInterval, window: request.scanWindow)
    }

    mutating func connect(_ address: DeviceAddress, _ indication: LL.ConnectInd, anchor: Instant, usesAlgorithm2: Bool)
    {
        state = .connecting(address, indication, anchor: anchor, usesAlgorithm2: usesAlgorithm2)
    }

    mutating func end() { state = .off }
}
