/// An interface of this machine that takes part in local discovery.
package struct NetworkInterface: Equatable, Sendable {
    /// An address and the number of leading bits that the link shares.
    package struct Address: Equatable, Sendable {
        package let address: IPAddress
        package let prefix: Int

        /// The address of all hosts of the network; nil for IPv6, and for a network of one or two hosts.
        package var broadcast: IPAddress? {
            guard address.isIPv4, prefix < 31 else { return nil }
            return IPAddress(
                address.octets.enumerated().map { index, octet in
                    let bits = min(8, max(0, prefix - 8 * index))
                    return octet | UInt8(0xFF >> bits)
                })
        }

        /// Whether `other` is on the link of this address.
        func contains(_ other: IPAddress) -> Bool {
            guard other.octets.count == address.octets.count else { return false }
            for bit in 0..<prefix {
                let mask: UInt8 = 0x80 >> UInt8(bit & 7)
                if (address.octets[bit >> 3] ^ other.octets[bit >> 3]) & mask != 0 { return false }
            }
            return true
        }
    }

    package let number: Int
    package let name: String
    package var addresses: [Address]

    /// Whether `address` is on this link (RFC 6762, 11).
    package func reaches(_ address: IPAddress) -> Bool {
        !address.isIPv4 && address.isLinkLocal || addresses.contains { $0.contains(address) }
    }

    /// The interfaces that are up and can multicast, by number. The loopback interface takes part if it is named.
    package static func current(including names: [String] = []) -> [NetworkInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var result: [Int: NetworkInterface] = [:]
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            let name = String(cString: entry.ifa_name)
            let isLoopback = entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0
            let canMulticast = entry.ifa_flags & UInt32(IFF_MULTICAST) != 0
            guard entry.ifa_flags & UInt32(IFF_UP) != 0, names.isEmpty || names.contains(name),
                isLoopback ? names.contains(name) : canMulticast,
                let address = SocketCoding.endpoint(entry.ifa_addr)?.address
            else { continue }
            let number = Int(if_nametoindex(name))
            let bits = SocketCoding.endpoint(entry.ifa_netmask)?.address.octets
                .reduce(0) { $0 + $1.nonzeroBitCount }
            result[number, default: NetworkInterface(number: number, name: name, addresses: [])].addresses
                .append(Address(address: address, prefix: bits ?? address.octets.count * 8))
        }
        return result.values.sorted { $0.number < $1.number }
    }
}
