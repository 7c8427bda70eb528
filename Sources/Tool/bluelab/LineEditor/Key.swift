/// A key of a terminal.
enum Key: Hashable, Sendable {
    /// A character without control function.
    case character(Unicode.Scalar)
    /// Text that the terminal pasted. Its line ends are spaces.
    case paste(String)
    case enter, tab, backspace, delete
    case left, right, up, down, home, end
    case wordLeft, wordRight
    /// Ctrl-C.
    case interrupt
    /// Ctrl-D.
    case endOfInput
    /// Ctrl-K, Ctrl-U, Ctrl-W, Alt-D and Ctrl-Y.
    case killToEnd, killToStart, killWord, killNextWord, yank
    /// Ctrl-R and Ctrl-G.
    case search, cancel
    /// Ctrl-L.
    case clearScreen
    /// Ctrl-Z.
    case suspend
}

/// Turns the octets of a terminal into keys. A sequence may be divided between calls at any octet.
///
/// The sequences are those of ECMA-48, as xterm and the Linux console send them. Unknown sequences are ignored. The decoder keeps
/// at most one sequence or one paste, and drops the rest of a paste after `pasteLimit` octets.
struct KeyDecoder: Sendable {
    private enum State {
        case ground
        /// After ESC.
        case escape
        /// After ESC [, with the parameters.
        case control([UInt8])
        /// After ESC O.
        case function
        /// Inside a bracketed paste.
        case paste([UInt8])
    }

    private var state = State.ground
    /// The first octets of a character in UTF-8.
    private var partial: [UInt8] = []

    static let pasteLimit = 65_536
    private static let parameterLimit = 16
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    mutating func keys(from octets: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for octet in octets { if let key = key(octet) { keys.append(key) } }
        return keys
    }

    private mutating func key(_ octet: UInt8) -> Key? {
        switch state {
        case .ground: return ground(octet)
        case .escape: return escape(octet)
        case .control(var parameters):
            guard (0x40...0x7E).contains(octet) else {
                // Parameters and intermediate octets; any other octet ends the sequence.
                guard (0x20...0x3F).contains(octet), parameters.count < Self.parameterLimit else {
                    state = .ground
                    return nil
                }
                parameters.append(octet)
                state = .control(parameters)
                return nil
            }
            state = .ground
            return control(octet, String(decoding: parameters, as: UTF8.self))
        case .function:
            state = .ground
            return Self.cursorKey(octet)
        case .paste(var text):
            text.append(octet)
            if text.suffix(Self.pasteEnd.count) == Self.pasteEnd[...] {
                state = .ground
                return .paste(Self.pasted(text.dropLast(Self.pasteEnd.count).prefix(Self.pasteLimit)))
            }
            // The end of the text is kept, because the end of the paste may have begun.
            if text.count > Self.pasteLimit + 64 { text.removeSubrange(Self.pasteLimit..<Self.pasteLimit + 48) }
            state = .paste(text)
            return nil
        }
    }

    private mutating func ground(_ octet: UInt8) -> Key? {
        if octet >= 0x80 { return character(octet) }
        partial = []
        switch octet {
        case 0x01: return .home
        case 0x02: return .left
        case 0x03: return .interrupt
        case 0x04: return .endOfInput
        case 0x05: return .end
        case 0x06: return .right
        case 0x07: return .cancel
        case 0x08, 0x7F: return .backspace
        case 0x09: return .tab
        case 0x0A, 0x0D: return .enter
        case 0x0B: return .killToEnd
        case 0x0C: return .clearScreen
        case 0x0E: return .down
        case 0x10: return .up
        case 0x12: return .search
        case 0x15: return .killToStart
        case 0x17: return .killWord
        case 0x19: return .yank
        case 0x1A: return .suspend
        case 0x1B:
            state = .escape
            return nil
        case 0x20...0x7E: return .character(Unicode.Scalar(octet))
        default: return nil
        }
    }

    private mutating func escape(_ octet: UInt8) -> Key? {
        state = .ground
        switch octet {
        case UInt8(ascii: "["): state = .control([])
        case UInt8(ascii: "O"): state = .function
        case UInt8(ascii: "b"), UInt8(ascii: "B"): return .wordLeft
        case UInt8(ascii: "f"), UInt8(ascii: "F"): return .wordRight
        case UInt8(ascii: "d"), UInt8(ascii: "D"): return .killNextWord
        case 0x08, 0x7F: return .killWord
        case 0x1B: state = .escape
        // Without a meaning after ESC, the control characters keep their own.
        case 0..<0x20: return ground(octet)
        default: break
        }
        return nil
    }

    private mutating func control(_ final: UInt8, _ parameters: String) -> Key? {
        if final != UInt8(ascii: "~") {
            // 1;3 is Alt and 1;5 is Ctrl.
            let isWord = parameters == "1;5" || parameters == "1;3"
            if isWord, final == UInt8(ascii: "C") { return .wordRight }
            if isWord, final == UInt8(ascii: "D") { return .wordLeft }
            return Self.cursorKey(final)
        }
        switch parameters {
        case "1", "7": return .home
        case "3": return .delete
        case "4", "8": return .end
        case "200":
            state = .paste([])
            return nil
        default: return nil
        }
    }

    private static func cursorKey(_ octet: UInt8) -> Key? {
        switch octet {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "H"): .home
        default: nil
        }
    }

    /// A further octet of a character. An invalid one is dropped.
    private mutating func character(_ octet: UInt8) -> Key? {
        if octet >= 0xC0 { partial = [] }
        partial.append(octet)
        if let text = String(validating: partial, as: UTF8.self), let scalar = text.unicodeScalars.first {
            partial = []
            return Self.isPrintable(scalar) ? .character(scalar) : nil
        }
        let isStart = partial[0] >= 0xC2 && partial[0] <= 0xF4
        if !isStart || partial.count >= 4 { partial = [] }
        return nil
    }

    /// The text of a paste: line ends and tabs become spaces, and other control characters disappear.
    private static func pasted(_ octets: some Sequence<UInt8>) -> String {
        let text = String(decoding: Array(octets), as: UTF8.self)
            .replacing("\r\n", with: " ").replacing("\n", with: " ").replacing("\r", with: " ").replacing(
                "\t", with: " ")
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where isPrintable(scalar) { scalars.append(scalar) }
        return String(scalars)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // The zero width joiner composes characters such as families.
        case .format: scalar.value == 0x200D
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
