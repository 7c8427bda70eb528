import BLEPacketDecoding
import StudioRoom

/// The packets of the ring that a filter selects, and the rows in which they are folded.
///
/// A row is a packet without a conversation, or all packets of one conversation. The index holds the packets that the ring holds, and no row without
/// a packet, so its memory is bounded by that of the ring.
///
/// Rows are in the order of their first packets, and are numbered so that the latest rows keep their numbers: if a row ends because the ring drops
/// its last packet, the rows before it move up.
///
/// A run can have more packets than 32 bits count: 200 advertisers send 8.6 billion in 30 days. The index keeps differences from `base`, which follows
/// the ring, because whole numbers would take twice the memory.
struct PacketIndex: Sendable {
    /// The number of a packet, less `base`.
    fileprivate typealias Offset = Int32

    /// The packets of one row.
    fileprivate struct Row: Sendable {
        private var conversationNumber: Int
        /// The first packet that the row had, which determines its place; 0 if that is before `base`.
        private(set) var begin: Offset
        /// The first packet that the ring has, and those after it in ascending order.
        private var first: Offset
        private var others: [Offset] = []

        init(conversation: Int?, first: Offset) {
            conversationNumber = conversation ?? -1
            begin = first
            self.first = first
        }

        var conversation: Int? { conversationNumber < 0 ? nil : conversationNumber }
        var count: Int { 1 + others.count }

        mutating func append(_ offset: Offset) { others.append(offset) }

        /// Follows `base`, which has grown by a distance. No packet of the row is before it.
        mutating func move(by distance: Offset) {
            begin = max(0, begin - distance)
            first -= distance
            for index in others.indices { others[index] -= distance }
        }

        /// Removes the packets before one. Returns false if none is left.
        mutating func drop(before start: Offset) -> Bool {
            guard first < start else { return true }
            let index = others.partitionIndex { $0 >= start }
            guard index < others.count else {
                others = []
                return false
            }
            first = others[index]
            if index + 1 == others.count {
                others = []
            } else {
                others.removeFirst(index + 1)
                if others.capacity > 4 * others.count + 64 { others = Array(others[...]) }
            }
            return true
        }

        /// The packets from one on.
        func offsets(from start: Offset) -> [Offset] {
            first >= start ? [first] + others : Array(others[others.partitionIndex { $0 >= start }...])
        }
    }

    private let matcher: PacketMatcher
    /// The number of the packet with the offset 0.
    private var base = 0
    /// The largest offset.
    private let offsetLimit: Int
    /// The number of the first packet that is not indexed.
    private(set) var next = 0
    /// The number of the first packet that is not dropped.
    private var start = 0
    private var numbers = Window<Offset>()
    private var rows = Window<Row>()
    /// The numbers of rows by their conversations.
    private var rowOfConversation: [Int: Int] = [:]

    /// - Parameter offsetLimit: The largest distance between two packets that the index holds, at least twice the packets of the ring.
    init(_ filter: PacketFilter, offsetLimit: Int = Int(Offset.max)) {
        matcher = PacketMatcher(filter)
        self.offsetLimit = offsetLimit
    }

    /// The numbers of the folded rows, and of the packets as rows.
    var foldedRange: Range<Int> { rows.range }
    var flatRange: Range<Int> { numbers.range }
    /// The number of integers that the index holds for packets, rows and conversations.
    var size: Int { numbers.size + rows.size + rows.reduce(0) { $0 + $1.count } + rowOfConversation.count }

    /// Takes new packets of the ring, `limit` at most. Returns whether all are taken.
    mutating func advance(in ring: PacketRing, limit: Int) -> Bool {
        let range = ring.range
        next = max(next, range.lowerBound)
        let end = min(range.upperBound, next + limit)
        // Before the new packets: a conversation whose packets are all dropped begins a new row.
        drop(before: range.lowerBound)
        if range.upperBound - base > offsetLimit { move(to: range.lowerBound) }
        ring.forEach(in: next..<end) { packet in
            if matcher.matches(packet) { append(packet) }
            return true
        }
        next = max(next, end)
        return next >= range.upperBound
    }

