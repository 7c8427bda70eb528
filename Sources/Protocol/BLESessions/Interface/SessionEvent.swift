import BLEAdapter
import BLEAttribute
import BLEHost
import BLESecurity
import BLEWire

/// An event that the session layer reports to its driver. Sessions are identified by number and peers by identifier.
/// Ranges refer to the arrays of `SessionOutput`.
package enum SessionEvent: Hashable, Sendable {
    // MARK: For either role

    case adapterState(AdapterState, session: Int)

    // MARK: For central sessions

    /// `run` is an index into `SessionOutput.runs`.
    case discovered(run: Int)
    case connected(PeerRecord, session: Int)
    case connectionFailed(PeerIdentifier, ConnectionError, session: Int)
    case disconnected(PeerIdentifier, LinkEnd, isReconnecting: Bool, session: Int)
    case completed(GATTOperation, PeerIdentifier, Result<GATTResult, GATTError>, session: Int)
    /// A value for its subscribers, whose numbers are those of sessions. The driver calls `HostStack.confirmIndication` after every session has
    /// handled an indication (Vol 3, Part F, 3.4.7.3).
    case value(PeerIdentifier, LinkIdentifier, ReceivedValue)
    /// Service Changed (Vol 3, Part G, 7.1). It needs the same confirmation.
    case servicesChanged(PeerIdentifier, HandleRange, indication: LinkIdentifier, sessions: Range<Int>)
    case nameChanged(PeerIdentifier, String, sessions: Range<Int>)

    // MARK: For peripheral sessions

    case serviceAdded(token: Int, PublishingError?, session: Int)
    case advertisingStarted(AdvertisingError?, session: Int)
    case subscribed(CentralRecord, CharacteristicReference, session: Int)
    case unsubscribed(CentralRecord, CharacteristicReference, session: Int)
    case readRequest(RequestIdentifier, CharacteristicReference, offset: Int, CentralRecord, session: Int)
    /// `items` is a range of `SessionOutput.items`, whose own ranges refer to the octets of the arena.
    case writeRequest(
        RequestIdentifier, items: Range<Int>, needsResponse: Bool, CentralRecord, session: Int)
    /// Applies to every peripheral session.
    case maximumUpdateLengthChanged(CentralRecord)

    // MARK: L2CAP channels

    case channelPublished(Result<UInt16, ChannelError>, session: Int)
    case channelUnpublished(psm: UInt16, ChannelError?, session: Int)
    /// Answers `openChannel`. The driver creates the channel's handle.
    case channelOpened(ChannelIdentifier, ChannelInformation, PeerIdentifier, session: Int)
    case channelRefused(ChannelError, psm: UInt16, PeerIdentifier, session: Int)
    /// A peer opened a channel to a service of the session. The driver creates the channel's handle.
    case channelAccepted(ChannelIdentifier, ChannelInformation, CentralRecord, session: Int)
    /// The range is one of the octets of the arena.
    case channelReceived(ChannelIdentifier, Range<Int>)
    /// The channel accepts SDUs again, or it is closing. The driver sends the data written so far.
    case channelWritable(ChannelIdentifier)
    /// The session layer closes the channel. The driver reports the end to the program and sends the remaining written
    /// data.
    case channelClosing(ChannelIdentifier, ChannelEnd)
    /// The channel is gone.
    case channelClosed(ChannelIdentifier, ChannelEnd)

    // MARK: For pairing sessions

    /// Indirect, so that frequent events stay small.
    indirect case pairing(PairingNotice)

    // MARK: For periodic sessions

    /// Indirect, so that frequent events stay small.
    indirect case periodic(PeriodicNotice)

    // MARK: For the published snapshot

    /// A link is ready for use; `mtu` is the ATT_MTU in octets. `role` is the role of this host.
    case linkUp(PeerIdentifier, LinkRole, mtu: Int)
    case mtuChanged(PeerIdentifier, LinkRole, mtu: Int)
    case linkDown(PeerIdentifier, LinkRole)
    /// The advertisement of a connected peer.
    case advertised(PeerIdentifier, AdvertisingOctets)
    case servicesFound(PeerIdentifier, [BluetoothUUID])
    /// The name in a peer's GAP service, or nil if the session layer no longer has it.
    case named(PeerIdentifier, String?)
    /// The service and its subscriptions are removed.
    case serviceRemoved(token: Int, session: Int)
    /// The number of Write Commands to the peer that have left the session layer.
    case commandsSent(PeerIdentifier, Int)
    /// The number of updates for the client that have left the session layer or are confirmed.
    case updatesSent(PeerIdentifier, Int)

    // MARK: For the store, the supervisor and the log

    /// This host is connected to the device. The store keeps its names.
    case remember(DeviceAddress, PeerNames)
    /// The identity address replaces the device's earlier address.
    case identityLearned(PeerIdentifier, DeviceAddress)
    /// The host has stopped trying to start.
    case failed(HostError)
    case note(SessionDiagnostic)
}

