import BLEDissection
import StudioRoom

/// The packets that a filter selects, and the rows in which they are folded. The index grows with the packets of the room.
///
/// A row is a packet without a conversation, or all packets of one conversation. Rows keep their numbers: the first ones end when the ring drops
/// their packets.
struct PacketIndex: Sendable {
    /// The packets of one row.
    struct Row: Hashable, Sendable {
        var conversation: Int?
        /// The numbers of the packets in ascending order.
        fileprivate var first: Int32
        fileprivate var others: [Int32] = []

        fileprivate var last: Int32 { others.last ?? first }

        /// The numbers of the packets from a number on.
        func numbers(from start: Int) -> [Int] {
            let start = Int32(truncatingIfNeeded: start)
            return first >= start
                ? [Int(first)] + others.map { Int($0) }
                : others[others.partitionIndex { $0 >= start }...].map { Int($0) }
        }
    }

    private let matcher: PacketMatcher
    /// The number of the first packet that is not indexed.
    private(set) var next = 0
    private var numbers = Window<Int32>()
    private var rows = Window<Row>()
    /// The numbers of rows by their conversations.
    private var rowOfConversation: [Int: Int] = [:]

    init(_ filter: PacketFilter) { matcher = PacketMatcher(filter) }

    /// The numbers of the folded rows, and of the packets as rows.
    var foldedRange: Range<Int> { rows.range }
    var flatRange: Range<Int> { numbers.range }

    /// Takes new packets of the ring, `limit` at most. Returns whether all are taken.
    mutating func advance(in ring: PacketRing, limit: Int) -> Bool {
        let range = ring.range
        if rows.count > 2 * PacketRing.packetLimit { forget() }
        next = max(next, range.lowerBound)
        let end = min(range.upperBound, next + limit)
        ring.forEach(in: next..<end) { packet in
            if matcher.matches(packet) { append(packet) }
            return true
        }
        next = max(next, end)
        drop(before: range.lowerBound)
        return next >= range.upperBound
    }

    private mutating func append(_ packet: RoomPacket) {
        let number = Int32(truncatingIfNeeded: packet.frame.number)
        numbers.append(number)
        let conversation = packet.summary.conversation
        if let conversation, let row = rowOfConversation[conversation], rows.range.contains(row) {
            rows[row].others.append(number)
        } else {
            if let conversation { rowOfConversation[conversation] = rows.range.upperBound }
            rows.append(Row(conversation: conversation, first: number))
        }
    }

    private mutating func drop(before start: Int) {
        let start = Int32(truncatingIfNeeded: start)
        numbers.removeFirst { $0 < start }
        rows.removeFirst { row in
            guard row.last < start else { return false }
            if let conversation = row.conversation { rowOfConversation[conversation] = nil }
            return true
        }
    }

    private mutating func forget() {
        next = 0
        numbers.removeAll()
        rows.removeAll()
        rowOfConversation = [:]
    }

    // MARK: Rows

    /// The number of the packet of a flat row.
    func number(ofFlatRow row: Int) -> Int { Int(numbers[row]) }

    func row(_ row: Int) -> Row { rows[row] }

    /// The packets of a conversation.
    func members(of conversation: Int) -> Row? {
        rowOfConversation[conversation].flatMap { rows.range.contains($0) ? rows[$0] : nil }
    }

    /// The row of a packet, or of the next packet that the filter selects.
    func flatRow(of number: Int) -> Int {
        let number = Int32(truncatingIfNeeded: number)
        return numbers.partitionIndex { $0 >= number }
    }

    func foldedRow(of number: Int, conversation: Int?) -> Int {
        if let conversation, let row = rowOfConversation[conversation], rows.range.contains(row) { return row }
        let number = Int32(truncatingIfNeeded: number)
        return rows.partitionIndex { $0.first >= number }
    }
}

/// Elements with numbers that stay while the first ones are removed.
private struct Window<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    /// The elements at the start of `elements` that were removed.
    private var removed = 0
    /// The number of the first element of `elements`.
    private var base = 0

    var range: Range<Int> { base + removed..<base + elements.count }
    var count: Int { elements.count - removed }

    subscript(number: Int) -> Element {
        get { elements[number - base] }
        set { elements[number - base] = newValue }
        _modify { yield &elements[number - base] }
    }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func removeFirst(while condition: (Element) -> Bool) {
        while removed < elements.count, condition(elements[removed]) { removed += 1 }
        guard removed > 1024, removed > elements.count / 2 else { return }
        elements.removeFirst(removed)
        base += removed
        removed = 0
    }

    mutating func removeAll() {
        base += elements.count
        removed = 0
        elements = []
    }

    /// The number of the first element for which `condition` is true; all after it fulfil it too.
    func partitionIndex(where condition: (Element) -> Bool) -> Int {
        base + max(removed, elements.partitionIndex(where: condition))
    }
}

extension Array {
    /// The index of the first element for which `condition` is true; all after it fulfil it too.
    fileprivate func partitionIndex(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
