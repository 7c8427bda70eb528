/// A domain name. Names compare without regard to the case of ASCII letters (RFC 1035, 2.3.3; RFC 6762, 16).
package struct DNSName: Sendable {
    /// The longest name with its length octets (RFC 1035, 2.3.4).
    package static let longest = 255
    package static let longestLabel = 63
    package static let local = DNSName(octets: [5] + Array("local".utf8) + [0])

    /// The uncompressed form: each label after its length, then the empty label of the root.
    let octets: [UInt8]

    /// Requires a valid uncompressed form.
    init(octets: [UInt8]) { self.octets = octets }

    /// Returns nil if a label is empty or has more than 63 octets, or the name has more than 255.
    package init?(labels: [String], in parent: DNSName = DNSName(octets: [0])) {
        var octets: [UInt8] = []
        for label in labels {
            let text = Array(label.utf8)
            guard (1...Self.longestLabel).contains(text.count) else { return nil }
            octets.append(UInt8(text.count))
            octets += text
        }
        octets += parent.octets
        guard octets.count <= Self.longest else { return nil }
        self.octets = octets
    }

    /// Splits `text` at its dots. A name of a service can contain dots and has no such form.
    package init?(_ text: String) {
        self.init(labels: text.split(separator: ".", omittingEmptySubsequences: true).map(String.init))
    }

    /// The labels; octets that are not UTF-8 become U+FFFD.
    package var labels: [String] {
        var result: [String] = []
        var position = 0
        while position < octets.count, octets[position] != 0 {
            let end = position + 1 + Int(octets[position])
            result.append(String(decoding: octets[position + 1..<end], as: UTF8.self))
            position = end
        }
        return result
    }

    /// The name without its first label; nil for the root.
    package var parent: DNSName? {
        guard let length = octets.first, length > 0 else { return nil }
        return DNSName(octets: Array(octets[(1 + Int(length))...]))
    }

    static func folded(_ octet: UInt8) -> UInt8 { (0x41...0x5A).contains(octet) ? octet | 0x20 : octet }
}

extension DNSName: Hashable {
    // A length octet is at most 63, so folding does not alter it.
    package static func == (left: DNSName, right: DNSName) -> Bool {
        guard left.octets.count == right.octets.count else { return false }
        return left.octets == right.octets
            || zip(left.octets, right.octets).allSatisfy { folded($0) == folded($1) }
    }

    package func hash(into hasher: inout Hasher) {
        // Eight octets at a time: a hasher takes a word as quickly as an octet.
        var word: UInt64 = 0
        for (index, octet) in octets.enumerated() {
            word = word << 8 | UInt64(Self.folded(octet))
            if index % 8 == 7 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(octets.count)
    }
}

extension DNSName: CustomStringConvertible {
    /// The labels with dots between them. A dot, a backslash and control characters inside a label are escaped (RFC 1035, 5.1).
    package var description: String {
        let texts = labels.map { label in
            label.unicodeScalars.reduce(into: "") { text, scalar in
                switch scalar {
                case ".", "\\": text += "\\\(scalar)"
                case _ where scalar.value < 32 || scalar.value == 127:
                    let digits = String(scalar.value)
                    text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        return texts.isEmpty ? "." : texts.joined(separator: ".")
    }
}
