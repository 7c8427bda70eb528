import BLEAttribute
import BLELink
import BLEWire

extension HostStack {
    /// Resets the controller and runs the start-up sequence; `.ready` or `.failed` follows.
    package mutating func start(at now: Instant) {}
    /// Ends links, scan and advertising; then `.off`.
    package mutating func powerOff(at now: Instant) {}
    /// Takes one H4 packet of the controller, with its type octet.
    package mutating func receive(_ packet: Span<UInt8>, at now: Instant) {}
    /// The way to the controller is gone for good.
    package mutating func transportClosed(at now: Instant) {}
    /// When `handleTimeout` is due.
    package var nextTimeout: Instant? { nil }
    package mutating func handleTimeout(at now: Instant) {}
    /// Empties events and their octets, and keeps the capacity.
    package mutating func drainEvents() {}

    // GAP
    package mutating func setScanning(_ parameters: ScanParameters?, at now: Instant) {}
    package mutating func setAdvertising(_ parameters: AdvertisingParameters?, at now: Instant) {}
    /// Starts an attempt without timeout; any number at once. Ends in `connected` (as central) or `connectionFailed`.
    package mutating func connect(to address: DeviceAddress, at now: Instant) {}
    /// Ends an attempt; neither `connected` nor `connectionFailed` follows.
    package mutating func cancelConnect(to address: DeviceAddress, at now: Instant) {}
    package mutating func disconnect(_ link: LinkIdentifier, at now: Instant) {}
    /// `parametersChanged` or `parametersRefused` follows.
    package mutating func requestConnectionParameters(
        _ link: LinkIdentifier, _ wish: ConnectionParameterWish, at now: Instant
    ) {}

    // Links
    package var links: [LinkInformation] { [] }
    package func information(of link: LinkIdentifier) -> LinkInformation? { nil }
    package func link(to address: DeviceAddress) -> LinkIdentifier? { nil }
    /// The ATT_MTU, octets; nil if the link is gone.
    package func mtu(of link: LinkIdentifier) -> Int? { nil }

    // GATT client
    /// Ends in one `completed`, unless the link ends first. An unknown link: `completed` with `.notConnected`.
    package mutating func submit(
        _ operation: GATTOperation, id: UInt32, on link: LinkIdentifier, at now: Instant
    ) {}
    /// Reads the peer's GAP device name; ends in `completed`.
    package mutating func readDeviceName(id: UInt32, on link: LinkIdentifier, at now: Instant) {}
    /// Subscribes to the peer's Service Changed; ends in `completed`.
    package mutating func enableServiceChanged(id: UInt32, on link: LinkIdentifier, at now: Instant) {}
    /// Queues a Write Command. False if it was dropped because even the generous bound was reached.
    @discardableResult
    package mutating func writeCommand(
        _ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, at now: Instant
    ) throws(GATTFailure) -> Bool { false }

    // Back-pressure
    /// Octets that wait for room in the controller.
    package func queuedOctets(on link: LinkIdentifier) -> Int { 0 }
    /// How many values of full length should be sent now; 0: wait for `transmitQueueDrained`, which follows for sure.
    package func freeSlots(on link: LinkIdentifier) -> Int { 0 }

    // GATT server
    /// Sends a notification, cut to ATT_MTU - 3. False if it was dropped (no such link, or beyond the bound).
    @discardableResult
    package mutating func notify(
        _ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, at now: Instant
    ) -> Bool { false }
    /// Queues an indication; `indicationConfirmed` follows.
    package mutating func indicate(_ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, at now: Instant) {}
    package mutating func respondToRead(
        _ request: UInt32, value: Span<UInt8>, on link: LinkIdentifier, at now: Instant
    ) {}
    package mutating func respondToRead(
        _ request: UInt32, error: ATT.ErrorCode, on link: LinkIdentifier, at now: Instant
    ) {}
    /// A nil `error` accepts.
    package mutating func respondToWrite(
        _ request: UInt32, error: ATT.ErrorCode?, on link: LinkIdentifier, at now: Instant
    ) {}
    /// The client's configuration of a characteristic: bit 0 notifications, bit 1 indications.
    package func clientConfiguration(ofValueHandle handle: UInt16, on link: LinkIdentifier) -> UInt16 { 0 }
    /// Sends Service Changed to the clients that asked for it. Call after a change of `database`.
    package mutating func databaseChanged(_ range: HandleRange, at now: Instant) {}
}
