/// The addresses and keys that a node receives during provisioning.
package struct MeshCredentials: Hashable, Sendable {
    package var networkKey: [UInt8]
    package var networkKeyIndex: UInt16
    package var ivIndex: UInt32
    package var address: UInt16
    package var deviceKey: [UInt8]

    package init(
        networkKey: [UInt8], networkKeyIndex: UInt16, ivIndex: UInt32, address: UInt16, deviceKey: [UInt8]
    ) {
        self.networkKey = networkKey
        self.networkKeyIndex = networkKeyIndex
        self.ivIndex = ivIndex
        self.address = address
        self.deviceKey = deviceKey
    }
}

/// A message of the access layer.
package struct MeshMessage: Hashable, Sendable {
    package enum Key: Hashable, Sendable {
        case device
        /// An application key, by its index.
        case application(UInt16)
    }

    package var source: UInt16
    package var destination: UInt16
    package var key: Key
    /// The opcode and its parameters.
    package var payload: [UInt8]

    package init(source: UInt16, destination: UInt16, key: Key, payload: [UInt8]) {
        self.source = source
        self.destination = destination
        self.key = key
        self.payload = payload
    }
}

/// The network and transport layers of one element: messages of the access layer become network PDUs, and back. Long messages take several segments,
/// which the receiver acknowledges. It does no I/O and has no timers: over a link of GATT no PDU is lost.
///
/// 网络层和传输层：消息的加密、分段、确认和防重放。
package struct MeshStack: Sendable {
    private struct Incoming: Sendable {
        let source: UInt16
        let destination: UInt16
        let sequence: UInt32
        let first: UInt8
        let hasLongCode: Bool
        var segments: [[UInt8]?]

        var acknowledged: UInt32 {
            segments.enumerated().reduce(0) { $1.element == nil ? $0 : $0 | 1 << UInt32($1.offset) }
        }
    }

    private struct Outgoing: Sendable {
        let destination: UInt16
        let sequenceZero: UInt16
        var segments: [[UInt8]]
        var roundsLeft = 4
    }

    /// The sources whose sequence numbers the stack remembers. Messages of further sources are ignored: they could be replayed.
    package static let sourceLimit = 64
    /// The long messages that arrive, or wait for an acknowledgment, at one time.
    package static let longMessageLimit = 4
    /// The octets of a message at most.
    package static let payloadLimit = 380
    private static let segmentLength = 12
    /// 24 bits, less than those that one message and its answers take.
    private static let sequenceEnd: UInt32 = 0xFF_FF00

    package let network: MeshNetworkKey
    package let ivIndex: UInt32
    package let address: UInt16
    package var deviceKey: [UInt8]
    package var applicationKeys: [UInt16: [UInt8]] = [:]
    /// The sequence number of the next PDU.
    package private(set) var sequence: UInt32
    private var heard: [UInt16: UInt32] = [:]
    private var incoming: [Incoming] = []
    private var completed: [UInt16: Incoming] = [:]
    private var outgoing: [Outgoing] = []

    /// - Parameter sequence: The first sequence number, 24 bits. A node continues with its last one after a restart.
    package init(_ credentials: MeshCredentials, sequence: UInt32 = 0) {
        network = MeshNetworkKey(credentials.networkKey)
        ivIndex = credentials.ivIndex
        address = credentials.address
        deviceKey = credentials.deviceKey
        self.sequence = sequence
    }

    // MARK: Sending 发送

    /// Returns the network PDUs of a message; none if a key is missing, or if the message is too long.
    package mutating func send(_ payload: [UInt8], to destination: UInt16, key: MeshMessage.Key) -> [[UInt8]] {
        guard let first = first(key), let octets = applicationOctets(key), payload.count <= Self.payloadLimit,
            !isExhausted
        else { return [] }
        let nonce = nonce(key, sequence, address, destination, ivIndex, hasLongCode: false)
        let upper = MeshCrypto.seal(payload, key: octets, nonce: nonce, codeLength: 4)
        guard upper.count > 15 else { return [networkPDU([first] + upper, to: destination, isControl: false)] }
        let zero = UInt16(truncatingIfNeeded: sequence & 0x1FFF)
        let last = (upper.count - 1) / Self.segmentLength
        let segments = (0...last).map { index in
            let start = index * Self.segmentLength
            return [first | 0x80] + Self.segmentHeader(zero, index, last)
                + upper[start..<min(start + Self.segmentLength, upper.count)]
        }
        outgoing.removeAll { $0.destination == destination }
        if outgoing.count == Self.longMessageLimit { outgoing.removeFirst() }
        outgoing.append(Outgoing(destination: destination, sequenceZero: zero, segments: segments))
        return segments.map { networkPDU($0, to: destination, isControl: false) }
    }

    private static func segmentHeader(_ zero: UInt16, _ index: Int, _ last: Int) -> [UInt8] {
        Array((UInt32(zero) << 10 | UInt32(index) << 5 | UInt32(last)).bigEndianOctets.dropFirst())
    }

    /// Returns a PDU with the next sequence number.
    package mutating func networkPDU(
        _ transport: [UInt8], to destination: UInt16, isControl: Bool, kind: MeshNetworkPDU.Kind = .message
    ) -> [UInt8] {
        defer { sequence += 1 }
        let pdu = MeshNetworkPDU(
            isControl: isControl, ttl: kind == .message ? 5 : 0, sequence: sequence, source: address,
            destination: destination, transport: transport)
        return pdu.octets(network, ivIndex: ivIndex, kind: kind)
    }

    // MARK: Receiving 接收

    /// Whether the sequence numbers are used up. A node then needs another IV index, and this one is silent: no number may come twice.
    package var isExhausted: Bool { sequence >= Self.sequenceEnd }

    /// Takes a network PDU. Returns the messages that it completes, and the PDUs that answer it.
    package mutating func receive(_ octets: [UInt8]) -> (messages: [MeshMessage], answers: [[UInt8]]) {
        guard !isExhausted, let pdu = MeshNetworkPDU(octets, network, ivIndex: ivIndex), isNew(pdu),
            pdu.destination == address
        else { return ([], []) }
        if pdu.isControl { return ([], acknowledged(pdu)) }
        guard pdu.transport[0] & 0x80 != 0 else {
            let message = open(
                Array(pdu.transport[1...]), pdu.transport[0], pdu.source, pdu.destination, pdu.sequence,
                hasLongCode: false)
            return (message.map { [$0] } ?? [], [])
        }
        return segment(pdu)
    }

    /// Whether the sequence number of a PDU is higher than those before, so that the PDU is no copy.
    package mutating func isNew(_ pdu: MeshNetworkPDU) -> Bool {
        guard pdu.source != 0, pdu.source < 0x8000, pdu.source != address else { return false }
        if let last = heard[pdu.source] {
            guard pdu.sequence > last else { return false }
        } else if heard.count == Self.sourceLimit {
            return false
        }
        heard[pdu.source] = pdu.sequence
        return true
    }

    private mutating func segment(_ pdu: MeshNetworkPDU) -> (messages: [MeshMessage], answers: [[UInt8]]) {
        guard let header = ([0] + pdu.transport.dropFirst()).bigEndian(UInt32.self, at: 0), pdu.transport.count > 4
        else { return ([], []) }
        let (index, last) = (Int(header >> 5 & 0x1F), Int(header & 0x1F))
        let octets = Array(pdu.transport[4...])
        guard index <= last, index == last || octets.count == Self.segmentLength else { return ([], []) }
        // The number of the first segment: its low 13 bits are in each segment. 由低 13 位恢复首段的序号。
        var first = pdu.sequence & ~0x1FFF | header >> 10 & 0x1FFF
        if first > pdu.sequence {
            guard first >= 0x2000 else { return ([], []) }
            first -= 0x2000
        }
        if let message = completed[pdu.source], message.sequence == first {
            return ([], [acknowledgment(of: message)])
        }
        let position =
            incoming.firstIndex { $0.source == pdu.source && $0.sequence == first } ?? begin(pdu, first, last, header)
        guard incoming[position].segments.count == last + 1, incoming[position].first == pdu.transport[0] else {
            return ([], [])
        }
        incoming[position].segments[index] = octets
        let message = incoming[position]
        let parts = message.segments.compactMap { $0 }
        guard parts.count == last + 1 else { return ([], index == last ? [acknowledgment(of: message)] : []) }
        incoming.remove(at: position)
        completed[pdu.source] = message
        let opened = open(
            Array(parts.joined()), message.first & 0x7F, message.source, message.destination, first,
            hasLongCode: message.hasLongCode)
        return (opened.map { [$0] } ?? [], [acknowledgment(of: message)])
    }

    /// Begins to collect a message, in the place of an older one of the same source.
    private mutating func begin(_ pdu: MeshNetworkPDU, _ first: UInt32, _ last: Int, _ header: UInt32) -> Int {
        incoming.removeAll { $0.source == pdu.source }
        if incoming.count == Self.longMessageLimit { incoming.removeFirst() }
        incoming.append(
            Incoming(
                source: pdu.source, destination: pdu.destination, sequence: first, first: pdu.transport[0],
                hasLongCode: header >> 23 & 1 == 1, segments: Array(repeating: nil, count: last + 1)))
        return incoming.count - 1
    }

    private mutating func acknowledgment(of message: Incoming) -> [UInt8] {
        let zero = UInt16(truncatingIfNeeded: message.sequence & 0x1FFF)
        let transport = [0] + (zero << 2).bigEndianOctets + message.acknowledged.bigEndianOctets
        return networkPDU(transport, to: message.source, isControl: true)
    }

    /// The peer has received some segments of a message: sends the others again.
    private mutating func acknowledged(_ pdu: MeshNetworkPDU) -> [[UInt8]] {
        guard pdu.transport[0] == 0, let zero = pdu.transport.bigEndian(UInt16.self, at: 1),
            let received = pdu.transport.bigEndian(UInt32.self, at: 3),
            let position = outgoing.firstIndex(where: {
                $0.destination == pdu.source && $0.sequenceZero == zero >> 2 & 0x1FFF
            })
        else { return [] }
        let missing = outgoing[position].segments.enumerated().filter { received >> UInt32($0.offset) & 1 == 0 }
        // A block without any segment ends the transfer.
        guard !missing.isEmpty, received != 0, outgoing[position].roundsLeft > 0 else {
            outgoing.remove(at: position)
            return []
        }
        outgoing[position].roundsLeft -= 1
        return missing.map { networkPDU($0.element, to: pdu.source, isControl: false) }
    }

    // MARK: Keys 密钥

    private func open(
        _ octets: [UInt8], _ first: UInt8, _ source: UInt16, _ destination: UInt16, _ sequence: UInt32,
        hasLongCode: Bool
    ) -> MeshMessage? {
        let keys: [MeshMessage.Key] =
            first & 0x40 == 0
            ? [.device]
            : applicationKeys.keys.sorted().filter { MeshCrypto.k4(applicationKeys[$0] ?? []) == first & 0x3F }
                .map { .application($0) }
        for key in keys {
            let nonce = nonce(key, sequence, source, destination, ivIndex, hasLongCode: hasLongCode)
            guard let octetsOfKey = applicationOctets(key),
                let payload = MeshCrypto.open(
                    octets, key: octetsOfKey, nonce: nonce, codeLength: hasLongCode ? 8 : 4), !payload.isEmpty
            else { continue }
            return MeshMessage(source: source, destination: destination, key: key, payload: payload)
        }
        return nil
    }

    private func applicationOctets(_ key: MeshMessage.Key) -> [UInt8]? {
        switch key {
        case .device: deviceKey
        case .application(let index): applicationKeys[index]
        }
    }

    /// The first octet of the lower transport layer, without the bit for segments.
    private func first(_ key: MeshMessage.Key) -> UInt8? {
        switch key {
        case .device: 0
        case .application(let index): applicationKeys[index].map { 0x40 | MeshCrypto.k4($0) }
        }
    }

    private func nonce(
        _ key: MeshMessage.Key, _ sequence: UInt32, _ source: UInt16, _ destination: UInt16, _ ivIndex: UInt32,
        hasLongCode: Bool
    ) -> [UInt8] {
        [key == .device ? 2 : 1, hasLongCode ? 0x80 : 0] + sequence.bigEndianOctets.dropFirst()
            + source.bigEndianOctets + destination.bigEndianOctets + ivIndex.bigEndianOctets
    }
}
