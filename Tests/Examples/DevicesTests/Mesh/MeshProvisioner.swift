import Crypto
import Devices

/// The other side of a mesh lamp, in the manner of nRF Mesh: provisions it, reads its composition, adds and binds an application key, switches the
/// light. Messages of a link go in, messages to it come out.
struct MeshProvisioner {
    enum Step: Hashable, Sendable {
        case provisioned
        case filtered(type: UInt8, count: UInt16)
        case composition([UInt8])
        case keyAdded(UInt8)
        case bound(UInt8)
        case state(Bool)
        case reset
        case failed(UInt8)
    }

    static let address: UInt16 = 0x0001
    static let applicationKey = hex("63964771734fbd76e3b40519d1d94a48")

    var credentials = MeshCredentials(
        networkKey: hex("7dd7364cd842ad18c17c2b820c84c3d6"), networkKeyIndex: 0, ivIndex: 0x1234_5678, address: 0x0105,
        deviceKey: [])
    private(set) var steps: [Step] = []
    /// The beacon that the node sent at the start of the link.
    private(set) var beacon: [UInt8]?
    var stack: MeshStack
    private let key: P256.KeyAgreement.PrivateKey
    private let random = [UInt8](repeating: 0x5A, count: 16)
    private var inputs: [UInt8] = []
    private var secret: [UInt8] = []
    private var salt: [UInt8] = []
    private var confirmation: [UInt8] = []
    private var transaction: UInt8 = 0

    init(seed: UInt8 = 7) throws {
        key = try P256.KeyAgreement.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
        var own = credentials
        own.address = Self.address
        stack = MeshStack(own, sequence: 1)
        stack.applicationKeys[0] = Self.applicationKey
    }

    /// The first message to an unprovisioned device.
    mutating func invite() -> [ProxyPDU] {
        inputs = [0]
        return [ProxyPDU(.provisioning, [0, 0])]
    }

    mutating func receive(_ message: ProxyPDU) -> [ProxyPDU] {
        switch message.kind {
        case .provisioning: return provision(message.octets)
        case .beacon: beacon = message.octets
        case .network:
            let (messages, answers) = stack.receive(message.octets)
            for message in messages { note(message.payload) }
            return answers.map { ProxyPDU(.network, $0) }
        case .configuration:
            let pdu = MeshNetworkPDU(
                message.octets, stack.network, ivIndex: stack.ivIndex, kind: .proxyConfiguration)
            if let transport = pdu?.transport, transport.count == 4, transport[0] == 3 {
                steps.append(.filtered(type: transport[1], count: UInt16(transport[2]) << 8 | UInt16(transport[3])))
            }
        }
        return []
    }

    private mutating func provision(_ pdu: [UInt8]) -> [ProxyPDU] {
        let content = Array(pdu.dropFirst())
        func send(_ octets: [UInt8]) -> ProxyPDU { ProxyPDU(.provisioning, octets) }
        switch pdu.first {
        case 1:
            inputs += content + [0, 0, 0, 0, 0]
            return [send([2, 0, 0, 0, 0, 0]), send([3] + key.publicKey.rawRepresentation)]
        case 3:
            inputs += key.publicKey.rawRepresentation + content
            guard let peer = try? P256.KeyAgreement.PublicKey(rawRepresentation: content),
                let shared = try? key.sharedSecretFromKeyAgreement(with: peer)
            else { return [] }
            secret = shared.withUnsafeBytes { Array($0) }
            salt = MeshCrypto.s1(inputs)
            return [send([5] + Provisionee.confirmation(secret, salt, random))]
        case 5:
            confirmation = content
            return [send([6] + random)]
        case 6:
            guard Provisionee.confirmation(secret, salt, content) == confirmation else { return [] }
            let keys = Provisionee.keys(secret, MeshCrypto.s1(salt + random + content))
            credentials.deviceKey = keys.device
            stack.deviceKey = keys.device
            let data =
                credentials.networkKey + credentials.networkKeyIndex.bigEndianOctets + [0]
                + credentials.ivIndex.bigEndianOctets + credentials.address.bigEndianOctets
            return [send([7] + MeshCrypto.seal(data, key: keys.session, nonce: keys.nonce, codeLength: 8))]
        case 8: steps.append(.provisioned)
        case 9: steps.append(.failed(content.first ?? 0))
        default: return []
        }
        return []
    }

    private mutating func note(_ payload: [UInt8]) {
        switch (payload[0], payload.count > 1 ? payload[1] : 0) {
        case (0x02, _): steps.append(.composition(Array(payload.dropFirst(2))))
        case (0x80, 0x03): steps.append(.keyAdded(payload[2]))
        case (0x80, 0x3E): steps.append(.bound(payload[2]))
        case (0x80, 0x4A): steps.append(.reset)
        case (0x82, 0x04): steps.append(.state(payload[2] == 1))
        default: break
        }
    }

    // MARK: Requests

    mutating func send(_ payload: [UInt8], key: MeshMessage.Key = .device) -> [ProxyPDU] {
        stack.send(payload, to: credentials.address, key: key).map { ProxyPDU(.network, $0) }
    }

    mutating func setFilter(_ transport: [UInt8]) -> [ProxyPDU] {
        [
            ProxyPDU(
                .configuration, stack.networkPDU(transport, to: 0, isControl: true, kind: .proxyConfiguration))
        ]
    }

    mutating func requestComposition() -> [ProxyPDU] { send([0x80, 0x08, 0]) }
    mutating func addKey(_ key: [UInt8] = applicationKey, index: UInt8 = 0) -> [ProxyPDU] {
        send([0, 0, index << 4, index >> 4] + key)
    }
    mutating func bind(model: UInt16 = 0x1000, index: UInt8 = 0) -> [ProxyPDU] {
        send([0x80, 0x3D] + credentials.address.littleEndianOctets + [index, 0] + model.littleEndianOctets)
    }
    mutating func turn(_ isOn: Bool) -> [ProxyPDU] {
        transaction &+= 1
        return send([0x82, 0x02, isOn ? 1 : 0, transaction], key: .application(0))
    }
}
