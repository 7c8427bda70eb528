/// Why a command cannot do what it was asked for, as the person at the terminal should read it.
struct CommandFailure: Error, CustomStringConvertible {
    /// What happened.
    let problem: String
    /// What was tried; nil if that is plain.
    var attempt: String?
    /// What to do next.
    let advice: String

    var description: String {
        var lines = [problem]
        if let attempt { lines.append("  tried: \(attempt)") }
        lines.append("  next:  \(advice)")
        return lines.joined(separator: "\n")
    }
}
