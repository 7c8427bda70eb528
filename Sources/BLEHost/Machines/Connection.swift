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
    var reassembler: ACLReassembler
    var setUp: LinkSetUp
    var deadlines = DeadlineTable()
    var dataLength: UInt16 = 27
    var transmitPHY: UInt8 = 1
    var receivePHY: UInt8 = 1
    /// Disconnect was sent.
    var isEnding = false
    /// Nobody wants this link any more and nobody was told of it: no events.
    let isSilent: Bool
    var lastViolation: ProtocolViolation?

    init(
        identifier: LinkIdentifier, handle: UInt16, role: LinkRole, peer: DeviceAddress, slot: ACLTransmitter.Slot,
        parameters: ConnectionParameters, isSilent: Bool, capabilities: ControllerCapabilities,
        configuration: HostConfiguration
    ) {
        self.identifier = identifier
        self.handle = handle
        self.role = role
        self.peer = peer
        self.slot = slot
        self.parameters = parameters
        self.isSilent = isSilent
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
