/// Octets with wildcards: hexadecimal digits, where `?` stands for any digit. "4c0002??" fits 4C 00 02 and one further octet.
struct OctetPattern: Hashable {
    private struct Octet: Hashable {
        let value: UInt8
        /// The bits that count.
        let mask: UInt8
    }

    private let octets: [Octet]

    /// Nil if the text is empty, has an odd number of digits, or another character. Spaces, colons and hyphens separate digits.
    init?(_ text: String) {
        var digits: [(value: UInt8, mask: UInt8)] = []
        for character in text where !" :-".contains(character) {
            if character == "?" {
                digits.append((0, 0))
            } else {
                guard character.isASCII, let digit = character.hexDigitValue else { return nil }
                digits.append((UInt8(digit), 0xF))
            }
        }
        guard !digits.isEmpty, digits.count.isMultiple(of: 2) else { return nil }
        octets = stride(from: 0, to: digits.count, by: 2).map { index in
            Octet(
                value: digits[index].value << 4 | digits[index + 1].value,
                mask: digits[index].mask << 4 | digits[index + 1].mask)
        }
    }

    /// Whether the pattern fits somewhere in `data`.
    func occurs(in data: [UInt8]) -> Bool {
        guard data.count >= octets.count else { return false }
        return (0...(data.count - octets.count)).contains { start in
            octets.indices.allSatisfy { data[start + $0] & octets[$0].mask == octets[$0].value }
        }
    }
}
