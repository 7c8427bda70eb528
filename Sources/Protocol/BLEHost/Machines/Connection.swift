import BLEAttribute
import BLELink
import BLEWire

/// One link: its attribute bearer, its signalling channel, its credit-based channels, the frame being reassembled and
/// its timers.
final class Connection {
    let identifier: LinkIdentifier
    let handle: UInt16
    let role: LinkRole
    /// The identity address of a peer whose private address resolves, otherwise the peer's address.
    let peer: DeviceAddress
    let onAir: LinkAddresses
    let slot: ACLTransmitter.Slot
    @exclusivity(unchecked) var parameters: ConnectionParameters
    /// The security of the link. The attribute server and the credit-based channels receive it with each packet.
    @exclusivity(unchecked) var security = LinkSecurity.none
    /// Nil if this host cannot pair.
    @exclusivity(unchecked) var securityManager: SecurityManager?
    @exclusivity(unchecked) var bearer: ATTBearer
    @exclusivity(unchecked) var signalling: SignallingChannel
    @exclusivity(unchecked) var channels: CreditBasedChannels
    /// Whether the link has ever had a credit-based channel. Most links have none and skip the channel work for each
    /// packet.
    @exclusivity(unchecked) var usesChannels = false
    @exclusivity(unchecked) var reassembler: ACLReassembler
    @exclusivity(unchecked) var setUp: LinkSetUp
    @exclusivity(unchecked) var deadlines = LinkDeadlines()
    @exclusivity(unchecked) var dataLength: UInt16 = 27
    @exclusivity(unchecked) var transmitPHY: UInt8 = 1
    @exclusivity(unchecked) var receivePHY: UInt8 = 1
    /// The cause of the link's end; nil until Disconnect is sent or the end is reported.
    @exclusivity(unchecked) var end: DisconnectionCause?
    var isEnding: Bool { end != nil }
    /// Whether Disconnect waits for the acknowledgement of Pairing Failed.
    @exclusivity(unchecked) var isDisconnectHeld = false
    /// The events of the link that the driver receives.
    enum Visibility: Hashable, Sendable {
        /// As central: the peer has not sent or acknowledged a packet yet, perhaps because it did not receive
        /// CONNECT_IND (Vol 6, Part B, 4.5). The driver receives `connected` with the first packet.
        case unconfirmed
        case open
        /// The attempt was cancelled before `connected`. The link ends without events.
        case silent
    }

    @exclusivity(unchecked) var visibility: Visibility
    /// Whether the driver receives no events of the link.
    var isSilent: Bool { visibility != .open }
    @exclusivity(unchecked) var lastViolation: ProtocolViolation?
    @exclusivity(unchecked) var violationCount = 0

    init(
        identifier: LinkIdentifier, handle: UInt16, role: LinkRole, peer: DeviceAddress, onAir: LinkAddresses,
        slot: ACLTransmitter.Slot,
        parameters: ConnectionParameters, visibility: Visibility, capabilities: ControllerCapabilities,
        configuration: HostConfiguration
    ) {
        self.identifier = identifier
        self.handle = handle
        self.role = role
        self.peer = peer
        self.onAir = onAir
        self.slot = slot
        self.parameters = parameters
        self.visibility = visibility
        bearer = ATTBearer(
            localMTU: configuration.localMTU, suspendsForSecurity: configuration.suspendsForSecurity)
        signalling = SignallingChannel(role: role == .central ? .central : .peripheral)
        var creditBased = configuration.creditBased
        creditBased.suspendsForSecurity = configuration.suspendsForSecurity
        channels = CreditBasedChannels(configuration: creditBased)
        let longest = max(Int(configuration.localMTU), Int(configuration.creditBased.mps), 64)
        reassembler = ACLReassembler(limit: L2CAP.headerCount + longest)
        setUp = LinkSetUp(role: role, capabilities: capabilities, configuration: configuration)
    }

    var information: LinkInformation {
        LinkInformation(
            identifier: identifier, role: role, peer: peer, parameters: parameters, mtu: bearer.mtu,
            dataLength: dataLength, transmitPHY: transmitPHY, receivePHY: receivePHY)
    }
}

/// The addresses of a link in its CONNECT_IND. Pairing authenticates them (Vol 3, Part H, 2.2.3 and 2.2.8).
struct LinkAddresses: Hashable, Sendable {
    let local: DeviceAddress
    let peer: DeviceAddress
}
