/// An IPv4 or IPv6 address.
package struct IPAddress: Hashable, Sendable {
    /// 4 or 16 octets in network order.
    package let octets: [UInt8]

    /// Returns nil unless there are 4 or 16 octets.
    package init?(_ octets: [UInt8]) {
        guard octets.count == 4 || octets.count == 16 else { return nil }
        self.octets = octets
    }

    package init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) { octets = [a, b, c, d] }

    package var isIPv4: Bool { octets.count == 4 }
    /// Whether the address is valid on one link only (169.254/16, fe80::/10).
    package var isLinkLocal: Bool {
        isIPv4 ? octets[0] == 169 && octets[1] == 254 : octets[0] == 0xFE && octets[1] & 0xC0 == 0x80
    }
}

extension IPAddress: CustomStringConvertible {
    /// The dotted form, or groups in hexadecimal with the longest run of zeros left out (RFC 5952).
    package var description: String {
        if isIPv4 { return octets.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]) }
        var best = 0..<0
        var start = 0
        while start < 8 {
            let end = groups[start...].firstIndex { $0 != 0 } ?? 8
            if end - start > max(1, best.count) { best = start..<end }
            start = max(end, start + 1)
        }
        let texts = groups.map { String($0, radix: 16) }
        if best.isEmpty { return texts.joined(separator: ":") }
        return texts[..<best.lowerBound].joined(separator: ":") + "::"
            + texts[best.upperBound...].joined(separator: ":")
    }
}

/// An address and a port.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    package var address: IPAddress
    package var port: UInt16

    package init(_ address: IPAddress, _ port: UInt16) {
        self.address = address
        self.port = port
    }

    package var description: String { address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)" }
}
