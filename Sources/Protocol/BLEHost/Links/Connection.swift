import BLEAttribute
import BLELink
import BLEWire

/// One link: its attribute bearer, its signalling channel, its credit-based channels, the frame being reassembled and
/// its timers.
///
/// `@exclusivity(unchecked)`: each packet uses the property; the table of a host, which one executor owns, has the only lasting reference, and no
/// call into a part of the link reaches the link again. The checks would cost a run-time call for each access.
final class Connection {
    /// The events of the link that the driver receives.
    enum Visibility: Hashable, Sendable {
        /// As central: the peer has not sent or acknowledged a packet yet, perhaps because it did not receive
        /// CONNECT_IND (Vol 6, Part B, 4.5). The driver receives `connected` with the first packet.
        case unconfirmed
        case open
        /// The attempt was cancelled before `connected`. The link ends without events.
        case silent
    }

    /// What this host has decided about the end of the link.
    enum Phase: Sendable {
        case established
        /// The program ended the link. Disconnect waits for the acknowledgement of Pairing Failed.
        case refusing
        /// Disconnect is sent, or the end is reported.
        case ending(DisconnectionCause)
    }

    let identifier: LinkIdentifier
    let handle: UInt16
    let role: LinkRole
    /// The identity address of a peer whose private address resolves, otherwise the peer's address.
    let peer: DeviceAddress
    let onAir: LinkAddresses
    let slot: ACLTransmitter.Slot
    var linkLayer: LinkLayerState
    /// The security of the link. The attribute server and the credit-based channels receive it with each packet.
    @exclusivity(unchecked) var security = LinkSecurity.none
    /// Nil if this host cannot pair.
    var securityManager: SecurityManager?
    @exclusivity(unchecked) var bearer: ATTBearer
    var signalling: SignallingChannel
    var channels: CreditBasedChannels
    var enhanced: EnhancedBearers
    /// Whether the link has ever had a credit-based channel. Most links have none and skip the channel work for each
    /// packet.
    @exclusivity(unchecked) private(set) var usesChannels = false
    @exclusivity(unchecked) var reassembler: ACLReassembler
    var setUp: LinkSetUp
    @exclusivity(unchecked) var deadlines = LinkDeadlines()
    @exclusivity(unchecked) var phase = Phase.established
    @exclusivity(unchecked) var visibility: Visibility
    var violations = ViolationReporter()

    init(
        identifier: LinkIdentifier, _ link: NewLink, peer: DeviceAddress, onAir: LinkAddresses,
        slot: ACLTransmitter.Slot, visibility: Visibility, capabilities: ControllerCapabilities,
        configuration: HostConfiguration, seed: UInt64 = 0
    ) {
        self.identifier = identifier
        handle = link.handle
        role = link.role
        self.peer = peer
        self.onAir = onAir
        self.slot = slot
        linkLayer = LinkLayerState(parameters: link.parameters)
        self.visibility = visibility
        bearer = ATTBearer(
            localMTU: configuration.localMTU, suspendsForSecurity: configuration.suspendsForSecurity)
        signalling = SignallingChannel(role: role == .central ? .central : .peripheral)
        var creditBased = configuration.creditBased
        creditBased.suspendsForSecurity = configuration.suspendsForSecurity
        channels = CreditBasedChannels(configuration: creditBased)
        enhanced = EnhancedBearers(count: configuration.enhancedBearers, mtu: bearer.enhancedMTU, seed: seed)
        let longest = max(Int(configuration.localMTU), Int(configuration.creditBased.mps), Int(enhanced.offer.mps))
        reassembler = ACLReassembler(limit: L2CAP.headerCount + longest)
        setUp = LinkSetUp(role: role, capabilities: capabilities, configuration: configuration)
    }

    /// Whether the driver receives no events of the link.
    var isSilent: Bool { visibility != .open }
    /// Whether this host has begun to end the link, or its end is reported.
    var isEnding: Bool {
        switch phase {
        case .established: false
        case .refusing, .ending: true
        }
    }
    /// Whether Disconnect waits for the acknowledgement of Pairing Failed.
    var isRefusing: Bool {
        switch phase {
        case .refusing: true
        case .established, .ending: false
        }
    }
    /// The cause of the link's end; nil until Disconnect is due or the end is reported.
    var cause: DisconnectionCause? {
        switch phase {
        case .established: nil
        case .refusing: .requested
        case .ending(let cause): cause
        }
    }

    var information: LinkInformation {
        LinkInformation(
            identifier: identifier, role: role, peer: peer, parameters: linkLayer.parameters, mtu: bearer.mtu,
            dataLength: linkLayer.dataLength, transmitPHY: linkLayer.transmitPHY, receivePHY: linkLayer.receivePHY)
    }

    /// Sets the security of the link, which its bearer needs before the next update.
    func apply(_ security: LinkSecurity, database: AttributeDatabase, _ output: inout HostOutput) {
        self.security = security
        bearer.securityChanged(to: security, database: database, output: &output.events.attributes)
        output.flush(self)
    }

    /// Takes note of a first credit-based channel.
    func noteChannels(_ output: inout HostOutput) {
        guard !usesChannels else { return }
        usesChannels = true
        output.data.channelLinks += 1
    }
}

/// What the link layers of both sides agreed on.
struct LinkLayerState: Hashable, Sendable {
    var parameters: ConnectionParameters
    /// The longest data PDU payload to the peer, in octets.
    var dataLength: UInt16 = 27
    /// 1: 1M, 2: 2M, 3: Coded (Vol 4, Part E, 7.7.65.12).
    var transmitPHY: UInt8 = 1
    var receivePHY: UInt8 = 1
}

/// The addresses of a link in its CONNECT_IND. Pairing authenticates them (Vol 3, Part H, 2.2.3 and 2.2.8).
struct LinkAddresses: Hashable, Sendable {
    let local: DeviceAddress
    let peer: DeviceAddress
    /// The identity address of this host, which a pairing distributes.
    let localIdentity: DeviceAddress
}

/// A link that the controller reported (Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
struct NewLink: Sendable {
    let handle: UInt16
    let role: LinkRole
    /// The peer's address. It may be one that the controller has resolved.
    let reported: DeviceAddress
    /// The resolvable private addresses on the air; nil or all zeros if there are none.
    var localPrivateAddress: DeviceAddress?
    var peerPrivateAddress: DeviceAddress?
    let parameters: ConnectionParameters

    init(_ event: HCI.LEConnectionComplete) {
        handle = event.connectionHandle
        role = event.role == .central ? .central : .peripheral
        reported = event.peerAddress
        parameters = ConnectionParameters(
            interval: event.interval, latency: event.latency, timeout: event.supervisionTimeout)
    }

    init(_ event: HCI.LEEnhancedConnectionComplete) {
        handle = event.connectionHandle
        role = event.role == .central ? .central : .peripheral
        reported = event.peerAddress
        localPrivateAddress = event.localResolvablePrivateAddress
        peerPrivateAddress = event.peerResolvablePrivateAddress
        parameters = ConnectionParameters(
            interval: event.interval, latency: event.latency, timeout: event.supervisionTimeout)
    }
}
