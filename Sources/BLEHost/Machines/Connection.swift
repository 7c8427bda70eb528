import BLEAttribute
import BLELink
import BLEWire

/// One link: its attribute bearer, its signalling channel, the frame under way, its timers.
final class Connection {
    let identifier: LinkIdentifier
    let handle: UInt16
    let role: LinkRole
    let peer: DeviceAddress
    let slot: ACLTransmitter.Slot
    var parameters: ConnectionParameters
    var bearer: ATTBearer
    var signalling: SignallingChannel
    var channels: CreditBasedChannels
    /// Whether there was ever anything about credit-based channels on this link. Most have none, and packets are many.
    var usesChannels = false
    var reassembler: ACLReassembler
    var setUp: LinkSetUp
    var deadlines = DeadlineTable()
    var dataLength: UInt16 = 27
    var transmitPHY: UInt8 = 1
    var receivePHY: UInt8 = 1
    /// Why the link ends; nil until Disconnect is sent or the end is reported.
    var end: DisconnectionCause?
    var isEnding: Bool { end != nil }
    /// Whether the driver knows of this link.
    enum Visibility: Hashable, Sendable {
        /// As central: the peer has given no sign of life yet, perhaps it did not hear us (Vol 6, Part B, 4.5.2). The driver
        /// will be told when it does.
        case unconfirmed
        case open
        /// Nobody wants this link any more and nobody was told of it.
        case silent
    }

    var visibility: Visibility
    /// No events about this link.
    var isSilent: Bool { visibility != .open }
    var lastViolation: ProtocolViolation?

    init(
        identifier: LinkIdentifier, handle: UInt16, role: LinkRole, peer: DeviceAddress, slot: ACLTransmitter.Slot,
        parameters: ConnectionParameters, visibility: Visibility, capabilities: ControllerCapabilities,
        configuration: HostConfiguration
    ) {
        self.identifier = identifier
        self.handle = handle
        self.role = role
        self.peer = peer
        self.slot = slot
        self.parameters = parameters
        self.visibility = visibility
        bearer = ATTBearer(localMTU: configuration.localMTU)
        signalling = SignallingChannel(role: role == .central ? .central : .peripheral)
        channels = CreditBasedChannels(configuration: configuration.creditBased)
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
