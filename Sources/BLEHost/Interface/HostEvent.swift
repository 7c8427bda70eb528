import BLEAttribute
import BLELink
import BLEWire

/// Something that happened in a host. Ranges refer to `HostStack.eventBytes`, except where it says otherwise.
package enum HostEvent: Sendable {
    /// On `.off`, `.resetting` and `.failed` links have ended (a `disconnected` for each came before), and scan, advertising
    /// and connection attempts are gone.
    case stateChanged(HostState)
    case advertisingReport(AdvertisingReport)
    /// Answers `setAdvertising` for a set; nil: the set advertises as asked (or does not, if that was asked). Comes again with an
    /// error if the controller refuses to go on.
    case advertisingChanged(AdvertisingSet, HCI.ErrorCode?)
    /// The controller refused to scan.
    case scanningFailed(HCI.ErrorCode)
    /// As peripheral at once; as central when the peer has sent or acknowledged its first packet, because CONNECT_IND is not
    /// acknowledged and a link may exist at the central alone (Vol 6, Part B, 4.5).
    case connected(LinkIdentifier, LinkRole, DeviceAddress, ConnectionParameters)
    /// An attempt ended; it is no longer pending. The controller refused it, or its link ended before the peer's first packet:
    /// then the error is the reason of the disconnection, often `.connectionFailedToBeEstablished` (Vol 1, Part F, 2.58). The
    /// host does not try again.
    case connectionFailed(DeviceAddress, HCI.ErrorCode)
    case disconnected(LinkIdentifier, DisconnectionCause)
    /// The ATT_MTU, octets.
    case mtuChanged(LinkIdentifier, UInt16)
    case completed(LinkIdentifier, id: UInt32, Result<GATTResult, GATTFailure>)
    /// The peer refused a request of this operation for lack of security: Insufficient Authentication, Encryption Key Size Too
    /// Short or Insufficient Encryption (Vol 3, Part F, 3.4.1.1). The link's operations wait for `resumeOperation`. Only with
    /// `HostConfiguration.suspendsForSecurity`.
    case securityRequired(LinkIdentifier, id: UInt32, ATT.ErrorCode)
    /// A notification, or an indication, which `confirmIndication` has to answer. `subscribers` is a range of
    /// `HostStack.eventSubscribers`: the numbers that were subscribed to the value when it came; empty if there were none.
    case value(LinkIdentifier, handle: UInt16, Range<Int>, isIndication: Bool, subscribers: Range<Int>)
    /// A client reads a dynamic value; `respondToRead` answers.
    case readRequest(LinkIdentifier, request: UInt32, handle: UInt16, offset: Int)
    /// A client writes; `items` is a range of `HostStack.eventItems`, whose own ranges refer to `eventBytes`. `respondToWrite`
    /// answers if a response is needed.
    case writeRequest(LinkIdentifier, request: UInt32, items: Range<Int>, needsResponse: Bool)
    /// Bit 0 notifications, bit 1 indications; 0 neither.
    case subscriptionChanged(LinkIdentifier, valueHandle: UInt16, configuration: UInt16)
    case indicationConfirmed(LinkIdentifier, valueHandle: UInt16)
    /// The peer's database changed in this range.
    case servicesChanged(LinkIdentifier, HandleRange)
    /// Something happened to the credit-based channels of a link; ranges refer to `eventBytes`.
    case channel(LinkIdentifier, CreditBasedEvent)
    /// The queue of this link was full (`freeSlots` 0) and has room again.
    case transmitQueueDrained(LinkIdentifier)
    case parametersChanged(LinkIdentifier, ConnectionParameters)
    /// The answer to `requestConnectionParameters` where the peer or the controller said no or nothing.
    case parametersRefused(LinkIdentifier)
    case phyChanged(LinkIdentifier, transmit: UInt8, receive: UInt8)
    /// Octets of link-layer payload.
    case dataLengthChanged(LinkIdentifier, transmit: UInt16, receive: UInt16)
    /// The controller refused this command, which the host can do without.
    case controllerError(HCI.Opcode, HCI.ErrorCode)
    /// Something was against the specification; nil: not by the peer of a link. Equal ones in a row come once.
    case protocolViolation(LinkIdentifier?, ProtocolViolation)
}

/// One advertising packet that the controller heard.
package struct AdvertisingReport: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable {
        case connectable = 0
        case connectableDirected = 1
        case scannable = 2
        case nonConnectable = 3
        case scanResponse = 4
    }

    package var kind: Kind
    package var address: DeviceAddress
    /// dBm; 127: not available.
    package var rssi: Int8
    /// AD structures, in `HostStack.eventBytes`.
    package var data: Range<Int>

    /// Whether one can connect to the sender; a scan response does not say.
    package var isConnectable: Bool { kind == .connectable || kind == .connectableDirected }

    package init(kind: Kind, address: DeviceAddress, rssi: Int8, data: Range<Int>) {
        self.kind = kind
        self.address = address
        self.rssi = rssi
        self.data = data
    }
}
