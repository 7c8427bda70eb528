/// The octets of one run, taken off from the front. Behind the end there are zeros.
struct Input {
    private let octets: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ octets: UnsafeBufferPointer<UInt8>) { self.octets = octets }

    var isAtEnd: Bool { position >= octets.count }

    /// Takes the next octet if it is this one.
    mutating func isNext(_ octet: UInt8) -> Bool {
        guard position < octets.count, octets[position] == octet else { return false }
        position += 1
        return true
    }

    mutating func octet() -> UInt8 {
        guard position < octets.count else { return 0 }
        defer { position += 1 }
        return octets[position]
    }

    /// A number below `limit`.
    mutating func below(_ limit: Int) -> Int { Int(octet()) % max(1, limit) }

    mutating func number16() -> UInt16 { UInt16(octet()) | UInt16(octet()) << 8 }

    /// The next octets, fewer at the end.
    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(octets.count, position + max(0, count))
        defer { position = end }
        return Array(octets[position..<end])
    }

    /// Octets after their number.
    mutating func block() -> [UInt8] { take(Int(octet())) }

    mutating func rest() -> [UInt8] { take(octets.count) }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// Ends the run as a finding if `condition` does not hold.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
    if !condition { fatalError(sentence()) }
}
