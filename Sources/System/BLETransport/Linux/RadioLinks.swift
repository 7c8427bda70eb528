import CLinuxBluetooth

/// The links of an adapter that the kernel has, by the values of their addresses.
package struct RadioLinks: Hashable, Sendable {
    package var lowEnergy: Set<UInt64> = []
    package var classic: Set<UInt64> = []

    package init() {}

    init(_ links: some Sequence<clb_link>) {
        for link in links {
            let address = withUnsafeBytes(of: link.address) { $0.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
            if link.is_low_energy != 0 { lowEnergy.insert(address) } else { classic.insert(address) }
        }
    }
}

extension SystemBluetooth {
    /// The links of an adapter; nil if the kernel does not tell. Needs no privileges.
    package func links(of index: UInt16) -> RadioLinks? {
        let control = clb_open_control()
        guard control >= 0 else { return nil }
        defer { _ = close(control) }
        var links = [clb_link](repeating: clb_link(), count: 64)
        let count = clb_list_links(control, index, &links, Int32(links.count))
        return count >= 0 ? RadioLinks(links.prefix(Int(count))) : nil
    }
}
