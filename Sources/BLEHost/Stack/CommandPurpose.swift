/// What a command was sent for, so that its answer finds the way back.
enum CommandPurpose: Hashable, Sendable {
    case startUp
    case scanner
    case advertiser
    case connector(Connector.Action)
    case link(LinkIdentifier, LinkCommand)
    /// Ends a link that this host does not know.
    case staleLink
    /// The Reset that ends a power-off.
    case powerOff

    /// Whether the host can go on if the controller ignores the command.
    var isOptional: Bool {
        switch self {
        case .link(_, .disconnect), .startUp, .scanner, .advertiser, .connector: false
        case .link, .staleLink, .powerOff: true
        }
    }
}

enum LinkCommand: Hashable, Sendable {
    case disconnect
    case readRSSI(id: UInt32)
    case readRemoteFeatures
    case setDataLength
    case setPHY
    /// `isOurs`: `requestConnectionParameters` asked for it, not the peer.
    case connectionUpdate(isOurs: Bool)
    case parameterReply
}
