import BLEWire

/// The initiator (Vol 6, Part B, 4.4.4): the requested connection and the CONNECT_IND being sent.
struct InitiatingRole {
    enum State: Hashable {
        case off
        case listening
        /// CONNECT_IND is being sent to this advertiser. The first event starts at `anchor`.
        case connecting(DeviceAddress, LL.ConnectInd, anchor: Instant, usesAlgorithm2: Bool)
    }

    private(set) var state = State.off
    /// The last request of the host.
    private(set) var request = HCI.LECreateConnection(
        scanInterval: 16, scanWindow: 16, filterPolicy: .peerAddress,
        peerAddress: DeviceAddress(kind: .public, value: 0), ownAddressType: .public, intervalMinimum: 24,
        intervalMaximum: 40, maximumLatency: 0, supervisionTimeout: 200)
    var schedule = ListeningSchedule(interval: 16, window: 16)

    var isEnabled: Bool { state != .off }

    /// Starts to listen, first on `channel`.
    mutating func begin(_ request: HCI.LECreateConnection, on channel: UInt8) {
        self.request = request
        state = .listening
        schedule = ListeningSchedule(
            interval: request.scanInterval, window: request.scanWindow, firstChannel: channel)
    }

    mutating func connect(_ address: DeviceAddress, _ indication: LL.ConnectInd, anchor: Instant, usesAlgorithm2: Bool)
    {
        state = .connecting(address, indication, anchor: anchor, usesAlgorithm2: usesAlgorithm2)
    }

    mutating func end() { state = .off }
}
