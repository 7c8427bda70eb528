import Dispatch
import Foundation

/// A key of the terminal.
enum ScreenKey: Hashable {
    case character(Character)
    case up, down, pageUp, pageDown, home, end
    case enter, escape, backspace

    /// Decodes what a terminal sends for keys. An escape character without a known sequence after it is the escape key.
    static func decode(_ octets: [UInt8]) -> [ScreenKey] {
        var keys: [ScreenKey] = []
        var rest = octets[...]
        while let first = rest.first {
            if first == 0x1B, let (key, count) = sequence(rest.dropFirst()) {
                if let key { keys.append(key) }
                rest = rest.dropFirst(1 + count)
                continue
            }
            switch first {
            case 0x1B: keys.append(.escape)
            case 0x0A, 0x0D: keys.append(.enter)
            case 0x08, 0x7F: keys.append(.backspace)
            case ..<0x20: break
            default:
                let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
                if let character = String(validating: rest.prefix(count), as: UTF8.self)?.first {
                    keys.append(.character(character))
                    rest = rest.dropFirst(count)
                    continue
                }
            }
            rest = rest.dropFirst()
        }
        return keys
    }

    /// The key of a sequence after the escape character, and the number of its octets. The key is nil for a key without a meaning here.
    private static func sequence(_ octets: ArraySlice<UInt8>) -> (ScreenKey?, Int)? {
        guard let first = octets.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "O") else { return nil }
        guard let end = octets.dropFirst().firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
        let text = String(decoding: octets[(octets.startIndex + 1)...end], as: UTF8.self)
        let keys: [String: ScreenKey] = [
            "A": .up, "B": .down, "H": .home, "F": .end, "5~": .pageUp, "6~": .pageDown, "1~": .home, "4~": .end,
        ]
        return (keys[text], end - octets.startIndex + 1)
    }
}

/// Reads single keys from the terminal, without echo, and restores the terminal's mode at its release. Ctrl-C still raises SIGINT.
@MainActor
final class Keyboard {
    private let original: termios
    private let source: any DispatchSourceRead

    /// Nil if the standard input is no terminal, or this process is not in its foreground.
    init?(_ handle: @escaping @MainActor ([ScreenKey]) -> Void) {
        var mode = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp(), tcgetattr(STDIN_FILENO, &mode) == 0
        else { return nil }
        original = mode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        let source = self.source
        source.setEventHandler {
            var octets = [UInt8](repeating: 0, count: 256)
            let count = octets.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
            // At the end of the input the source would fire forever.
            guard count > 0 else { return source.cancel() }
            let keys = ScreenKey.decode(Array(octets.prefix(count)))
            MainActor.assumeIsolated { handle(keys) }
        }
        source.resume()
    }

    /// Restores the mode of the terminal.
    func end() {
        source.cancel()
        var mode = original
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }
}
