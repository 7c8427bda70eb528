import BLEWire

/// Client and server side of the ATT bearer of one link (Vol 3, Part F, 3.2.11): takes operations, PDUs and the time, and puts
/// PDUs and events into an `ATTOutput`. Sans-IO; whatever the peer sends, it neither traps nor grows without bound.
package struct ATTBearer: ~Copyable {
    /// Default of the ATT_MTU that we offer, octets: values of 495 octets, which fill two link-layer data PDUs of 251.
    package static let preferredMTU: UInt16 = 498

    /// `localMTU`: the ATT_MTU that we offer, 23 to 517 octets.
    package init(localMTU: UInt16 = ATTBearer.preferredMTU) {
        self.localMTU = min(max(localMTU, ATT.defaultMTU), 517)
    }

    let localMTU: UInt16
    /// The current ATT_MTU, octets.
    package internal(set) var mtu: UInt16 = ATT.defaultMTU
    /// The security of the link, set by its owner.
    package var security: LinkSecurity = .none
    /// When the oldest unanswered request or indication has to be answered; call `handleTimeout` then.
    package var deadline: Instant? { nil }
    /// Whether the bearer is dead (see `ATTEvent.bearerFailed`).
    package internal(set) var hasFailed = false
}

extension ATTBearer {
    /// Queues the exchange of the ATT_MTU; `mtuChanged` follows when it is done.
    package mutating func exchangeMTU(at now: Instant, output: inout ATTOutput) {}
    /// Queues the subscription to the peer's Service Changed (1801, 2A05); ends in `completed`.
    package mutating func enableServiceChanged(id: UInt32, at now: Instant, output: inout ATTOutput) {}
    /// Queues the read of the peer's GAP device name (2A00); ends in `completed` with its octets.
    package mutating func readDeviceName(id: UInt32, at now: Instant, output: inout ATTOutput) {}
    /// Queues an operation; it ends in one `completed`. `.readRSSI` is not for the bearer and completes with an error.
    package mutating func submit(_ operation: GATTOperation, id: UInt32, at now: Instant, output: inout ATTOutput) {}
    /// Sends a Write Command at once. Throws `.valueTooLong` beyond ATT_MTU - 3 octets, `.bearerLost` on a dead bearer.
    package mutating func writeCommand(
        _ value: Span<UInt8>, handle: UInt16, output: inout ATTOutput
    ) throws(GATTFailure) {}
    /// Takes one PDU of the fixed channel.
    package mutating func receive(
        _ pdu: Span<UInt8>, database: inout AttributeDatabase, at now: Instant, output: inout ATTOutput
    ) {}
    /// Answers a `readRequest` with the value's octets from the request's offset on; cut to what fits.
    package mutating func respondToRead(
        _ request: UInt32, value: Span<UInt8>, at now: Instant, output: inout ATTOutput
    ) {}
    /// Refuses a `readRequest`.
    package mutating func respondToRead(
        _ request: UInt32, error: ATT.ErrorCode, at now: Instant, output: inout ATTOutput
    ) {}
    /// Answers a `writeRequest` that needs a response; a nil `error` accepts. Unknown requests are ignored.
    package mutating func respondToWrite(
        _ request: UInt32, error: ATT.ErrorCode?, at now: Instant, output: inout ATTOutput
    ) {}
    /// Sends a notification at once, cut to ATT_MTU - 3 octets.
    package mutating func notify(handle: UInt16, value: Span<UInt8>, output: inout ATTOutput) {}
    /// Queues an indication, cut to ATT_MTU - 3 octets when it is sent; `indicationConfirmed` follows.
    package mutating func indicate(handle: UInt16, value: Span<UInt8>, at now: Instant, output: inout ATTOutput) {}
    /// This client's configuration of a characteristic: bit 0 notifications, bit 1 indications.
    package func clientConfiguration(ofValueHandle handle: UInt16) -> UInt16 { 0 }
    /// Forgets what this client has configured or prepared in a range that left the database.
    package mutating func removed(_ range: HandleRange, output: inout ATTOutput) {}
    /// Lets time pass: at or after `deadline` the bearer fails.
    package mutating func handleTimeout(at now: Instant, output: inout ATTOutput) {}
    /// The link is gone: operations end silently, subscriptions end with `subscriptionChanged(…, 0)`.
    package mutating func close(output: inout ATTOutput) {}
}
