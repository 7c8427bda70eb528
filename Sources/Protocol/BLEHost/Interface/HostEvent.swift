import BLEAttribute
import BLELink
import BLEWire

/// An event of a host. Ranges refer to the arena of `EventQueue.attributes`, to its octets unless stated otherwise.
package enum HostEvent: Sendable {
    /// In `.off`, `.resetting` and `.failed` all links have ended, with a preceding `disconnected` for each. Scan,
    /// advertising, connection attempts and the reception of trains have ended too.
    case stateChanged(HostState)
    case advertisingReport(AdvertisingReport)
    /// Answers `setAdvertising` for a set. Nil means that the set has the requested state. The event repeats with an
    /// error if the controller later refuses to continue.
    case advertisingChanged(AdvertisingSet, HCI.ErrorCode?)
    /// The controller refused to scan.
    case scanningFailed(HCI.ErrorCode)
    case periodicReport(PeriodicReport)
    /// Indirect, so that frequent events stay small.
    indirect case periodic(PeriodicEvent)
    /// As peripheral, this event comes at once. As central, it comes when the peer has sent or acknowledged its first
    /// packet: CONNECT_IND is not acknowledged, so a link may exist at the central alone (Vol 6, Part B, 4.5).
    case connected(LinkIdentifier, LinkRole, DeviceAddress, ConnectionParameters)
    /// An attempt ended and is no longer pending. Either the controller refused it, or its link ended before the peer's
    /// first packet. In the second case the error is the reason of the disconnection, often
    /// `.connectionFailedToBeEstablished` (Vol 1, Part F, 2.58). The host does not retry.
    case connectionFailed(DeviceAddress, HCI.ErrorCode)
    case disconnected(LinkIdentifier, DisconnectionCause)
    /// The ATT_MTU in octets (Vol 3, Part F, 3.4.2).
    case mtuChanged(LinkIdentifier, UInt16)
    case completed(LinkIdentifier, id: UInt32, Result<GATTResult, GATTError>)
    /// The peer refused a request of this operation for insufficient security: Insufficient Authentication, Encryption
    /// Key Size Too Short or Insufficient Encryption (Vol 3, Part F, 3.4.1.1). The link's operations wait for
    /// `resumeOperation`. The event requires `HostConfiguration.suspendsForSecurity`.
    case securityRequired(LinkIdentifier, id: UInt32, ATT.ErrorCode)
    case value(LinkIdentifier, ReceivedValue)
    /// A client reads a dynamic value. The driver answers with `respondToRead`.
    case readRequest(LinkIdentifier, request: UInt32, handle: UInt16, offset: Int)
    /// A client writes. `items` is a range of the arena's `writeItems`. The driver answers with `respondToWrite` if a response is
    /// needed.
    case writeRequest(LinkIdentifier, request: UInt32, items: Range<Int>, needsResponse: Bool)
    /// `configuration`: bit 0 for notifications, bit 1 for indications, 0 for neither (Vol 3, Part G, 3.3.3.3).
    case subscriptionChanged(LinkIdentifier, valueHandle: UInt16, configuration: UInt16)
    case indicationConfirmed(LinkIdentifier, valueHandle: UInt16)
    /// The state of a bonded client has changed. The octets are for its bond (`BondAttributes.clientState`) and for
    /// `restoreClientState`.
    case clientStateChanged(LinkIdentifier, [UInt8])
    /// The cached knowledge of a bonded server has changed. The octets are for its bond (`BondAttributes.attributeCache`) and for
    /// `useAttributeCache`.
    case attributeCacheChanged(LinkIdentifier, [UInt8])
    /// The sign counters of the bond with this peer have changed. The octets are for the bond (`BondAttributes.signCounters`) and for
    /// `addBond`. A signed write follows the event.
    case signCountersChanged(DeviceAddress, [UInt8])
    /// The peer's database changed in this range (Vol 3, Part G, 7.1).
    case servicesChanged(LinkIdentifier, HandleRange)
    /// An event of the link's credit-based channels.
    case channel(LinkIdentifier, CreditBasedEvent)
    /// An event of the link's Security Manager. Indirect, so that frequent events stay small.
    indirect case pairing(LinkIdentifier, PairingEvent)
    /// The queue of this link was full (`takesValues` was false) and has room again, or its client knows the database again.
    case transmitQueueDrained(LinkIdentifier)
    case parametersChanged(LinkIdentifier, ConnectionParameters)
    /// The peer or the controller refused `requestConnectionParameters`, or did not answer it.
    case parametersRefused(LinkIdentifier)
    case phyChanged(LinkIdentifier, transmit: UInt8, receive: UInt8)
    /// Octets of link-layer payload in one data PDU (Vol 6, Part B, 4.5.10).
    case dataLengthChanged(LinkIdentifier, transmit: UInt16, receive: UInt16)
    /// Transmit power, path loss or subrating of the link, as `HostStack` was asked for.
    case radio(LinkIdentifier, LinkRadioEvent)
    /// The controller refused a command that the host does not depend on.
    case controllerError(HCI.Opcode, HCI.ErrorCode)
    /// A violation of the specification. The link is nil if no link's peer caused it. Consecutive equal violations are
    /// reported once, and at most 32 of a link.
    case protocolViolation(LinkIdentifier?, ProtocolViolation)
}

/// One advertising packet that the controller received, or one extended advertisement of several packets (Vol 4, Part E, 7.7.65.2 and
/// 7.7.65.13).
package struct AdvertisingReport: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable {
        case connectable = 0
        case connectableDirected = 1
        case scannable = 2
        case nonConnectable = 3
        case scanResponse = 4
    }

    // In this order an event has the least padding.
    package var form: AdvertisementForm
    /// Its kind is `.anonymous` if the packet has no address.
    package var address: DeviceAddress
    package var kind: Kind
    /// In dBm; 127 means not available.
    package var rssi: Int8
    /// Whether the controller did not receive all of the data, or there is more than an advertisement can have.
    package var isTruncated: Bool
    /// AD structures, as a range of the arena.
    package var data: Range<Int>

    /// Whether the sender answers scan requests. ADV_IND and ADV_SCAN_IND are scannable (Vol 6, Part B, 2.3.1.1 and 2.3.1.4), and so are extended
    /// packets that are not connectable.
    package var isScannable: Bool {
        switch kind {
        case .connectable: form.isLegacy
        case .scannable: true
        case .connectableDirected, .nonConnectable, .scanResponse: false
        }
    }

    /// Whether the sender is connectable. A scan response does not contain this information.
    package var isConnectable: Bool {
        switch kind {
        case .connectable, .connectableDirected: true
        case .scannable, .nonConnectable, .scanResponse: false
        }
    }

    /// A legacy packet on 1M.
    package init(kind: Kind, address: DeviceAddress, rssi: Int8, data: Range<Int>) {
        self.kind = kind
        self.rssi = rssi
        form = .legacy
        isTruncated = false
        self.address = address
        self.data = data
    }
}

/// The end of an operation: the content of `HostEvent.completed`.
package struct HostCompletion: Sendable {
    package let link: LinkIdentifier
    package let id: UInt32
    package let result: Result<GATTResult, GATTError>
}

/// The success of a read, with the value in the arena.
package struct HostReadCompletion: Sendable {
    package let link: LinkIdentifier
    package let id: UInt32
    /// A range of the arena.
    package let value: Range<Int>
}
