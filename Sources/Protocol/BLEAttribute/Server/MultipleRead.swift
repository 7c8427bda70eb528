import BLEWire

/// Read Multiple, plain or variable (Vol 3, Part F, 3.4.4.7 and 3.4.4.11). Static values are read when the request
/// arrives. Dynamic values are requested one by one.
struct MultipleRead {
    enum Part {
        case fixed([UInt8])
        case dynamic(UInt16)
    }

    var isVariable: Bool
    var parts: [Part]
    /// The index of the next part.
    var next = 0
    /// The response's octets so far.
    var collected: [UInt8] = []

    /// Appends static values up to the next dynamic one, and returns its handle; nil at the end.
    mutating func advance() -> UInt16? {
        while next < parts.count {
            switch parts[next] {
            case .fixed(let value): add(value.span)
            case .dynamic(let handle): return handle
            }
        }
        return nil
    }

    /// Appends the value of the next part.
    mutating func add(_ value: Span<UInt8>) {
        if isVariable { collected.append(littleEndian: UInt16(clamping: value.count)) }
        collected.append(value)
        next += 1
    }

    /// The response cut to `limit` octets. A value may be cut, but not the length before it (Vol 3, Part F, 3.4.4.12).
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
