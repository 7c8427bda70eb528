import BLEWire

/// Read Multiple, plain or variable: static values are taken when the request comes, dynamic ones asked for one by one.
struct MultipleRead {
    enum Part {
        case fixed([UInt8])
        case dynamic(UInt16)
    }

    var isVariable: Bool
    var parts: [Part]
    /// The next part to take.
    var next = 0
    /// The response's octets so far.
    var collected: [UInt8] = []

    /// Takes fixed values up to the next dynamic one, whose handle it returns; nil at the end.
    mutating func advance() -> UInt16? {
        while next < parts.count {
            switch parts[next] {
            case .fixed(let value): add(value.span)
            case .dynamic(let handle): return handle
            }
        }
        return nil
    }

    /// Adds the value of the next part.
    mutating func add(_ value: Span<UInt8>) {
        if isVariable { collected.append(littleEndian: UInt16(clamping: value.count)) }
        collected.append(value)
        next += 1
    }

    /// What fits into `limit` octets. Values may be cut, the length before a value may not (Vol 3, Part F, 3.4.4.12).
    func collected(limit: Int) -> [UInt8] {
        guard collected.count > limit else { return collected }
        var end = limit
        if isVariable {
            var position = 0
            while position < limit {
                guard position + 2 <= limit else {
                    end = position
                    break
                }
                position += 2 + Int(collected[position]) + Int(collected[position + 1]) << 8
            }
        }
        return Array(collected[..<end])
    }
}
