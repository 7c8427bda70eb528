import BLEWire

/// The part of the host that sent a command and gets its answer.
enum CommandPurpose: Hashable, Sendable {
    case startUp
    case scanner
    case advertiser(AdvertisingSet)
    case initiator(InitiatorCommand)
    /// The periodic advertising of a set.
    case train(AdvertisingSet)
    /// The data of subevents of a set's periodic advertising.
    case subeventData(AdvertisingSet)
    /// The reception of periodic advertising.
    case syncs
    /// The subevents of a received train, and a response in one.
    case subevents(PeriodicTrainIdentifier)
    case response(PeriodicTrainIdentifier)
    case privacy
    case link(LinkIdentifier, LinkCommand)
    /// Ends a link that is unknown to this host.
    case staleLink
    /// The Reset that ends a power-off.
    case powerOff

    /// Whether the host can continue if the controller ignores the command.
    var isOptional: Bool {
        switch self {
        case .link(_, .disconnect), .startUp, .scanner, .advertiser, .initiator: false
        case .link, .train, .subeventData, .syncs, .subevents, .response, .staleLink, .privacy, .powerOff: true
        }
    }
}

enum LinkCommand: Hashable, Sendable {
    case disconnect
    case readRSSI(id: UInt32)
    case readRemoteFeatures
    case setDataLength
    case readPHY
    case setPHY
    /// `isOurs`: `requestConnectionParameters` caused the update, not the peer.
    case connectionUpdate(isOurs: Bool)
    case parameterReply
    case enableEncryption
    case longTermKeyReply
    case readTransmitPower
    /// A command about power, path loss or subrating without a result of its own.
    case radio
}

/// A command about the filter accept list, or about the attempt to connect.
enum InitiatorCommand: Hashable, Sendable {
    case add(DeviceAddress)
    case remove(DeviceAddress)
    /// Nil uses the accept list. A single peer needs no list, and some controllers have a defective one.
    case create(DeviceAddress?)
    case cancel
}
