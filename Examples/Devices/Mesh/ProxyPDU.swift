/// The messages of a link with a proxy or a provisioner, in parts that fit into one value of a characteristic (Mesh Profile, 6.3).
///
/// 代理协议：把消息分成适合一次读写的部分。
package struct ProxyPDU: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        case network = 0
        case beacon = 1
        case configuration = 2
        case provisioning = 3
    }

    package var kind: Kind
    package var octets: [UInt8]

    package init(_ kind: Kind, _ octets: [UInt8]) {
        self.kind = kind
        self.octets = octets
    }

    /// The parts, each of at most `length` octets with its first one.
    package func parts(_ length: Int) -> [[UInt8]] {
        let space = max(1, length - 1)
        let last = max(0, octets.count - 1) / space
        return (0...last).map { index in
            let place: UInt8 = last == 0 ? 0 : index == 0 ? 1 : index == last ? 3 : 2
            let start = index * space
            return [place << 6 | kind.rawValue] + octets[start..<min(start + space, octets.count)]
        }
    }
}

/// The parts that a client has sent so far.
package struct ProxyReassembly: Sendable {
    /// The octets of a message at most. The longest one has 66.
    package static let limit = 128

    private var message: ProxyPDU?

    package init() {}

    /// Adds a part. Returns the message that it ends; nil for parts that do not fit, which also drop what was there.
    package mutating func receive(_ part: [UInt8]) -> ProxyPDU? {
        let before = message
        message = nil
        guard let first = part.first, let kind = ProxyPDU.Kind(rawValue: first & 0x3F) else { return nil }
        switch first >> 6 {
        case 0: return ProxyPDU(kind, Array(part.dropFirst()))
        case 1:
            guard part.count - 1 <= Self.limit else { return nil }
            message = ProxyPDU(kind, Array(part.dropFirst()))
            return nil
        default:
            guard var whole = before, whole.kind == kind, whole.octets.count + part.count - 1 <= Self.limit else {
                return nil
            }
            whole.octets += part.dropFirst()
            if first >> 6 == 3 { return whole }
            message = whole
            return nil
        }
    }
}
