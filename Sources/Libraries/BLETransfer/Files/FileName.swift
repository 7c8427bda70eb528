/// The names that a folder accepts from a peer.
enum FileName {
    /// The longest accepted name in UTF-8 octets. The partial file's name is longer, and has at most 255.
    static let longest = 200

    /// Whether a file of this name stays in its folder and is displayed as it is: no separator, no leading point, no control or format
    /// characters.
    static func isAllowed(_ name: String) -> Bool {
        // A combining character after the point would be one character with it.
        guard let first = name.utf8.first, name.utf8.count <= longest, first != UInt8(ascii: "."),
            first != UInt8(ascii: "-")
        else { return false }
        return name.unicodeScalars.allSatisfy { scalar in
            if scalar == "/" || scalar == "\\" { return false }
            return switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}
