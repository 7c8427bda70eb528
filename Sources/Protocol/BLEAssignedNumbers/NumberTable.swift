/// The names of one kind of assigned number: a text in the program's constant data, so that it costs nothing to start
/// with, and compiles as fast as a string does, which an array or dictionary literal of this length would not.
///
/// Each line is four upper-case hexadecimal digits, a space, and the name in UTF-8. Lines stand in the order of their
/// numbers, each of which occurs once; the last one ends with a line feed too.
struct NumberTable: Sendable {
    private let text: StaticString

    init(_ text: StaticString) { self.text = text }

    /// The name that belongs to a number: a binary search over the octets of the text. Only the name is copied.
    func name(of number: UInt16) -> String? {
        text.withUTF8Buffer { buffer in
            let octets = buffer.span
            var lower = 0
            var upper = octets.count
            // Both are always at the start of a line, or at the end of the text.
            while lower < upper {
                let start = Self.startOfLine(at: lower + (upper - lower) / 2, in: octets)
                let end = Self.endOfLine(from: start, in: octets)
                let found = Self.number(at: start, in: octets)
                if found == number { return String(decoding: buffer[(start + 5)..<end], as: UTF8.self) }
                if found < number { lower = end + 1 } else { upper = start }
            }
            return nil
        }
    }

    /// All entries in the order of the text. For tools and tests; a search does not need it.
    var entries: [(number: UInt16, name: String)] {
        text.withUTF8Buffer { buffer in
            let octets = buffer.span
            var result: [(number: UInt16, name: String)] = []
            var start = 0
            while start < octets.count {
                let end = Self.endOfLine(from: start, in: octets)
                let name = String(decoding: buffer[(start + 5)..<end], as: UTF8.self)
                result.append((Self.number(at: start, in: octets), name))
                start = end + 1
            }
            return result
        }
    }

    private static let lineFeed = UInt8(ascii: "\n")

    private static func startOfLine(at index: Int, in octets: Span<UInt8>) -> Int {
        var index = index
        while index > 0, octets[index - 1] != lineFeed { index -= 1 }
        return index
    }

    private static func endOfLine(from index: Int, in octets: Span<UInt8>) -> Int {
        var index = index
        while index < octets.count, octets[index] != lineFeed { index += 1 }
        return index
    }

    private static func number(at index: Int, in octets: Span<UInt8>) -> UInt16 {
        var result: UInt16 = 0
        for offset in 0..<4 {
            let digit = octets[index + offset]
            result = result << 4 | UInt16(digit >= UInt8(ascii: "A") ? digit - 55 : digit - 48)
        }
        return result
    }
}
