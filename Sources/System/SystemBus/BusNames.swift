/// The forms of names and paths (D-Bus Specification, "Valid Names" and "Valid Object Paths").
package enum BusNames {
    /// In octets.
    static let longest = 255

    /// Letters, digits and underscores, without a digit in front.
    package static func isMember(_ name: String) -> Bool {
        let octets = name.utf8
        return !octets.isEmpty && octets.count <= longest && isElement(octets, hyphen: false, digitFirst: false)
    }

    /// At least two elements with periods between them. Names of errors have the same form.
    package static func isInterface(_ name: String) -> Bool {
        isDotted(name.utf8[...], hyphen: false, digitFirst: false)
    }

    /// The name of a connection: a unique one (":1.5"), or one that a service owns.
    package static func isBusName(_ name: String) -> Bool {
        guard isUnique(name) else { return isDotted(name.utf8[...], hyphen: true, digitFirst: false) }
        return name.utf8.count <= longest && isDotted(name.utf8.dropFirst(), hyphen: true, digitFirst: true)
    }

    package static func isUnique(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ":") }

    package static func isPath(_ path: String) -> Bool {
        let octets = path.utf8
        guard octets.first == UInt8(ascii: "/") else { return false }
        var isAfterSlash = true
        for octet in octets.dropFirst() {
            switch octet {
            case UInt8(ascii: "/"):
                guard !isAfterSlash else { return false }
                isAfterSlash = true
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                isAfterSlash = false
            default: return false
            }
        }
        return !isAfterSlash || octets.count == 1
    }

    private static func isDotted(_ octets: Substring.UTF8View, hyphen: Bool, digitFirst: Bool) -> Bool {
        guard octets.count <= longest else { return false }
        let elements = octets.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return elements.count >= 2
            && elements.allSatisfy { isElement($0, hyphen: hyphen, digitFirst: digitFirst) }
    }

    private static func isElement(_ octets: some Sequence<UInt8>, hyphen: Bool, digitFirst: Bool) -> Bool {
        var isFirst = true
        for octet in octets {
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9"): guard digitFirst || !isFirst else { return false }
            case UInt8(ascii: "-"): guard hyphen else { return false }
            default: return false
            }
            isFirst = false
        }
        return !isFirst
    }
}

/// The form of signatures (D-Bus Specification, "Valid Signatures").
enum BusSignature {
    /// In octets.
    private static let longest = 255
    /// The levels of arrays, and those of structures.
    private static let deepest = 32

    /// Whether the codes are complete types.
    static func isValid(_ codes: [UInt8]) -> Bool {
        guard codes.count <= longest else { return false }
        var index = 0
        while index < codes.count {
            guard let next = end(codes, from: index) else { return false }
            index = next
        }
        return true
    }

    /// Whether the codes are one complete type.
    static func isSingle(_ codes: [UInt8]) -> Bool {
        codes.count <= longest && end(codes, from: 0) == codes.count
    }

    /// The index behind the complete type that begins at `index`; nil if there is none.
    static func end(_ codes: [UInt8], from index: Int, arrays: Int = 0, structures: Int = 0) -> Int? {
        guard index < codes.count, arrays <= deepest, structures <= deepest else { return nil }
        switch codes[index] {
        case UInt8(ascii: "a"):
            guard arrays < deepest else { return nil }
            guard index + 1 < codes.count, codes[index + 1] == UInt8(ascii: "{") else {
                return end(codes, from: index + 1, arrays: arrays + 1, structures: structures)
            }
            // An entry exists in arrays alone, and its key is a basic type.
            guard index + 2 < codes.count, isBasic(codes[index + 2]),
                let last = end(codes, from: index + 3, arrays: arrays + 1, structures: structures),
                last < codes.count, codes[last] == UInt8(ascii: "}")
            else { return nil }
            return last + 1
        case UInt8(ascii: "("):
            guard structures < deepest else { return nil }
            var next = index + 1
            repeat {
                guard let following = end(codes, from: next, arrays: arrays, structures: structures + 1) else {
                    return nil
                }
                next = following
                guard next < codes.count else { return nil }
            } while codes[next] != UInt8(ascii: ")")
            return next + 1
        case UInt8(ascii: "v"): return index + 1
        case let code: return isBasic(code) ? index + 1 : nil
        }
    }

    /// Whether all values of the type have the same length.
    static func isFixed(_ code: UInt8) -> Bool {
        isBasic(code) && code != UInt8(ascii: "s") && code != UInt8(ascii: "o") && code != UInt8(ascii: "g")
    }

    private static func isBasic(_ code: UInt8) -> Bool {
        switch code {
        case UInt8(ascii: "y"), UInt8(ascii: "b"), UInt8(ascii: "n"), UInt8(ascii: "q"), UInt8(ascii: "i"),
            UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "s"),
            UInt8(ascii: "o"), UInt8(ascii: "g"), UInt8(ascii: "h"):
            true
        default: false
        }
    }

    /// The boundary on which a value of the type that begins with this code begins.
    static func alignment(_ code: UInt8) -> Int {
        switch code {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
        default: 4
        }
    }
}