    /// The offset of a packet; the nearest one if it has none.
    private func offset(of number: Int) -> Offset {
        Offset(clamping: min(max(number, base), base + offsetLimit) - base)
    }

    /// Makes a number `base`. The index holds no packet before it.
    private mutating func move(to number: Int) {
        // An index without packets can be any distance behind.
        let distance = Offset(clamping: number - base)
        base = number
        numbers.forEach { $0 -= distance }
        rows.forEach { $0.move(by: distance) }
    }

    private mutating func append(_ packet: RoomPacket) {
        let number = offset(of: packet.frame.number)
        numbers.append(number)
        let conversation = packet.summary.conversation
        if let conversation, let row = rowOfConversation[conversation] {
            rows[row].append(number)
        } else {
            if let conversation { rowOfConversation[conversation] = rows.range.upperBound }
            rows.append(Row(conversation: conversation, first: number))
        }
    }

    private mutating func drop(before start: Int) {
        guard start > self.start else { return }
        self.start = start
        let start = offset(of: start)
        numbers.removeFirst { $0 < start }
        // Only rows that begin before `start` lose packets.
        let end = rows.partitionIndex { $0.begin >= start }
        var kept = end
        for row in (rows.range.lowerBound..<end).reversed() {
            let conversation = rows[row].conversation
            guard rows[row].drop(before: start) else {
                if let conversation { rowOfConversation[conversation] = nil }
                continue
            }
            kept -= 1
            if kept != row {
                rows.swapAt(kept, row)
                if let conversation { rowOfConversation[conversation] = kept }
            }
        }
        rows.removeFirst(before: kept)
    }

    // MARK: Rows

    /// The number of the packet of a flat row.
    func number(ofFlatRow row: Int) -> Int { base + Int(numbers[row]) }

    /// The numbers of the packets of a folded row, from a number on.
    func numbers(ofRow row: Int, from start: Int = 0) -> [Int] {
        rows[row].offsets(from: offset(of: start)).map { base + Int($0) }
    }

    /// The conversation of a folded row; nil for a packet without one.
    func conversation(ofRow row: Int) -> Int? { rows[row].conversation }

    /// The number of packets of a folded row.
    func count(ofRow row: Int) -> Int { rows[row].count }

    /// The row of a conversation; nil if the ring has none of its packets.
    func row(ofConversation conversation: Int) -> Int? { rowOfConversation[conversation] }

    /// The row of a packet, or of the next packet that the filter selects.
    func flatRow(of number: Int) -> Int {
        let number = offset(of: number)
        return numbers.partitionIndex { $0 >= number }
    }

    func foldedRow(of number: Int, conversation: Int?) -> Int {
        if let conversation, let row = rowOfConversation[conversation] { return row }
        let number = offset(of: number)
        return rows.partitionIndex { $0.begin >= number }
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
    subscript(number: Int) -> Element {
        get { elements[number - base] }
        set { elements[number - base] = newValue }
        _modify { yield &elements[number - base] }
    }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func forEach(_ change: (inout Element) -> Void) {
        for index in elements.indices.dropFirst(removed) { change(&elements[index]) }
    }

    mutating func removeFirst(while condition: (Element) -> Bool) {
        while removed < elements.count, condition(elements[removed]) { removed += 1 }
        shrink()
    }

    /// Removes the elements before a number.
    mutating func removeFirst(before number: Int) {
        removed = max(removed, min(number - base, elements.count))
        shrink()
    }

    private mutating func shrink() {
        guard removed > 1024, removed > elements.count / 2 else { return }
        base += removed
        // A new array: the capacity of the former one may be that of a busier time.
        elements = Array(elements[removed...])
        removed = 0
    }

    mutating func swapAt(_ one: Int, _ other: Int) { elements.swapAt(one - base, other - base) }

    /// The places in memory that are in use.
    var size: Int { elements.capacity }

    func reduce(_ start: Int, _ body: (Int, Element) -> Int) -> Int { elements[removed...].reduce(start, body) }

    /// The number of the first element for which `condition` is true; all after it fulfil it too.
    func partitionIndex(where condition: (Element) -> Bool) -> Int {
        base + elements[removed...].partitionIndex(where: condition)
    }
}

extension RandomAccessCollection where Index == Int {
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
