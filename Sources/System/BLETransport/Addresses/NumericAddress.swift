import Glibc

/// Numeric IPv4 and IPv6 addresses as octets.
package enum NumericAddress {
    /// The octets of a numeric address, without the zone of an IPv6 address. Nil for other text.
    package static func octets(of host: String) -> [UInt8]? {
        let text = String(host.prefix { $0 != "%" })
        var octets = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &octets) == 1 { return Array(octets.prefix(4)) }
        return inet_pton(AF_INET6, text, &octets) == 1 ? octets : nil
    }

    /// The octets that all addresses of one machine have in common: those of an IPv4 address, also of one that is mapped into IPv6
    /// (RFC 4291, 2.5.5.2), and of an IPv6 address the network's half, because one machine has all addresses of it.
    package static func machine(of octets: [UInt8]) -> [UInt8] {
        let isMapped = octets.count == 16 && octets[..<10].allSatisfy { $0 == 0 } && octets[10...11] == [0xFF, 0xFF]
        return isMapped ? Array(octets[12...]) : Array(octets.prefix(octets.count == 16 ? 8 : 4))
    }
}

extension Collection {
    /// The first element of the source with the most elements. Servers end this connection when they have too many, so that a flood from one source
    /// displaces itself.
    package func firstOfLargestGroup<Source: Hashable>(by source: (Element) -> Source) -> Element? {
        var counts: [Source: Int] = [:]
        for element in self { counts[source(element), default: 0] += 1 }
        let most = counts.values.max()
        return first { counts[source($0)] == most }
    }
}
