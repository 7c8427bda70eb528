import BLEWire

/// A grid of squares as wide as the longest range. A device receives only transmissions from its own square and the eight around
/// it. Each square stores its neighbours, so that a search needs no hashing.
struct Cells: Sendable {
    private struct Coordinate: Hashable {
        var x: Int32
        var y: Int32
    }

    struct Cell: Sendable {
        /// The existing neighbours of this cell and the cell itself, in the order of creation.
        fileprivate(set) var neighbours: [Int32]
        /// Devices that listen on the advertising access address.
        var listeners = Channels<Int32>()
        /// Transmissions that are current, in the future, or recent enough to overlap others.
        var transmissions = Channels<Presence>()
    }

    /// The part of a transmission that decides whether it overlaps another one. A search reads these in order, and only the overlapping
    /// transmissions themselves.
    struct Presence: Sendable {
        var start: Instant
        var end: Instant
        var index: Int32
        var channel: UInt8
    }

    /// Lists by channel. Several data channels share a list; each advertising channel has its own.
    struct Channels<Element: Sendable>: Sendable {
        private var lists: InlineArray<8, [Element]> = InlineArray(repeating: [])

        subscript(channel: UInt8) -> [Element] {
            _read { yield lists[Int(channel & 7)] }
            _modify { yield &lists[Int(channel & 7)] }
        }
    }

    /// All cells.
    var all: Range<Int32> { 0..<Int32(cells.count) }

    private(set) var width: Double
    private var index: [Coordinate: Int32] = [:]
    private var cells: [Cell] = []

    init(width: Double) { self.width = max(1, width) }

    subscript(cell: Int32) -> Cell {
        _read { yield cells[Int(cell)] }
        _modify { yield &cells[Int(cell)] }
    }

    /// The cell of a position. Creates a missing cell.
    mutating func cell(at position: RadioPosition) -> Int32 {
        let coordinate = Coordinate(x: number(position.x), y: number(position.y))
        if let known = index[coordinate] { return known }
        let new = Int32(cells.count)
        var neighbours: [Int32] = []
        for dx: Int32 in -1...1 {
            for dy: Int32 in -1...1 {
                let near = Coordinate(x: coordinate.x + dx, y: coordinate.y + dy)
                guard let other = index[near] else { continue }
                neighbours.append(other)
                cells[Int(other)].neighbours.append(new)
            }
        }
        neighbours.append(new)
        index[coordinate] = new
        cells.append(Cell(neighbours: neighbours))
        return new
    }

    /// The index of the strip that contains a coordinate; 0 for a coordinate that is not a number, which receives nothing.
    private func number(_ value: Double) -> Int32 {
        let strip = (value / width).rounded(.down)
        return strip.isFinite ? Int32(max(-1e9, min(1e9, strip))) : 0
    }
}

extension [Int32] {
    /// Removes the first `element` and moves the last one to its position.
    mutating func swapRemove(_ element: Int32) {
        guard let index = firstIndex(of: element) else { return }
        swapAt(index, count - 1)
        removeLast()
    }
}
