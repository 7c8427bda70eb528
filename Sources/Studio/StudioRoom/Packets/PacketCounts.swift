import BLEPacketDecoding

/// The topic `counts`: exact also when pages do not get all packets.
package struct PacketCounts: Hashable, Codable, Sendable {
    package var packets = 0
    /// The packets that a device listened for and no device received.
    package var lost = 0
    /// By layer: `adv`, `ll`, `l2cap`, `att`, `smp`, `data`, `hci`.
    package var byLayer: [String: Int] = [:]
    /// The packets that each device sent.
    package var byDevice: [String: Int] = [:]
}

/// Counts packets without texts, for speed.
struct PacketCounter: Sendable {
    /// The packets of a link.
    struct Link: Sendable {
        var packets = 0
        var lost = 0
        /// The numbers of the two devices that sent packets.
        var first = 0
        var second = 0

        mutating func add(sender: Int, isLost: Bool) {
            packets += 1
            if isLost { lost += 1 }
            if first == 0 { first = sender } else if first != sender { second = sender }
        }
    }

    private(set) var packets = 0
    private var lost = 0
    private var byLayer = [Int](repeating: 0, count: PacketLayer.allCases.count)
    /// By the number of the device.
    private var byDevice: [Int] = []
    private var links: [UInt32: Link] = [:]
    var linkCount: Int { links.count }

    /// The packets of the link with an access address.
    func link(_ accessAddress: UInt32) -> Link { links[accessAddress] ?? Link() }

    mutating func add(_ frame: AirFrame, _ summary: PacketSummary) {
        packets += 1
        let isLost = !frame.isHeard && (summary.link != nil || !frame.receptions.isEmpty)
        if isLost { lost += 1 }
        byLayer[Self.index(summary.layer)] += 1
        if frame.sender > 0 {
            while byDevice.count <= frame.sender { byDevice.append(0) }
            byDevice[frame.sender] += 1
        }
        guard let link = summary.link else { return }
        links[link, default: Link()].add(sender: frame.sender, isLost: isLost)
    }

    /// Forgets all links but those with the given access addresses.
    mutating func keepLinks(_ isOpen: (UInt32) -> Bool) { links = links.filter { isOpen($0.key) } }

    private static func index(_ layer: PacketLayer) -> Int {
        switch layer {
        case .adv: 0
        case .ll: 1
        case .l2cap: 2
        case .att: 3
        case .smp: 4
        case .data: 5
        case .hci: 6
        }
    }

    var counts: PacketCounts {
        var counts = PacketCounts(packets: packets, lost: lost)
        for layer in PacketLayer.allCases where byLayer[Self.index(layer)] > 0 {
            counts.byLayer[layer.rawValue] = byLayer[Self.index(layer)]
        }
        for (number, count) in byDevice.enumerated() where count > 0 {
            counts.byDevice[RoomDevice.identifier(number)] = count
        }
        return counts
    }
}
