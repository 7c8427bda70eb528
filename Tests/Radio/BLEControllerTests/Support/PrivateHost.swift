import BLEController
import BLECrypto
import BLEWire

/// A raw host with an identity and an IRK, and the entries that it adds to its controller's resolving list.
struct PrivateHost {
    let host: RawHost
    let key: IdentityResolvingKey
    /// The public address of the controller, otherwise the static random address that the host sets.
    let identity: DeviceAddress

    /// Unmasks all LE events, so that connections are reported with both private addresses.
    init(_ bench: Bench, key: UInt128, _ configure: (inout ControllerConfiguration) -> Void = { _ in }) {
        var configuration = ControllerConfiguration()
        configure(&configuration)
        host = bench.addHost(configure)
        identity = configuration.publicAddress ?? host.address
        self.key = IdentityResolvingKey(value: key)
        host.send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0xFFFFF)))
    }

    /// Adds `peer` to the resolving list.
    func add(_ peer: PrivateHost, peerKey: IdentityResolvingKey? = nil, localKey: IdentityResolvingKey? = nil) {
        host.send(
            HCI.LEAddDeviceToResolvingList(
                identity: peer.identity, peerKey: peerKey ?? peer.key, localKey: localKey ?? key))
    }

    func resolve(_ enable: Bool = true) { host.send(HCI.LESetAddressResolutionEnable(enable: enable)) }

    func setMode(_ mode: PrivacyMode, of peer: PrivateHost) {
        host.send(HCI.LESetPrivacyMode(identity: peer.identity, mode: mode))
    }

    var connections: [HCI.LEEnhancedConnectionComplete] { host.all(HCI.LEEnhancedConnectionComplete.self) }

    /// Whether this device's IRK generated the address.
    func owns(_ address: DeviceAddress) -> Bool {
        SwiftCryptoProvider(generator: SeededRandom(seed: 0)).resolves(address, key)
    }
}

/// The addresses of an advertising PDU.
struct AirAddresses: Hashable {
    var start: Instant
    var type: LL.AdvertisingPDUType
    var sender: DeviceAddress
    /// The target, the advertiser of a request; nil for undirected advertising.
    var receiver: DeviceAddress?

    init?(_ packet: borrowing AirPacket) {
        guard packet.accessAddress == LL.advertisingAccessAddress else { return nil }
        let pdu = packet.pdu
        func address(at offset: Int, isRandom: Bool) -> DeviceAddress {
            var value: UInt64 = 0
            for index in 0..<6 { value |= UInt64(pdu[offset + index]) << (8 * UInt64(index)) }
            return DeviceAddress(kind: isRandom ? .random : .public, value: value)
        }
        guard pdu.count >= 8, let header = try? LL.AdvertisingHeader(decoding: pdu.extracting(first: 2)) else {
            return nil
        }
        start = packet.start
        type = header.type
        sender = address(at: 2, isRandom: header.transmitterIsRandom)
        switch header.type {
        case .advDirectInd, .scanReq, .connectInd: receiver = address(at: 8, isRandom: header.receiverIsRandom)
        default: receiver = nil
        }
    }
}
