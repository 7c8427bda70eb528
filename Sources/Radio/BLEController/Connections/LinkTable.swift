import BLEWire

/// The links of a controller by slot (Vol 6, Part B, 4.5). A slot determines the connection handle.
struct LinkTable {
    /// A new link reuses the slot that has been closed for the longest time.
    private var links: [LinkLayerConnection] = []
    /// The start of the next event of each open link, by slot. A copy beside `links`, because it is read often.
    private(set) var starts: [Instant] = []
    /// The slots of the open links, oldest first.
    private(set) var openSlots: [Int] = []
    private var nextSlot = 0
    private let limit: Int
    /// The used time of the link that had the radio last.
    var level = TimeSpan.zero

    static let firstHandle = 0x40

    /// - Parameter limit: The largest number of open links.
    init(limit: Int) { self.limit = limit }

    subscript(slot: Int) -> LinkLayerConnection { links[slot] }

    var hasFreeSlot: Bool { openSlots.count < limit }

    /// A free slot for a link; nil at the connection limit.
    mutating func freeSlot() -> Int? {
        guard hasFreeSlot else { return nil }
        for step in 0..<limit {
            let slot = (nextSlot + step) % limit
            if slot < links.count && links[slot].state.isOpen { continue }
            nextSlot = slot + 1
            return slot
        }
        return nil
    }

    /// The slot of an open link.
    func slot(of handle: UInt16) -> Int? {
        let slot = Int(handle) - Self.firstHandle
        guard slot >= 0, slot < links.count, links[slot].state.isOpen else { return nil }
        return slot
    }

    /// An open link, and the status of a command that reads it.
    func find(_ handle: UInt16) -> (link: LinkLayerConnection?, status: HCI.ErrorCode) {
        guard let slot = slot(of: handle) else { return (nil, .unknownConnectionIdentifier) }
        return (links[slot], .success)
    }

    func isConnected(to peer: DeviceAddress) -> Bool { openSlots.contains { links[$0].peer == peer } }

    /// The anchors of the links of the central role.
    var centralAnchors: [AnchorPlan.Other] {
        openSlots.filter { self[$0].isCentral }.map {
            AnchorPlan.Other(anchor: self[$0].timing.anchor, interval: self[$0].timing.interval)
        }
    }

    /// The start of the first link event; `Instant.max` without links.
    func nextStart() -> Instant {
        var first = Instant(nanoseconds: .max)
        for slot in openSlots where starts[slot] < first { first = starts[slot] }
        return first
    }

    /// - Parameter slot: A result of `freeSlot`.
    mutating func add(_ link: LinkLayerConnection, in slot: Int) {
        if slot < links.count {
            links[slot] = link
        } else {
            links.append(link)
            starts.append(link.start)
        }
        openSlots.append(slot)
    }

    /// Takes over the start of a link's next event, and returns it.
    mutating func noteStart(_ slot: Int) -> Instant {
        starts[slot] = links[slot].start
        return starts[slot]
    }

    mutating func close(_ slot: Int) {
        links[slot].state = .closed
        links[slot].active = nil
        openSlots.removeAll { $0 == slot }
    }

    mutating func closeAll() {
        for slot in openSlots { links[slot].state = .closed }
        openSlots.removeAll()
    }
}