/// The end of an operation of a session: the content of `SessionEvent.completed`.
package struct OperationCompletion: Sendable {
    package let operation: GATTOperation
    package let peer: PeerIdentifier
    package let result: Result<GATTResult, GATTError>
    package let session: Int
}

/// The success of a read of a session.
package struct ReadCompletion: Sendable {
    /// A range of the buffer that was passed to `HostSessions.takeSoleRead`.
    package let value: Range<Int>
    package let handle: UInt16
    package let peer: PeerIdentifier
    package let session: Int
}

/// An event for pairing sessions.
package enum PairingNotice: Hashable, Sendable {
    /// A question for one session, the agent.
    case asked(AgentRequest, PairingQuestionNumber, PeerRecord, session: Int)
    case dismissed(PairingQuestionNumber, session: Int)
    case keyPressed(SMP.KeypressNotification.Kind, PeerIdentifier)
    case completed(PeerRecord, Result<LinkSecurity, PairingProcedureError>)
    case bondAdded(BondRecord)
    case bondRemoved(PeerIdentifier)
}

/// An event for a periodic session.
package enum PeriodicNotice: Hashable, Sendable {
    case advertisingChanged(PeriodicFailure?, isAdvertising: Bool, session: Int)
    case established(PeriodicSyncProperties, token: Int, session: Int)
    case transferred(TransferredTrain, PeriodicSyncProperties, token: Int, session: Int)
    case ended(PeriodicFailure, token: Int, session: Int)
    case transferEnded(PeriodicFailure?, token: Int, session: Int)
    /// The data is a range of the octets of the arena.
    case report(Range<Int>, PeriodicReportProperties, token: Int, session: Int)
    case subeventsRequested(from: UInt8, count: Int, session: Int)
    case subeventDataRefused(PeriodicFailure, session: Int)
    /// The data is a range of the octets of the arena.
    case response(Range<Int>, SubeventResponse, session: Int)
    case subeventsChosen(PeriodicFailure?, token: Int, session: Int)
    case responseRefused(PeriodicFailure, token: Int, session: Int)
}

/// A condition that the driver logs.
package enum SessionDiagnostic: Hashable, Sendable {
    case advertisingRefused(HCI.ErrorCode)
    case scanningRefused(HCI.ErrorCode)
    /// An advertisement of this device was not received whole, and no session gets it. The first one only.
    case advertisementTruncated(DeviceAddress)
    case linkEndedByHost(DisconnectionCause.HostReason)
    case writeCommandDropped
    case writeCommandNotSent(GATTError)
    case resetting(HostError)
    /// `isRepeated`: the adapter's state already shows this failure.
    case failed(HostError, isRepeated: Bool)
    case commandRefused(HCI.Opcode, HCI.ErrorCode)
    case protocolViolation(ProtocolViolation)
}

/// Identifies an L2CAP channel by its link and its number on that link. Neither is reused.
package struct ChannelIdentifier: Hashable, Sendable {
    package let link: LinkIdentifier
    package let number: UInt32
    package init(link: LinkIdentifier, number: UInt32) {
        self.link = link
        self.number = number
    }
}

package struct ChannelInformation: Hashable, Sendable {
    package let psm: UInt16
    /// The longest SDU that the peer accepts, in octets (Vol 3, Part A, 4.22 and 4.23).
    package let sendMTU: Int
    /// The number of octets that the peer may send before this side reads (Vol 3, Part A, 10.1).
    package let receiveWindow: Int
}

/// One value of a write request.
package struct SessionWriteItem: Hashable, Sendable {
    package let characteristic: CharacteristicReference
    package let offset: Int
    /// A range of the octets of `SessionOutput.arena`.
    package let value: Range<Int>
}
