/// Words in the commands that messages suggest.
package enum ShellWord {
    /// A word that a shell passes on as it is, in quotes if it needs them.
    package static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "-_.:/#@".contains($0) }
        return isPlain && word.first != "#" ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
