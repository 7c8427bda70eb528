/// A line of text that keys edit. It is a value: keys in, edits and results out.
struct LineEditor: Sendable {
    enum Result: Hashable, Sendable {
        /// The line changed, or its cursor moved.
        case edited
        /// The key had no effect.
        case refused
        case entered(String)
        /// Ctrl-C.
        case interrupted
        /// Ctrl-D in an empty line.
        case endOfInput
        /// The Tab key: the caller calls `complete`.
        case completion
        case clearScreen
        /// Ctrl-Z: the caller stops the program until the shell of the terminal continues it.
        case suspended
    }

    /// An incremental search backwards in the history.
    private struct Search {
        var text = ""
        /// The line of the history that matches.
        var index: Int?
        let original: [Character]
        let originalCursor: Int
    }

    private(set) var text: [Character] = []
    /// The number of characters before the cursor.
    private(set) var cursor = 0
    private(set) var history: LineHistory
    /// What the last entered line added to the history.
    private(set) var addedLine: String?
    /// The line of the history on display; nil for a new line.
    private var shownLine: Int?
    /// The new line while the editor displays a line of the history.
    private var newLine: [Character] = []
    /// The text that Ctrl-Y inserts.
    private var killed: [Character] = []
    private var search: Search?
    /// Whether entered lines go to the history. False for answers to questions.
    var keepsHistory = true

    /// The largest number of characters in a line.
    static let limit = 4096

    init(history: LineHistory = LineHistory()) { self.history = history }

    /// The text before the cursor.
    var head: String { String(text[..<cursor]) }

    /// The text to display in place of the prompt during a search.
    var searchPrompt: String? {
        search.map { ($0.index == nil && !$0.text.isEmpty ? "(no match)" : "(search)") + " \"\($0.text)\": " }
    }

    /// Removes the text, as after Ctrl-C.
    mutating func clear() {
        text = []
        cursor = 0
        shownLine = nil
        search = nil
    }

    mutating func handle(_ key: Key) -> Result {
        if search != nil, let result = handleInSearch(key) { return result }
        switch key {
        case .character(let scalar): return insert([Character(scalar)])
        case .paste(let pasted): return insert(Array(pasted))
        case .enter:
            let line = String(text)
            clear()
            addedLine = keepsHistory ? history.add(line) : nil
            return .entered(line)
        case .interrupt:
            clear()
            return .interrupted
        case .endOfInput: return text.isEmpty ? .endOfInput : remove(from: cursor, to: cursor + 1, keeps: false)
        case .tab: return .completion
        case .clearScreen: return .clearScreen
        case .suspend: return .suspended
        case .cancel: return .refused
        case .backspace: return remove(from: cursor - 1, to: cursor, keeps: false)
        case .delete: return remove(from: cursor, to: cursor + 1, keeps: false)
        case .left: return move(to: cursor - 1)
        case .right: return move(to: cursor + 1)
        case .home: return move(to: 0)
        case .end: return move(to: text.count)
        case .wordLeft: return move(to: wordStart)
        case .wordRight: return move(to: wordEnd)
        case .killToEnd: return remove(from: cursor, to: text.count, keeps: true)
        case .killToStart: return remove(from: 0, to: cursor, keeps: true)
        case .killWord: return remove(from: spaceBefore, to: cursor, keeps: true)
        case .killNextWord: return remove(from: cursor, to: wordEnd, keeps: true)
        case .yank: return insert(killed)
        case .up: return show((shownLine ?? history.lines.count) - 1)
        case .down: return shownLine.map { show($0 + 1) } ?? .refused
        case .search:
            guard keepsHistory else { return .refused }
            search = Search(original: text, originalCursor: cursor)
            return .edited
        }
    }

    // MARK: Edits

    private mutating func insert(_ characters: [Character]) -> Result {
        guard !characters.isEmpty, text.count + characters.count <= Self.limit else { return .refused }
        // A combining mark joins the character before it.
        let before = String(text[..<cursor]) + String(characters)
        let joined = Array(before)
        text = joined + text[cursor...]
        cursor = joined.count
        return .edited
    }

    private mutating func remove(from start: Int, to end: Int, keeps: Bool) -> Result {
        guard start >= 0, end <= text.count, start < end else { return .refused }
        if keeps { killed = Array(text[start..<end]) }
        text.removeSubrange(start..<end)
        cursor = start
        return .edited
    }

