/// The procedure that a conversation of packets belongs to.
package enum Procedure: UInt8, Hashable, Sendable, CaseIterable {
    // Advertising channels.
    /// The advertising of one device, with the scan requests and responses for it.
    case advertising
    /// A CONNECT_IND and the first packets until the peripheral answers (Vol 6, Part B, 4.5).
    case connecting

    // The link layer (Vol 6, Part B, 5.1).
    /// Empty packets that keep the link alive, between two packets with content.
    case idle
    case connectionUpdate
    case channelMapUpdate
    case encryptionStart
    case encryptionPause
    case featureExchange
    case versionExchange
    case termination
    case ping
    case dataLengthUpdate
    case phyUpdate
    /// A control PDU of an unknown procedure.
    case otherControl

    // L2CAP.
    /// The life of a credit-based channel, from its request to its disconnection (Vol 3, Part A, 10).
    case channel
    case otherSignal

    // ATT and GATT (Vol 3, Part G, 4).
    case mtuExchange
    case serviceDiscovery
    case includedServiceDiscovery
    case characteristicDiscovery
    case descriptorDiscovery
    case read
    case write
    case commandWrite
    /// The write of a client characteristic configuration, and the values that follow until it changes.
    case subscription
    case otherAttribute

    // The Security Manager.
    case pairing

    /// Encrypted packets without a known content.
    case encrypted

    /// The name in the filters of the page, such as `service-discovery`.
    package var identifier: String {
        switch self {
        case .advertising: "advertising"
        case .connecting: "connecting"
        case .idle: "idle"
        case .connectionUpdate: "connection-update"
        case .channelMapUpdate: "channel-map-update"
        case .encryptionStart: "encryption-start"
        case .encryptionPause: "encryption-pause"
        case .featureExchange: "feature-exchange"
        case .versionExchange: "version-exchange"
        case .termination: "termination"
        case .ping: "ping"
        case .dataLengthUpdate: "data-length-update"
        case .phyUpdate: "phy-update"
        case .otherControl: "other-control"
        case .channel: "channel"
        case .otherSignal: "other-signal"
        case .mtuExchange: "mtu-exchange"
        case .serviceDiscovery: "service-discovery"
        case .includedServiceDiscovery: "included-service-discovery"
        case .characteristicDiscovery: "characteristic-discovery"
        case .descriptorDiscovery: "descriptor-discovery"
        case .read: "read"
        case .write: "write"
        case .commandWrite: "command-write"
        case .subscription: "subscription"
        case .otherAttribute: "other-attribute"
        case .pairing: "pairing"
        case .encrypted: "encrypted"
        }
    }

    package init?(identifier: some StringProtocol) {
        guard let found = Self.allCases.first(where: { $0.identifier == identifier }) else { return nil }
        self = found
    }
}
