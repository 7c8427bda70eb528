/// The rows of a terminal that a prompt and its line take. Returns the octets that draw and erase them.
///
/// The line wraps at the edge of the terminal. A wide character that does not fit into the last column goes to the next row, as
/// terminals draw it.
struct LineScreen: Sendable {
    private(set) var columns: Int
    /// The row of the cursor, counted from the first row of the prompt; nil if nothing is drawn.
    private var cursorRow: Int?
    /// The columns of the drawn characters and of the cursor. They give the rows after a change of the width.
    private var drawn: (columns: [Int], cursor: Int) = ([], 0)

    init(columns: Int) { self.columns = max(1, columns) }

    /// The new width. The terminal has wrapped the drawn text again.
    mutating func resize(columns: Int) {
        self.columns = max(1, columns)
        guard cursorRow != nil else { return }
        cursorRow = position(after: drawn.columns[..<drawn.cursor]).row
    }

    /// Moves to the start of the prompt and erases everything after it.
    mutating func erase() -> String {
        guard let row = cursorRow else { return "" }
        cursorRow = nil
        return (row > 0 ? "\u{1B}[\(row)A" : "") + "\r\u{1B}[J"
    }

    /// Draws the prompt and the line, with the cursor before the character `cursor`.
    ///
    /// - Parameter style: Turns the prompt into its form on the terminal, for example with a colour.
    mutating func draw(prompt: String, text: [Character], cursor: Int, style: (String) -> String = { $0 }) -> String {
        var output = erase()
        let shown = Array(prompt) + text
        let widths = shown.map { TextWidth.of($0) }
        output += style(prompt) + String(text)
        let end = position(after: widths[...])
        let target = position(after: widths[..<(prompt.count + cursor)])
        // A terminal wraps when the next character comes. The line end makes it wrap at once.
        if end.column == 0, end.row > 0 { output += "\r\n" }
        if end.row > target.row { output += "\u{1B}[\(end.row - target.row)A" }
        if end != target || end.column == 0 { output += "\r" + (target.column > 0 ? "\u{1B}[\(target.column)C" : "") }
        cursorRow = target.row
        drawn = (widths, prompt.count + cursor)
        return output
    }

    /// Moves the cursor behind the line and starts a new row, so that the line stays on the screen.
    mutating func leave() -> String {
        guard let row = cursorRow else { return "" }
        cursorRow = nil
        let end = position(after: drawn.columns[...])
        let down = end.row > row ? "\u{1B}[\(end.row - row)B" : ""
        return down + (end.column == 0 && end.row > 0 ? "\r" : "\r\n")
    }

    private func position(after widths: ArraySlice<Int>) -> Position {
        var position = Position()
        for width in widths {
            if position.column + width > columns { position = Position(row: position.row + 1) }
            position.column += width
        }
        if position.column >= columns { position = Position(row: position.row + 1) }
        return position
    }

    private struct Position: Equatable {
        var row = 0
        var column = 0
    }
}