    private mutating func move(to position: Int) -> Result {
        guard (0...text.count).contains(position), position != cursor else { return .refused }
        cursor = position
        return .edited
    }

    private var wordStart: Int {
        var position = cursor
        while position > 0, !Self.isInWord(text[position - 1]) { position -= 1 }
        while position > 0, Self.isInWord(text[position - 1]) { position -= 1 }
        return position
    }

    private var wordEnd: Int {
        var position = cursor
        while position < text.count, !Self.isInWord(text[position]) { position += 1 }
        while position < text.count, Self.isInWord(text[position]) { position += 1 }
        return position
    }

    /// The start of the word before the cursor, where spaces separate words.
    private var spaceBefore: Int {
        var position = cursor
        while position > 0, text[position - 1].isWhitespace { position -= 1 }
        while position > 0, !text[position - 1].isWhitespace { position -= 1 }
        return position
    }

    private static func isInWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

    // MARK: The history

    private mutating func show(_ index: Int) -> Result {
        guard keepsHistory, (0...history.lines.count).contains(index), index != shownLine else { return .refused }
        if shownLine == nil { newLine = text }
        let isNew = index == history.lines.count
        text = isNew ? newLine : Array(history.lines[index])
        shownLine = isNew ? nil : index
        cursor = text.count
        return .edited
    }

    /// Handles a key of the search; nil for a key that ends the search and then has its own effect.
    private mutating func handleInSearch(_ key: Key) -> Result? {
        guard var current = search else { return nil }
        switch key {
        case .character(let scalar): current.text.unicodeScalars.append(scalar)
        case .paste(let pasted): current.text += pasted
        case .backspace:
            guard !current.text.isEmpty else { return .refused }
            current.text.removeLast()
        case .search:
            guard let index = history.index(of: current.text, before: current.index ?? history.lines.count) else {
                return .refused
            }
            current.index = index
            search = current
            showFound(current)
            return .edited
        case .cancel:
            text = current.original
            cursor = current.originalCursor
            search = nil
            return .edited
        default:
            search = nil
            return nil
        }
        // A longer text may still match the line that a shorter one found.
        current.index = history.index(of: current.text, before: (current.index ?? history.lines.count - 1) + 1)
        search = current
        showFound(current)
        return .edited
    }

    private mutating func showFound(_ search: Search) {
        guard let index = search.index else { return }
        text = Array(history.lines[index])
        cursor = text.count
    }

    // MARK: Completion

    /// Replaces the end of `head` by what all candidates have in common.
    ///
    /// - Returns: The candidates to display, if they have no more in common than the line has already.
    mutating func complete(_ completion: LineCompletion) -> [String] {
        guard let first = completion.candidates.first, completion.length <= cursor else { return [] }
        let isOnly = completion.candidates.count == 1
        let common = isOnly ? first.text + first.ending : completion.commonPrefix
        let start = cursor - completion.length
        // Candidates that differ in case do not shorten the typed text.
        guard common.count > completion.length || isOnly else { return completion.candidates.map(\.shown) }
        text.replaceSubrange(start..<cursor, with: Array(common))
        cursor = start + common.count
        return []
    }
}

/// What can stand in place of the text before the cursor.
struct LineCompletion: Hashable, Sendable {
    struct Candidate: Hashable, Sendable {
        /// The text for the line.
        let text: String
        /// The text for the list of candidates.
        let shown: String
        /// The text that follows if there is no other candidate: a space, or the end of a quotation.
        let ending: String

        init(_ text: String, shown: String? = nil, ending: String = " ") {
            self.text = text
            self.shown = shown ?? text
            self.ending = ending
        }
    }

    /// The number of characters before the cursor that a candidate replaces.
    let length: Int
    let candidates: [Candidate]

    /// The longest text with which all candidates start. Ignores case, and takes the characters of the first candidate.
    var commonPrefix: String {
        guard let first = candidates.first.map({ Array($0.text) }) else { return "" }
        let count = candidates.dropFirst().reduce(first.count) { count, candidate in
            zip(first[..<count], candidate.text).prefix { $0.lowercased() == $1.lowercased() }.count
        }
        return String(first[..<count])
    }
}
