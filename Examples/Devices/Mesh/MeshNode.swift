/// A node without its radio: the messages of a link go in, the messages to it come out. Before provisioning it is an unprovisioned device.
///
/// 不含无线部分的节点：入网之前是未入网设备，之后是带代理的节点。
package struct MeshNode: Sendable {
    /// The addresses whose messages the proxy forwards to its client (Mesh Profile, 6.4).
    private struct Filter: Sendable {
        static let limit = 32
        var isReject = false
        var addresses: Set<UInt16> = []

        func passes(_ address: UInt16) -> Bool { addresses.contains(address) != isReject }

        mutating func insert(_ address: UInt16) {
            if addresses.count < Self.limit { addresses.insert(address) }
        }
    }

    private var provisionee: Provisionee
    private var stack: MeshStack?
    private var filter = Filter()
    /// The network, the keys and the light; nil before provisioning.
    package private(set) var models: MeshModels?
    /// The change that the last message caused; nil if there was none.
    package private(set) var effect: MeshModels.Effect?

    package init(_ secrets: Provisionee.Secrets) { provisionee = Provisionee(secrets) }

    package var isProvisioned: Bool { stack != nil }
    /// The network ID for the advertisement; nil before provisioning.
    package var networkID: [UInt8]? { stack?.network.networkID }
    package var address: UInt16? { stack?.address }

    /// A client has connected. Returns the first message to it.
    package mutating func connected() -> [ProxyPDU] {
        filter = Filter()
        return stack.map { [ProxyPDU(.beacon, $0.network.beacon(ivIndex: $0.ivIndex))] } ?? []
    }

    /// Handles the end of the link. An unprovisioned device begins again with new secrets.
    package mutating func disconnected(_ secrets: () -> Provisionee.Secrets) {
        if stack == nil { provisionee = Provisionee(secrets()) }
    }

    /// The node leaves its network.
    package mutating func reset(_ secrets: Provisionee.Secrets) {
        self = MeshNode(secrets)
    }

    /// Takes a message of the client, and returns the messages to it.
    package mutating func receive(_ message: ProxyPDU) -> [ProxyPDU] {
        effect = nil
        switch message.kind {
        case .provisioning: return provision(message.octets)
        case .configuration: return configureProxy(message.octets)
        case .network: return receiveNetwork(message.octets)
        case .beacon: return []
        }
    }

    private mutating func provision(_ pdu: [UInt8]) -> [ProxyPDU] {
        guard stack == nil else { return [] }
        let response = provisionee.receive(pdu)
        if let credentials = provisionee.credentials {
            stack = MeshStack(credentials)
            models = MeshModels(address: credentials.address, networkKeyIndex: credentials.networkKeyIndex)
        }
        return response.map { [ProxyPDU(.provisioning, $0)] } ?? []
    }

    private mutating func configureProxy(_ octets: [UInt8]) -> [ProxyPDU] {
        guard var stack, !stack.isExhausted,
            let pdu = MeshNetworkPDU(octets, stack.network, ivIndex: stack.ivIndex, kind: .proxyConfiguration),
            pdu.isControl, pdu.destination == 0, stack.isNew(pdu)
        else { return [] }
        let parameters = Array(pdu.transport.dropFirst())
        let addresses = stride(from: 0, to: parameters.count, by: 2).compactMap {
            parameters.bigEndian(UInt16.self, at: $0)
        }
        switch (pdu.transport[0], parameters.count) {
        case (0, 1) where parameters[0] <= 1: filter = Filter(isReject: parameters[0] == 1)
        case (1, _): for address in addresses { filter.insert(address) }
        case (2, _): for address in addresses { filter.addresses.remove(address) }
        default:
            self.stack = stack
            return []
        }
        let count = UInt16(truncatingIfNeeded: filter.addresses.count)
        let status = stack.networkPDU(
            [3, filter.isReject ? 1 : 0] + count.bigEndianOctets, to: 0, isControl: true, kind: .proxyConfiguration)
        self.stack = stack
        return [ProxyPDU(.configuration, status)]
    }

    private mutating func receiveNetwork(_ octets: [UInt8]) -> [ProxyPDU] {
        guard var stack, let pdu = MeshNetworkPDU(octets, stack.network, ivIndex: stack.ivIndex) else { return [] }
        // The proxy learns the client's address from its messages. 代理从消息里得知客户端的地址。
        if filter.isReject { filter.addresses.remove(pdu.source) } else { filter.insert(pdu.source) }
        let (messages, acknowledgments) = stack.receive(octets)
        var answers = acknowledgments
        for message in messages {
            guard let (response, change) = models?.handle(message) else { continue }
            if let response { answers += stack.send(response, to: message.source, key: message.key) }
            if case .addedKey(let index, let key) = change { stack.applicationKeys[index] = key }
            effect = change ?? effect
        }
        self.stack = stack
        return filter.passes(pdu.source) ? answers.map { ProxyPDU(.network, $0) } : []
    }
}
